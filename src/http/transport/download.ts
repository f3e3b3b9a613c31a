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
  /** Longest pause before the response begins, or between two pieces of it. */
  readonly idleTimeoutMs: number;
  readonly totalTimeoutMs: number;
  /** Whether the service runs on this machine. Only then may its storage use plain http, on this machine only. */
  readonly isLocal: boolean;
  /** Where the proxy variables come from. */
  readonly env: Readonly<Record<string, string | undefined>>;
}

const mostRedirects = 3;

/**
 * Reads files from storage hosts, without retries. It cannot be given a token: it sends only the address, its user
 * agent, a header against compression, and the range to resume.
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
      throw new Problem('unavailable', `${url.host} redirects more than ${mostRedirects} times`);
    }
    url = redirected(location, url, options);
  }
}

/** Undefined when the file was delivered, else the redirect location. */
async function readOne(url: URL, wanted: DeliveryOptions, options: DownloadOptions): Promise<string | undefined> {
  refuseDisabledTls(url, options.env);
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
  throw new Problem('unavailable', 'the service sent a link that is not https; it was not followed');
}

function redirected(location: string, from: URL, options: DownloadOptions): URL {
  const url = URL.canParse(location, from.href) ? new URL(location, from.href) : undefined;
  const stepsDown = url?.protocol === 'http:' && from.protocol !== 'http:';
  if (url && isSafe(url, options) && !stepsDown) return url;
  throw new Problem('unavailable', `${from.host} redirects to an address that is not https; it was not followed`);
}

/** Plain http is allowed only on this machine, and only when the service runs here too. */
function isSafe({ protocol, hostname, username, password }: URL, { isLocal }: DownloadOptions): boolean {
  if (username !== '' || password !== '') return false;
  return protocol === 'https:' || (protocol === 'http:' && isLocal && isLoopback({ hostname }));
}

function refuseDisabledTls({ hostname }: URL, env: DownloadOptions['env']): void {
  if (env['NODE_TLS_REJECT_UNAUTHORIZED'] !== '0' || isLoopback({ hostname })) return;
  const message = 'NODE_TLS_REJECT_UNAUTHORIZED=0 lets anyone replace a backup file; nothing was downloaded';
  throw new Problem('usage', message, { hint: unsetLine('NODE_TLS_REJECT_UNAUTHORIZED', env) });
}

function outOfTime(ms: number): Problem {
  return new Problem('unavailable', `the download did not finish within ${ms / 1000} s`);
}
