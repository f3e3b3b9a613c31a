import { type Command, commandWrites } from '../../contract/command.ts';
import { Problem } from '../../problems/problem.ts';
import { namesSeveral } from '../stacks/stack-names.ts';
import type { Limits } from '../world.ts';
import { readDuration } from './duration.ts';
import type { TypedCommand } from './invocation.ts';

const shortestPollMs = 1_000;
const longestMs = 168 * 3_600_000;

/** Whether to wait, how long and how often to check. Throws usage for a read, and for limits without a wait. */
export function readWaitOptions(line: TypedCommand): Pick<Limits, 'wait' | 'timeoutMs' | 'pollMs'> {
  const { command, options, path: name } = line;
  if (options.wait && !commandWrites(command)) throw noWaitFor(name, '--wait', watchOf(command));
  const wait = Boolean(options.wait) || alwaysWaits(line);
  if (!wait) refuseWaitFlags(line);
  if (command.wait === 'its own limits') refuseLimits(line);
  const pollMs = read('--poll', options.poll ?? '5s');
  if (pollMs < shortestPollMs) throw new Problem('usage', `--poll must be at least 1s, not "${options.poll}"`);
  return { wait, timeoutMs: read('--wait-timeout', options.waitTimeout ?? '30m'), pollMs };
}

/** Of several stacks in turn, the next one waits for the one before. */
function alwaysWaits({ command, options, flags }: TypedCommand): boolean {
  const { wait, waitsWith, targets } = command;
  const isWaiting = waitsWith !== undefined && flags[waitsWith] === true;
  return wait === 'always' || wait === 'its own limits' || isWaiting || (targets.inTurn && namesSeveral(options));
}

/** Throws usage for what says something about a wait, or about the end of a watch, where there is none. */
function refuseWaitFlags({ command, options, flags, path: name }: TypedCommand): void {
  const [unused] = [
    options.waitTimeout !== undefined && '--wait-timeout',
    options.poll !== undefined && '--poll',
    options.notify && !flags['watch'] && '--notify',
  ].filter((flag) => typeof flag === 'string');
  if (!unused) return;
  const [needed] = commandWrites(command) ? ['--wait'] : watchOf(command).filter(() => unused === '--notify');
  if (!needed) throw noWaitFor(name, unused);
  throw new Problem('usage', `${unused} needs ${needed}`, { retry: { with: [needed] } });
}

function refuseLimits({ options, path: name }: TypedCommand): void {
  const [unused] = [
    options.waitTimeout !== undefined && '--wait-timeout',
    options.poll !== undefined && '--poll',
  ].filter((flag) => typeof flag === 'string');
  if (!unused) return;
  throw new Problem('usage', `${unused} does not apply: "${name}" has limits of its own`, {
    retry: { without: [unused] },
  });
}

function read(flag: string, text: string): number {
  const ms = readDuration(text, { shown: flag, usual: 's' });
  if (ms > 0 && ms <= longestMs) return ms;
  throw new Problem('usage', `${flag} must be between 1ms and 7d, not "${text}"`);
}

/** What a person who wants to wait on a read means. */
function watchOf({ params }: Command): readonly string[] {
  return 'watch' in params ? ['--watch'] : [];
}

function noWaitFor(name: string, flag: string, instead: readonly string[] = []): Problem {
  return new Problem('usage', `${flag} does not apply: "${name}" changes nothing`, {
    retry: { without: [flag], with: instead },
  });
}
