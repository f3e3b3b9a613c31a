import { type Command, commandWrites } from '../../contract/command.ts';
import { Problem } from '../../problems/problem.ts';
import type { Options } from './options.ts';

/**
 * Throws usage for a flag that this command does not support, or that another one overrides. -n, --curl and -y have no
 * effect where nothing is changed, so that a script may give them to every command.
 */
export function refuseUnusedFlags(command: Command, options: Options, path: readonly string[]): void {
  const name = path.join(' ');
  const isWrite = commandWrites(command);
  if (options.keepGoing && !command.targets.several) {
    // Reads of several stacks continue anyway.
    const why = isWrite ? 'makes one change at a time' : 'changes nothing';
    throw new Problem('usage', `--keep-going does not apply: "${name}" ${why}`, {
      retry: { without: ['--keep-going'] },
    });
  }
  // With a protected profile every write asks for its name.
  if (options.confirm !== undefined && !isWrite && !command.confirm) {
    throw new Problem('usage', `--confirm does not apply: "${name}" asks no question`, {
      retry: { without: ['--confirm'] },
    });
  }
  if (isWrite && options.curl) refuseOtherForms(options);
}

/** A curl command is not JSON. */
function refuseOtherForms({ json, jq, output, dryRun }: Options): void {
  const [flag] = [json && '--json', jq !== undefined && '--jq', output !== undefined && '--output'].filter(Boolean);
  if (!flag) return;
  throw new Problem('usage', `use --curl or ${flag}, not both`, {
    retry: { without: ['--curl'], ...(!dryRun && { with: ['--dry-run'] }) },
  });
}
