import type { IncomingHttpHeaders } from 'node:http';
import type { Dispatcher } from 'undici';
import type { Sink } from '../../contract/exchange.ts';
import { Problem } from '../../problems/problem.ts';
import { trustAuthority } from '../../problems/repairs.ts';
import { failureOf } from './failure.ts';
import { type HttpExchange, handlerOf } from './transport-handler.ts';

export interface Delivery {
  readonly url: URL;
  readonly userAgent: string;
  readonly sink: Sink;
  readonly signal: AbortSignal;
  readonly idleTimeoutMs: number;
}

/** Reads one response into the sink; a redirect is not followed but its target returned. Throws a Problem. */
export function deliver(dispatcher: Dispatcher, delivery: Delivery): Promise<string | undefined> {
  return new Promise((resolve, reject) => {
    const { url, userAgent, sink } = delivery;
    const exchange = startExchange(delivery, { resolve, reject });
    const headers = { accept: '*/*', 'accept-encoding': 'identity', 'user-agent': userAgent, ...rangeOf(sink) };
    const path = `${url.pathname}${url.search}`;
    const request = { origin: url.origin, path, method: 'GET', reset: true, headers } as const;
    const handler = handlerOf(exchange, {
      head: (status, answered) => {
        const location = readHead({ status, headers: answered, host: url.host }, sink);
        if (location !== undefined) exchange.finish(location);
      },
      data: (chunk) => exchange.during(() => sink.take(chunk)),
    });
    if (!delivery.signal.aborted) dispatcher.dispatch(request, handler);
  });
}

type Controller = Dispatcher.DispatchController;
/** A delivery that may end early, at a redirect. */
interface DeliveryExchange extends HttpExchange {
  /** Runs the sink unless the delivery is over; the idle timeout restarts after it. */
  during(work: () => void): void;
  finish(location?: string): void;
}

interface Ends {
  readonly resolve: (location: string | undefined) => void;
  readonly reject: (problem: Problem) => void;
}

function startExchange(
  { url: { host }, signal, idleTimeoutMs }: Delivery,
  { resolve, reject }: Ends,
): DeliveryExchange {
  let controller: Controller | undefined;
  let status: number | undefined;
  let over = false;
  const end = (): boolean => {
    if (over) return false;
    over = true;
    idle.stop();
    signal.removeEventListener('abort', aborted);
    return true;
  };
  const fail = (cause: unknown): void => {
    if (!end()) return;
    reject(cause instanceof Problem ? cause : problemOf(cause, { sent: controller !== undefined, status, host }));
    controller?.abort(new Error('aborted'));
  };
  const aborted = (): void => fail(new Problem('interrupted', 'interrupted'));
  const silent = (): void => fail(new Problem('unavailable', `${host} sent nothing for ${idleTimeoutMs / 1000} s`));
  const idle = idleClock(idleTimeoutMs, silent);
  signal.addEventListener('abort', aborted, { once: true });
  if (signal.aborted) queueMicrotask(aborted);
  return {
    start(started) {
      // A second start would send the request twice, and a late one would send an aborted request.
      if (over || controller) return started.abort(new Error('not started again'));
      controller = started;
    },
    headersCame(code) {
      status = code;
      if (!over) idle.restart();
    },
    during(work) {
      if (over) return;
      work();
      if (!over) idle.restart();
    },
    finish: (location) => void (end() && resolve(location)),
    fail,
  };
}

interface Head {
  readonly status: number;
  readonly headers: IncomingHttpHeaders;
  readonly host: string;
}

const redirects: ReadonlySet<number> = new Set([301, 302, 303, 307, 308]);

/** With `if-range` a host whose file has changed sends the whole new file. */
function rangeOf({ start }: Sink): Readonly<Record<string, string>> {
  return start ? { range: `bytes=${start.bytes}-`, 'if-range': start.validator } : {};
}

/** The redirect location, or undefined when the file follows; then the sink has begun. */
function readHead(head: Head, sink: Sink): string | undefined {
  const { status, headers, host } = head;
  if (redirects.has(status) && headers.location) return headers.location;
  const continues = status === 206 && isRest(headers, sink);
  if (status !== 200 && !continues) {
    throw new Problem('unavailable', `the storage host ${host} refused the download (${status})`, { status });
  }
  const fault = faultOf(headers);
  if (fault) throw new Problem('unavailable', `the storage host ${host} ${fault}`);
  const length = headers['content-length'];
  sink.begin(length === undefined ? undefined : Number(length), { validator: validatorOf(headers), continues });
  return undefined;
}

/** Exactly the requested range of the same file. */
function isRest(headers: IncomingHttpHeaders, { start }: Sink): boolean {
  if (!start || validatorOf(headers) !== start.validator) return false;
  return headers['content-range'] === `bytes ${start.bytes}-${start.size - 1}/${start.size}`;
}

/** A weak ETag is no proof that two files have the same bytes. */
function validatorOf({ etag, 'last-modified': lastModified }: IncomingHttpHeaders): string | undefined {
  return etag?.startsWith('"') ? etag : lastModified;
}

function faultOf(headers: IncomingHttpHeaders): string | undefined {
  const coding = headers['content-encoding'] ?? 'identity';
  if (coding.toLowerCase() !== 'identity') return 'compressed the file, but compression was not requested';
  if (/^text\/html\b/i.test(headers['content-type'] ?? '')) return 'sent a web page instead of the file';
  // Without a length a complete file looks like a broken connection.
  const ends = headers['content-length'] !== undefined || /\bchunked\b/i.test(headers['transfer-encoding'] ?? '');
  return ends ? undefined : 'did not send the size of the file';
}

function problemOf(cause: unknown, context: Parameters<typeof failureOf>[1]): Problem {
  const failure = failureOf(cause, context);
  const hint = failure.reason === 'certificate' ? { hint: trustAuthority } : {};
  return new Problem('unavailable', failure.message, hint);
}

interface IdleClock {
  restart(): void;
  stop(): void;
}

/** undici's own timeouts are off; this one does not run while the sink writes to disk. */
function idleClock(ms: number, expired: () => void): IdleClock {
  let timer: NodeJS.Timeout | undefined;
  const stop = (): void => clearTimeout(timer);
  const restart = (): void => {
    stop();
    timer = setTimeout(expired, ms);
  };
  restart();
  return { restart, stop };
}
