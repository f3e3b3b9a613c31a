import type { Fetch } from '../../contract/exchange.ts';
import { isLoopback } from '../../contract/values/loopback.ts';
import { Problem } from '../../problems/problem.ts';
import { unsetLine } from '../../problems/repairs.ts';
import { timeLimit } from '../time-limit.ts';
import { type Connection, opener } from './connection.ts';
import { type Delivery, deliver } from './delivery.ts';

export interface DownloadOptions {
  readonly userAgent: string;
  readonly connectTimeoutMs: number;
  /** Longest silence: before the answer begins, and between two pieces of it. */
  readonly idleTimeoutMs: number;
  readonly totalTimeoutMs: number;
  /** Whether the service itself is on this machine: only then may its storage be reached by plain http, and only here. */
  readonly isLocal: boolean;
  /** Where the proxy variables come from. */
  readonly env: Readonly<Record<string, string | undefined>>;
}

const mostRedirects = 3;

/**
 * Reads files from storage hosts. There is no way to hand it a token: what it sends is the address, its name, that
 * nothing is to be compressed, and where to continue. Nothing is repeated.
 */
export function storageReader(options: DownloadOptions): Fetch {
  return async (address, sink, signal) => {
    const limit = timeLimit(signal, options.totalTimeoutMs);
    const delivery = { sink, signal: limit.signal, idleTimeoutMs: options.idleTimeoutMs };
    try {
      await follow(readAddress(address, options), delivery, options);
    } catch (error) {
      if (signal.aborted) throw new Problem('interrupted', 'interrupted');
      if (limit.signal.aborted) throw outOfTime(options.totalTimeoutMs);
      throw error;
    } finally {
      limit.clear();
    }
  };
}

type DeliveryOptions = Pick<Delivery, 'sink' | 'signal' | 'idleTimeoutMs'>;

async function follow(first: URL, wanted: DeliveryOptions, options: DownloadOptions): Promise<void> {
  let url = first;
  for (let redirects = 0; ; redirects += 1) {
    const location = await readOne(url, wanted, options);
    if (location === undefined) return;
    if (redirects === mostRedirects) {
      throw new Problem('unavailable', `${url.host} redirects once more after ${mostRedirects} redirects`);
    }
    url = redirected(location, url, options);
  }
}

/** Undefined when the file was delivered, else where the host points to. */
async function readOne(url: URL, wanted: DeliveryOptions, options: DownloadOptions): Promise<string | undefined> {
  refuseBlindTls(url, options.env);
  const { env, connectTimeoutMs, userAgent } = options;
  const connect = await opener({ baseUrl: url, env, connectTimeoutMs });
  const connection: Connection = await connect();
  try {
    return await deliver(connection.dispatcher, { ...wanted, url, userAgent });
  } finally {
    await connection.end();
  }
}

function readAddress(address: string, options: DownloadOptions): URL {
  const url = URL.canParse(address) ? new URL(address) : undefined;
  if (url && isSafe(url, options)) return url;
  throw new Problem('unavailable', 'the service gave a link that is no https address; it was not followed');
}

function redirected(location: string, from: URL, options: DownloadOptions): URL {
  const url = URL.canParse(location, from.href) ? new URL(location, from.href) : undefined;
  const stepsDown = url?.protocol === 'http:' && from.protocol !== 'http:';
  if (url && isSafe(url, options) && !stepsDown) return url;
  throw new Problem('unavailable', `${from.host} redirects to an address that is not https; it was not followed`);
}

/** Plain http stays on this machine, and a service elsewhere has no business there. */
function isSafe({ protocol, hostname, username, password }: URL, { isLocal }: DownloadOptions): boolean {
  if (username !== '' || password !== '') return false;
  return protocol === 'https:' || (protocol === 'http:' && isLocal && isLoopback({ hostname }));
}

function refuseBlindTls({ hostname }: URL, env: DownloadOptions['env']): void {
  if (env['NODE_TLS_REJECT_UNAUTHORIZED'] !== '0' || isLoopback({ hostname })) return;
  const message = 'NODE_TLS_REJECT_UNAUTHORIZED=0 lets anyone put another file in place of a backup; nothing was read';
  throw new Problem('usage', message, { hint: unsetLine('NODE_TLS_REJECT_UNAUTHORIZED', env) });
}

function outOfTime(ms: number): Problem {
  return new Problem('unavailable', `the file was not complete within ${ms / 1000} s`);
}
