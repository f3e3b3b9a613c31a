import type { IncomingHttpHeaders } from 'node:http';
import { type DownloadSink, type RunDownload, TransportFailure } from '../../contract/exchange.ts';
import { isLoopback } from '../../contract/values/text.ts';
import { CliError, trustAuthorityHint } from '../../errors/cli-error.ts';
import { startTimeLimit } from '../retry.ts';
import type { ResponseReader } from './http-exchange.ts';
import { type GetOptions, getOnce } from './probe.ts';

export interface DownloadOptions extends GetOptions {
  /** Maximum pause before the response begins, or between two pieces of the response. */
  readonly idleTimeoutMs: number;
  readonly totalTimeoutMs: number;
  /** True if the service runs on this machine. Only then may a storage host on this machine use plain http. */
  readonly isServiceLocal: boolean;
}

const maxRedirects = 3;

/** Returns a function that downloads a file from a storage host, without retries and without sending a token. */
export function createStorageReader(options: DownloadOptions): RunDownload {
  return async (address, sink, signal) => {
    const timeLimit = startTimeLimit(signal, options.totalTimeoutMs);
    try {
      await followRedirects(requireSafeUrl(address, options), sink, { ...options, signal: timeLimit.signal });
    } catch (error) {
      if (signal.aborted) throw new CliError('interrupted', 'interrupted');
      if (!timeLimit.signal.aborted) throw error;
      throw new CliError('unavailable', `the download did not finish within ${options.totalTimeoutMs / 1000} s`);
    } finally {
      timeLimit.clear();
    }
  };
}

type FollowOptions = DownloadOptions & { readonly signal: AbortSignal };

async function followRedirects(url: URL, sink: DownloadSink, options: FollowOptions, redirects = 0): Promise<void> {
  const location = await downloadOnce(url, sink, options);
  if (location === undefined) return;
  if (redirects === maxRedirects) {
    throw new CliError('unavailable', `${url.host} redirects more than ${maxRedirects} times`);
  }
  await followRedirects(requireSafeUrl(location, options, url), sink, options, redirects + 1);
}

async function downloadOnce(url: URL, sink: DownloadSink, options: FollowOptions): Promise<string | undefined> {
  const { idleTimeoutMs, signal } = options;
  const danger = 'replace a backup file; nothing was downloaded';
  const request = { ...options, danger, extraHeaders: rangeHeaders(sink) };
  try {
    return await getOnce(url, request, createFileReader(sink, url), { idleTimeoutMs, signal });
  } catch (error) {
    if (!(error instanceof TransportFailure)) throw error;
    const hint = error.reason === 'certificate' ? trustAuthorityHint : undefined;
    throw new CliError('unavailable', error.message, { hint });
  }
}

function requireSafeUrl(address: string, options: DownloadOptions, previousUrl?: URL): URL {
  const url = URL.canParse(address, previousUrl?.href) ? new URL(address, previousUrl?.href) : undefined;
  const isDowngrade = url?.protocol === 'http:' && previousUrl && previousUrl.protocol !== 'http:';
  if (url && isSafeUrl(url, options) && !isDowngrade) return url;
  const sourceText = previousUrl ? `${previousUrl.host} redirects to an address` : 'the service sent a link';
  throw new CliError('unavailable', `${sourceText} that is not https; it was not followed`);
}

function isSafeUrl({ protocol, hostname, username, password }: URL, { isServiceLocal }: DownloadOptions): boolean {
  if (username !== '' || password !== '') return false;
  return protocol === 'https:' || (protocol === 'http:' && isServiceLocal && isLoopback({ hostname }));
}

function rangeHeaders({ start }: DownloadSink): Readonly<Record<string, string>> {
  // `if-range` makes the host send the whole file if the file has changed.
  return start ? { range: `bytes=${start.bytes}-`, 'if-range': start.validator } : {};
}

const redirectStatuses: ReadonlySet<number> = new Set([301, 302, 303, 307, 308]);

function createFileReader(sink: DownloadSink, { host }: URL): ResponseReader<string | undefined> {
  let location: string | undefined;
  return {
    begin(status, headers) {
      location = redirectStatuses.has(status) ? headers.location || undefined : undefined;
      if (location !== undefined) return false;
      const continues = status === 206 && isRestOfFile(headers, sink);
      if (status !== 200 && !continues) {
        throw new CliError('unavailable', `the storage host ${host} refused the download (${status})`, { status });
      }
      const fault = faultOf(headers);
      if (fault) throw new CliError('unavailable', `the storage host ${host} ${fault}`);
      const length = headers['content-length'];
      sink.begin(length === undefined ? undefined : Number(length), { validator: validatorOf(headers), continues });
      return true;
    },
    add: (chunk) => sink.take(chunk),
    complete: () => location,
  };
}

function isRestOfFile(headers: IncomingHttpHeaders, { start }: DownloadSink): boolean {
  if (!start || validatorOf(headers) !== start.validator) return false;
  return headers['content-range'] === `bytes ${start.bytes}-${start.size - 1}/${start.size}`;
}

function validatorOf({ etag, 'last-modified': lastModified }: IncomingHttpHeaders): string | undefined {
  // A weak ETag is not used, because files with the same weak ETag may differ.
  return etag?.startsWith('"') ? etag : lastModified;
}

function faultOf(headers: IncomingHttpHeaders): string | undefined {
  const coding = headers['content-encoding'] ?? 'identity';
  if (coding.toLowerCase() !== 'identity') return 'compressed the file, but compression was not requested';
  if (/^text\/html\b/i.test(headers['content-type'] ?? '')) return 'sent a web page instead of the file';
  // Without a length or chunks, the end of the file could not be told from a broken connection.
  const isEndKnown = headers['content-length'] !== undefined || /\bchunked\b/i.test(headers['transfer-encoding'] ?? '');
  return isEndKnown ? undefined : 'did not send the size of the file';
}
