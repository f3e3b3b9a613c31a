import { type Command, commandWrites } from '../../contract/command.ts';
import type { Field } from '../../contract/field.ts';
import { CliError } from '../../errors/cli-error.ts';
import { longOf, type Options, type TypedCommand } from './options.ts';

export function actsOn({ params }: Command): ReadonlySet<Field['target']> {
  return new Set(Object.values<Field>(params).map(({ target }) => target));
}

/** The mistake of a flag that has no effect; its hint is the command without it. */
export function doesNotApply(flag: string, why: string, instead?: string): CliError {
  return new CliError('usage', `${flag} does not apply: ${why}`, {
    correction: { replace: { word: flag, by: instead ? [instead] : [] } },
  });
}

/** Throws usage for a flag without effect here. Scripts may give -n, --curl and -y to every command. */
export function refuseUnusedFlags(line: TypedCommand): void {
  const { command, options, path } = line;
  // A command without requests has no target; `config list -s shop --origin` shows that the flag wins.
  if (command.calls.length > 0) refuseOtherTargets(line);
  if (options.jq !== undefined && 'events' in command.output) {
    throw doesNotApply('--jq', 'each event is printed as it comes', '--json');
  }
  const isWrite = commandWrites(command);
  if (options.keep_going && !command.targets.several) {
    // Reads of several stacks continue anyway.
    throw doesNotApply('--keep-going', `"${path}" ${isWrite ? 'makes one change at a time' : 'changes nothing'}`);
  }
  // With a protected profile every write asks for its name.
  if (options.confirm !== undefined && !isWrite && !command.confirm) {
    throw doesNotApply('--confirm', `"${path}" asks no question`);
  }
  if (isWrite && options.curl) refuseOtherForms(options);
}

function refuseOtherTargets({ command, options: { stack, server_group }, path }: TypedCommand): void {
  const places = actsOn(command);
  if (stack !== undefined && !places.has('stack')) throw doesNotApply('--stack', `"${path}" does not act on a stack`);
  if (server_group !== undefined && !places.has('server-group')) {
    throw doesNotApply('--server-group', `"${path}" does not act on a server group`);
  }
}

function refuseOtherForms(options: Options): void {
  const form = (['json', 'jq', 'output'] as const).find((name) => options[name] !== undefined);
  if (!form) return;
  // A curl command is not JSON.
  throw new CliError('usage', `use --curl or ${longOf(form)}, not both`, {
    correction: { replace: { word: '--curl', by: options.dry_run ? [] : ['--dry-run'] } },
  });
}
