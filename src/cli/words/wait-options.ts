import { type Command, commandWrites } from '../../contract/command.ts';
import { Problem } from '../../problems/problem.ts';
import { durationMs } from '../../settings/values.ts';
import type { WriteOptions } from '../world.ts';
import type { Options } from './options.ts';

const shortestPollMs = 1_000;

/** How long and how often to look; undefined when nothing is to be waited for. Throws usage for a read. */
export function readWaitOptions(command: Command, options: Options, path: readonly string[]): WriteOptions['wait'] {
  const name = path.join(' ');
  const isWrite = commandWrites(command);
  if (options.wait && !isWrite) throw nothingToAwait(name, '--wait');
  const isAwaited = options.wait || command.wait === 'always';
  if (!isAwaited) {
    const idle = options.waitTimeout !== undefined ? '--wait-timeout' : options.poll !== undefined && '--poll';
    if (idle && isWrite) throw new Problem('usage', `${idle} needs --wait`, { retry: { with: ['--wait'] } });
    if (idle) throw nothingToAwait(name, idle);
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

function nothingToAwait(name: string, flag: string): Problem {
  return new Problem('usage', `${name} changes nothing that takes time; leave ${flag} out`, {
    retry: { without: [flag] },
  });
}
