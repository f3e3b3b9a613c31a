import { type Command, commandWrites } from '../../contract/command.ts';
import { Problem } from '../../problems/problem.ts';
import type { Options } from './options.ts';

/**
 * Throws usage for a flag that promises what this command cannot do, or that another one would silently win over. -n, --curl
 * and -y promise nothing where nothing is changed, so that a script may give them to every command.
 */
export function refuseUnusedFlags(command: Command, options: Options, path: readonly string[]): void {
  const name = path.join(' ');
  const isWrite = commandWrites(command);
  if (options.keepGoing && !command.targets.several) {
    // Reads of several stacks go on anyway.
    const why = isWrite ? 'makes one change at a time' : 'changes nothing';
    throw new Problem('usage', `${name} ${why}; leave --keep-going out`, {
      retry: { without: ['--keep-going'] },
    });
  }
  // A write of a protected profile asks for the name of that.
  if (options.confirm !== undefined && !isWrite && !command.confirm) {
    throw new Problem('usage', `${name} asks for no name; leave --confirm out`, { retry: { without: ['--confirm'] } });
  }
  if (isWrite && options.curl) refuseOtherForms(options);
}

/** A line for curl is no JSON. */
function refuseOtherForms({ json, jq, output, dryRun }: Options): void {
  const [flag] = [json && '--json', jq !== undefined && '--jq', output !== undefined && '--output'].filter(Boolean);
  if (!flag) return;
  throw new Problem('usage', `--curl prints a line for curl, and ${flag} asks for another form`, {
    retry: { without: ['--curl'], ...(!dryRun && { with: ['--dry-run'] }) },
  });
}
