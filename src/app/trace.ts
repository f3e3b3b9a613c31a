import type { TraceEvent } from '../http/trace.ts';

/** One line of `--verbose`: method, path, result, time and rate limit; no query, body or other headers. */
export function traceLine(event: TraceEvent): string {
  if (event.kind === 'retry') return `* retrying in ${Math.round(event.delayMs)} ms: ${event.reason}`;
  const place = `${event.method} ${event.path}`;
  const time = `${Math.round(event.ms)} ms`;
  const id = event.requestId ? `, request ${event.requestId}` : '';
  const limits = event.kind === 'response' ? event.limits.map((limit) => `, ${limit}`).join('') : '';
  if (event.kind === 'response') return `* ${place} -> ${event.status}, ${time}, ${event.bytes} bytes${id}${limits}`;
  return `* ${place} -> no response (${event.reason}, ${event.sent ? 'sent' : 'not sent'}), ${time}${id}`;
}
