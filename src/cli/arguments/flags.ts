import { commandWrites } from '../../contract/command.ts';
import { placeholder } from '../../contract/values/text.ts';
import { CliError, doesNotApplyError } from '../../errors/cli-error.ts';
import type { Run } from '../app.ts';
import { namesSeveral } from '../stacks/stack-names.ts';
import { actsOn, flagsOf } from './arguments.ts';
import { longOf, type Options, optionValue, type TypedCommand } from './options.ts';

/** Throws usage for a flag without effect here. Scripts may give -n, --curl and -y to every command. */
export function refuseUnusedFlags(line: TypedCommand): void {
  const { command, options, path } = line;
  // A command without requests has no target; `config list -s shop --origin` shows that the flag wins.
  if (command.calls.length > 0) refuseOtherTargets(line);
  if (options.jq !== undefined && 'events' in command.output) {
    throw doesNotApplyError('--jq', 'each event is printed as it comes', '--json');
  }
  const isWrite = commandWrites(command);
  if (options.keep_going && !command.targets.several) {
    // Reads of several stacks continue anyway.
    throw doesNotApplyError('--keep-going', `"${path}" ${isWrite ? 'makes one change at a time' : 'changes nothing'}`);
  }
  // With a protected profile every write asks for a typed name.
  if (options.confirm !== undefined && !isWrite && !command.confirm) {
    throw doesNotApplyError('--confirm', `"${path}" asks no question`);
  }
  if (isWrite && options.curl) refuseOtherForms(options);
}

function refuseOtherTargets({ command, options: { stack, server_group }, path }: TypedCommand): void {
  const targets = actsOn(command);
  if (stack !== undefined && !targets.has('stack'))
    throw doesNotApplyError('--stack', `"${path}" does not act on a stack`);
  if (server_group !== undefined && !targets.has('server-group')) {
    throw doesNotApplyError('--server-group', `"${path}" does not act on a server group`);
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

/** The settings of --wait. Throws usage for a read, and for limits without a wait. */
export function readWaitOptions(line: TypedCommand): Pick<Run['limits'], 'wait' | 'timeoutMs' | 'pollMs'> {
  const { options } = line;
  const wait = options.wait || alwaysWaits(line);
  // With --redeploy the changes before it are waited for.
  refuseWaitFlags(line, wait || line.flags['--redeploy'] === true);
  const [pollMs = 0, timeoutMs = 0] = [optionValue('poll', options), optionValue('wait_timeout', options)];
  return { wait, timeoutMs, pollMs };
}

function alwaysWaits({ command, options, flags }: TypedCommand): boolean {
  const { wait, waitsWith, targets } = command;
  const isWaiting = waitsWith !== undefined && flags[`--${waitsWith}`] === true;
  // With several stacks in order, each waits for the previous one.
  return wait === 'always' || wait === 'its own limits' || isWaiting || (targets.inTurn && namesSeveral(options));
}

function refuseWaitFlags({ command, options, flags, path }: TypedCommand, waits: boolean): void {
  const isWrite = commandWrites(command);
  const nothing = `"${path}" changes nothing`;
  // The flag for a read that corresponds to --wait.
  const [watch] = 'watch' in command.params ? ['--watch'] : [];
  if (options.wait && !isWrite) throw doesNotApplyError('--wait', nothing, watch);
  const [limit] = (['wait_timeout', 'poll'] as const).filter((name) => options[name] !== undefined).map(longOf);
  if (limit && command.wait === 'its own limits') throw doesNotApplyError(limit, `"${path}" has limits of its own`);
  const unused = limit ?? (options.notify && !flags['--watch'] ? '--notify' : undefined);
  if (!unused || waits) return;
  const needed = isWrite ? '--wait' : !limit && watch;
  if (!needed) throw doesNotApplyError(unused, nothing);
  throw new CliError('usage', `${unused} needs ${needed}`, { correction: { add: [needed] } });
}

/** A command line without values, which may be secret. `open` are typed words whose values are not secret. */
export function withoutValues(argv: readonly string[], open: readonly string[] = []): readonly string[] {
  const cut = argv.indexOf('--');
  return argv.map((word, index) => {
    const isFlag = cut < 0 || index < cut;
    const [, flag = '', bare = word] = (isFlag && /^(--[\w-]+=)(.*)$/s.exec(word)) || [];
    return open.includes(bare) ? word : `${flag}${withoutValue(bare)}`;
  });
}

/** Arguments of fields whose values are not secret. */
export function openArguments({ command, words, flags }: TypedCommand): readonly string[] {
  const isWord = command.positionals.some((name) => command.params[name].repeats);
  const values = flagsOf(command).flatMap(({ long, field }) => (field.repeats ? (flags[long] ?? []) : []));
  return [...(isWord ? words : []), ...values.map(String)];
}

/** Replaces the value in a word. The name may have any characters: services allow more than shells do. */
export function withoutValue(word: string): string {
  return (
    word
      // The query of an address may be a signature, and a name in front of its host comes with a password.
      .replace(/^(\w+:\/\/)[^/?#]*@/, `$1${placeholder}@`)
      .replace(/^(\w+:\/\/[^?#]*[?#]).+$/s, `$1${placeholder}`)
      .replace(/=.*$/s, `=${placeholder}`)
  );
}
