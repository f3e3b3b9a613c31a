import type { ServerResponse } from 'node:http';
import type { RawHost } from '../../src/cli/host.ts';
import { unchanged } from './phrases.ts';
import { reply, startService } from './service.ts';
import { type Ran, run } from './stackops.ts';

export const uid = '5f3c9a1e7b2d4c8f9e0a1b2c3d4e5f60';
const begun = Date.parse('2026-05-04T12:00:00Z');
const hoursAgo = (hours: number) => new Date(begun - hours * 3_600_000).toISOString();

export const deployment = (id: number, meaning: string, isLive = false) => ({
  id,
  outcome: { code: 0, meaning },
  started_at: hoursAgo(2),
  finished_at: meaning === 'pending' ? null : hoursAgo(1),
  git_hash: 'd8b847daf0a06d549f0919d2c59a146e283b8b78',
  is_live: isLive,
});
export const server = (name: string, health_state: number) => ({
  uid: name,
  name,
  health_state,
  server_roles: ['web'],
});
export const stack = (name: string, more: object = {}) => ({
  uid: name === 'shop' ? uid : name.padEnd(32, '0').replaceAll(/[^0-9a-f]/g, 'b'),
  name,
  environment: 'production',
  status: 1,
  is_busy: false,
  ...more,
});

/** What stderr says at the end of a watch that a signal has ended. */
export const interrupted = `error: interrupted${unchanged}\n`;

/** Rows by the last part of the path; a function takes over the response. */
type Replies = Readonly<Record<string, object[] | ((response: ServerResponse) => void)>>;

export const refuse = (status: number) => (response: ServerResponse) =>
  reply(response, { error: 'x', details: 'the service says why' }, status);

interface Watch {
  readonly replies: Replies;
  /** What happens at the service, by the second. */
  readonly at?: Readonly<Record<number, Replies | (() => void)>>;
  /** The second at which the program is sent SIGINT. */
  readonly until?: number;
  readonly terminal?: number;
  readonly screen?: RawHost['screen'];
  readonly now?: () => Date;
  /** Headers of every response. */
  readonly headers?: Readonly<Record<string, string>>;
}

/** A watch of a service that changes; seconds go by while the program sleeps. */
export async function watch(words: string, { replies, at = {}, until = 120, headers = {}, ...around }: Watch) {
  const now: Replies = {
    deployments: [deployment(2, 'success', true), deployment(1, 'success')],
    application_variants: [],
    servers: [server('web-1', 3)],
    processes: [{ name: 'web', servers: { 'web-1': 2 } }],
    backups: [],
    environments: [],
    stacks: [stack('shop')],
    [uid]: (response) => reply(response, { response: stack('shop') }),
    ...replies,
  };
  const service = await startService(({ path }, response) => {
    for (const [name, value] of Object.entries(headers)) response.setHeader(name, value);
    const found = now[path.slice(path.lastIndexOf('/') + 1)];
    if (typeof found === 'function') found(response);
    else reply(response, { response: found ?? [] });
  });
  const over = new AbortController();
  let seconds = 0;
  const slept = (ms: number) => {
    const before = seconds;
    seconds += ms / 1000;
    for (const [second, change] of Object.entries(at)) {
      if (Number(second) <= before || Number(second) > seconds) continue;
      if (typeof change === 'function') change();
      else Object.assign(now, change);
    }
    if (seconds >= until) over.abort('SIGINT');
  };
  const env = { ...service.env, NO_COLOR: '1', STACKOPS_RETRIES: '0' };
  const options = { env, slept, signal: over.signal, ...around };
  const ran = await run(words.split(' '), options);
  return { ...ran, seconds, requests: countOf(service.seen.map(({ path }) => path)) };
}

/** Requests by the last part of their path. */
function countOf(paths: readonly string[]): Readonly<Record<string, number>> {
  const counts: Record<string, number> = {};
  for (const path of paths) {
    const name = path.slice(path.lastIndexOf('/') + 1).replace(uid, 'stack');
    counts[name] = (counts[name] ?? 0) + 1;
  }
  return counts;
}

/** A terminal of so many rows, at which something happens after each of the first frames. */
export function screen(height: number, events: readonly ('quit' | 'resized')[] = []) {
  let listeners = 0;
  let take: (event: 'quit' | 'resized') => void = () => undefined;
  const left = [...events];
  return {
    host: {
      height,
      hasKeys: true,
      listen: (taken: typeof take) => {
        listeners += 1;
        take = taken;
        return () => {
          listeners -= 1;
        };
      },
    },
    next: () => {
      const event = left.shift();
      if (event) take(event);
    },
    listeners: () => listeners,
  };
}

/** The frames that were drawn, without their controls. */
export function framesOf({ stdout }: Ran): readonly string[] {
  return stdout
    .split('\x1b[?7l')
    .slice(1)
    .map((frame) => frame.replaceAll(/\x1b\[[?\w]*?[AHJKhl]|\r/g, ''));
}
