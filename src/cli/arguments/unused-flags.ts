import { type Command, callsOf, commandWrites } from '../../contract/command.ts';
import type { Field } from '../../contract/field.ts';
import { Problem } from '../../problems/problem.ts';
import type { TypedCommand } from './invocation.ts';
import type { Options } from './options.ts';

/** The kinds of place it acts on. */
export function actsOn({ params }: Command): ReadonlySet<Field['place']> {
  return new Set(Object.values<Field>(params).map(({ place }) => place));
}

/**
 * Throws usage for a flag that this command does not support, or that another one overrides. -n, --curl and -y have no
 * effect where nothing is changed, so that a script may give them to every command.
 */
export function refuseUnusedFlags(line: TypedCommand): void {
  refuseOtherPlaces(line);
  const { command, options, path: name } = line;
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

/** A place given by flag to a command that does not act there is a mistake, not a detail. */
function refuseOtherPlaces({ command, options, path }: TypedCommand): void {
  // What talks to no service acts nowhere; `config list -s shop --origin` shows how the flag wins.
  if (callsOf(command).length === 0) return;
  const places = actsOn(command);
  const given = [
    ['stack', '--stack', options.stack, 'a stack'],
    ['server-group', '--server-group', options.serverGroup, 'a server group'],
  ] as const;
  for (const [place, flag, value, articled] of given) {
    if (value === undefined || places.has(place)) continue;
    throw new Problem('usage', `${flag} does not apply: "${path}" does not act on ${articled}`, {
      retry: { without: [flag] },
    });
  }
}

/** A curl command is not JSON. */
function refuseOtherForms({ json, jq, output, dryRun }: Options): void {
  const [flag] = [json && '--json', jq !== undefined && '--jq', output !== undefined && '--output'].filter(Boolean);
  if (!flag) return;
  throw new Problem('usage', `use --curl or ${flag}, not both`, {
    retry: { without: ['--curl'], ...(!dryRun && { with: ['--dry-run'] }) },
  });
}
