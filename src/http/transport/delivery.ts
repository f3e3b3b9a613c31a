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

/** Reads one answer into the sink; a redirect is not followed but its target returned. Throws a Problem. */
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
/** A delivery may end early, at a redirect. */
interface DeliveryExchange extends HttpExchange {
  /** Lets the sink work, unless it is over; silence is counted from its end. */
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
    controller?.abort(new Error('given up'));
  };
  const aborted = (): void => fail(new Problem('interrupted', 'interrupted'));
  const silent = (): void => fail(new Problem('unavailable', `${host} sent nothing for ${idleTimeoutMs / 1000} s`));
  const idle = idleClock(idleTimeoutMs, silent);
  signal.addEventListener('abort', aborted, { once: true });
  if (signal.aborted) queueMicrotask(aborted);
  return {
    start(started) {
      // A second start would be a repeat, a late one what was already given up.
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

/** `if-range` makes a host that has another file by now send the whole of it. */
function rangeOf({ start }: Sink): Readonly<Record<string, string>> {
  return start ? { range: `bytes=${start.bytes}-`, 'if-range': start.validator } : {};
}

/** Where the host points to, or undefined when the file itself follows, which the sink then knows. */
function readHead(head: Head, sink: Sink): string | undefined {
  const { status, headers, host } = head;
  if (redirects.has(status) && headers.location) return headers.location;
  const continues = status === 206 && isRest(headers, sink);
  if (status !== 200 && !continues) {
    throw new Problem('unavailable', `the storage host ${host} does not give the file (${status})`, { status });
  }
  const fault = faultOf(headers);
  if (fault) throw new Problem('unavailable', `the storage host ${host} ${fault}`);
  const length = headers['content-length'];
  sink.begin(length === undefined ? undefined : Number(length), { validator: validatorOf(headers), continues });
  return undefined;
}

/** Exactly what was asked for, of the same file. */
function isRest(headers: IncomingHttpHeaders, { start }: Sink): boolean {
  if (!start || validatorOf(headers) !== start.validator) return false;
  return headers['content-range'] === `bytes ${start.bytes}-${start.size - 1}/${start.size}`;
}

/** A weak ETag says that two files mean the same, not that they are the same. */
function validatorOf({ etag, 'last-modified': lastModified }: IncomingHttpHeaders): string | undefined {
  return etag?.startsWith('"') ? etag : lastModified;
}

function faultOf(headers: IncomingHttpHeaders): string | undefined {
  const coding = headers['content-encoding'] ?? 'identity';
  if (coding.toLowerCase() !== 'identity') return 'compresses the file, which was not asked for';
  if (/^text\/html\b/i.test(headers['content-type'] ?? '')) return 'answers with a web page instead of the file';
  // The end of such a file would look like a broken connection.
  const ends = headers['content-length'] !== undefined || /\bchunked\b/i.test(headers['transfer-encoding'] ?? '');
  return ends ? undefined : 'does not say where the file ends';
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

/** undici's own clocks are off; this one stands still while the disk is what we wait for. */
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
