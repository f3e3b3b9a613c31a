import { type Command, commandQueues, commandWrites } from '../contract/command.ts';
import { Problem } from '../problems/problem.ts';
import { durationMs } from '../settings/values.ts';
import type { Options } from './options.ts';
import type { ContactOptions } from './world.ts';

const shortestPollMs = 1_000;

/** How long and how often to look; undefined when nothing is to be waited for. Throws usage for a command without an end to wait for. */
export function readPatience(command: Command, options: Options, path: readonly string[]): ContactOptions['wait'] {
  const name = path.join(' ');
  if (options.wait && !commandQueues(command)) throw nothingToAwait(command, name);
  const isAwaited = options.wait || command.waits;
  if (!isAwaited) {
    const idle = options.waitTimeout !== undefined ? '--wait-timeout' : options.poll !== undefined && '--poll';
    if (idle && commandQueues(command)) throw new Problem('usage', `${idle} needs --wait`, { again: '--wait' });
    if (idle) throw nothingToAwait(command, name, idle);
    return undefined;
  }
  const pollMs = read('--poll', options.poll ?? '5s');
  if (pollMs < shortestPollMs) throw new Problem('usage', `--poll is "${options.poll}"; it must be at least 1s`);
  return { timeoutMs: read('--wait-timeout', options.waitTimeout ?? '30m'), pollMs };
}

function read(flag: string, text: string): number {
  const ms = durationMs(text);
  if (ms !== undefined) return ms;
  throw new Problem('usage', `${flag} is "${text}"; it must be a duration such as 90s, 5m or 2h`);
}

function nothingToAwait(command: Command, name: string, flag = '--wait'): Problem {
  const why = commandWrites(command) ? 'is done when the service has answered' : 'changes nothing that takes time';
  return new Problem('usage', `${name} ${why}; leave ${flag} out`, { without: [flag] });
}
