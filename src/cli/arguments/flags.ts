import { commandWrites } from '../../contract/command.ts';
import { placeholder } from '../../contract/values/text.ts';
import { CliError, unusedFlagError } from '../../errors/cli-error.ts';
import type { Run } from '../app.ts';
import { namesSeveralStacks } from '../stacks/stack-names.ts';
import { flagsOf, targetKindsOf } from './arguments.ts';
import { longFlagOf, numberOption, type Options, type TypedCommand } from './options.ts';

/** Throws `usage` for a flag without effect here. Only -n, --curl and -y pass, because scripts give them everywhere. */
export function refuseUnusedFlags(line: TypedCommand): void {
  const { command, options, path } = line;
  // A command without requests may have a target flag: `config list -s shop --origin` shows where the stack comes from.
  if (command.calls.length > 0) refuseOtherTargets(line);
  if (options.jq !== undefined && 'events' in command.output) {
    throw unusedFlagError('--jq', 'each event is printed as it comes', '--json');
  }
  const isWrite = commandWrites(command);
  if (options.keep_going && !command.targets.several) {
    // A read of several stacks always continues after a failure, so --keep-going has no effect.
    throw unusedFlagError('--keep-going', `"${path}" ${isWrite ? 'makes one change at a time' : 'changes nothing'}`);
  }
  // Every write takes --confirm, because a protected profile asks for a typed name before it.
  if (options.confirm !== undefined && !isWrite && !command.confirm) {
    throw unusedFlagError('--confirm', `"${path}" asks no question`);
  }
  if (isWrite && options.curl) refuseFormatsWithCurl(options);
}

function refuseOtherTargets({ command, options: { stack, server_group }, path }: TypedCommand): void {
  const targetKinds = targetKindsOf(command);
  if (stack !== undefined && !targetKinds.has('stack'))
    throw unusedFlagError('--stack', `"${path}" does not act on a stack`);
  if (server_group !== undefined && !targetKinds.has('server-group')) {
    throw unusedFlagError('--server-group', `"${path}" does not act on a server group`);
  }
}

function refuseFormatsWithCurl(options: Options): void {
  const formatOption = (['json', 'jq', 'output'] as const).find((name) => options[name] !== undefined);
  if (!formatOption) return;
  throw new CliError('usage', `use --curl or ${longFlagOf(formatOption)}, not both`, {
    correction: { replace: { word: '--curl', by: options.dry_run ? [] : ['--dry-run'] } },
  });
}

/** Returns the wait options. Throws `usage` for --wait with a read, and for another wait option without a wait. */
export function readWaitOptions(line: TypedCommand): Pick<Run['writeOptions'], 'wait' | 'timeoutMs' | 'pollMs'> {
  const { options } = line;
  const wait = options.wait || alwaysWaits(line);
  // With --redeploy the run waits for the changes before the deployment, so --wait-timeout and --poll have an effect.
  refuseWaitFlags(line, wait || line.flags['--redeploy'] === true);
  return { wait, pollMs: numberOption('poll', options) ?? 0, timeoutMs: numberOption('wait_timeout', options) ?? 0 };
}

function alwaysWaits({ command, options, flags }: TypedCommand): boolean {
  const { wait, waitsWith, targets } = command;
  const isWaitTriggered = waitsWith !== undefined && flags[`--${waitsWith}`] === true;
  // If several stacks are changed in turn, the run waits for the end of each change before it makes the next.
  const isInTurn = targets.inTurn && namesSeveralStacks(options);
  return wait === 'always' || wait === 'its own limits' || isWaitTriggered || isInTurn;
}

function refuseWaitFlags({ command, options, flags, path }: TypedCommand, willWait: boolean): void {
  const isWrite = commandWrites(command);
  const noChangeText = `"${path}" changes nothing`;
  // A read may have --watch, which corresponds to --wait.
  const watchFlag = 'watch' in command.params ? '--watch' : undefined;
  if (options.wait && !isWrite) throw unusedFlagError('--wait', noChangeText, watchFlag);
  const [limitFlag] = (['wait_timeout', 'poll'] as const).filter((name) => options[name] !== undefined).map(longFlagOf);
  if (limitFlag && command.wait === 'its own limits') {
    throw unusedFlagError(limitFlag, `"${path}" has limits of its own`);
  }
  const unusedFlag = limitFlag ?? (options.notify && !flags['--watch'] ? '--notify' : undefined);
  if (!unusedFlag || willWait) return;
  const neededFlag = isWrite ? '--wait' : !limitFlag && watchFlag;
  if (!neededFlag) throw unusedFlagError(unusedFlag, noChangeText);
  throw new CliError('usage', `${unusedFlag} needs ${neededFlag}`, { correction: { add: [neededFlag] } });
}

/** Returns a command line without its values, which may be secret. Words in `publicWords` stay unchanged. */
export function withoutValues(argv: readonly string[], publicWords: readonly string[] = []): readonly string[] {
  const dashesAt = argv.indexOf('--');
  return argv.map((word, index) => {
    const mayBeFlag = dashesAt < 0 || index < dashesAt;
    const [, flag = '', bare = word] = (mayBeFlag && /^(--[\w-]+=)(.*)$/s.exec(word)) || [];
    return publicWords.includes(bare) ? word : `${flag}${withoutValue(bare)}`;
  });
}

/** Returns the typed arguments and values of flags that are surely not secret. */
export function publicArguments({ command, words, flags }: TypedCommand): readonly string[] {
  const hasPublicWords = command.positionals.some((name) => command.params[name].repeats);
  const values = flagsOf(command).flatMap(({ long, field }) => (field.repeats ? (flags[long] ?? []) : []));
  return [...(hasPublicWords ? words : []), ...values.map(String)];
}

/** Removes the value from `NAME=VALUE`, and the login and query from an address. NAME may be any text. */
export function withoutValue(word: string): string {
  return (
    word
      // An address may have a login before its host, and a signature in its query.
      .replace(/^(\w+:\/\/)[^/?#]*@/, `$1${placeholder}@`)
      .replace(/^(\w+:\/\/[^?#]*[?#]).+$/s, `$1${placeholder}`)
      .replace(/=.*$/s, `=${placeholder}`)
  );
}
