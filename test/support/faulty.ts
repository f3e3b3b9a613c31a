import { createServer, type IncomingMessage, type ServerResponse } from 'node:http';
import type { AddressInfo } from 'node:net';
import { onTestFinished } from 'vitest';
import { type AnswerOptions, answerRequest } from '../../src/sandbox/answer.ts';
import { readRequest } from '../../src/sandbox/server/call.ts';
import { wellKnownTokens } from '../../src/sandbox/tokens.ts';
import { freshState, ownBehaviour, startSandbox } from './sandbox.ts';

/**
 * What befalls the first change that arrives: it is answered or refused, the service breaks before it, or carries it out
 * and is cut off, or carries it out and never answers.
 */
export type AnswerMode = 'answer' | 'refuse' | 'break' | 'cut' | 'hang';

export interface Watcher {
  /** Changes that are answered before the fault. */
  readonly passes?: number;
  /** A read has arrived and is not answered yet; 0 before the first change, then counted from 1. */
  readonly onRead?: (after: number) => void;
  /** The first change has arrived and is not answered yet. */
  readonly onChange?: () => void;
  /** The first change was carried out, and nothing will be answered. */
  readonly onHang?: () => void;
  /** Replaces the reply of each read after the first change. */
  readonly afterChange?: (text: string) => string;
}

/** What a faulty service has seen, and the clock it goes by. */
export class Seen {
  /** Changes that arrived: `PUT /stacks/…`. */
  readonly changes: string[] = [];
  readsBefore = 0;
  readsAfter = 0;
  /** Milliseconds since 1970; moved by whoever sleeps. */
  nowMs = Date.parse('2026-05-04T12:00:00Z');

  sleep(ms: number): void {
    this.nowMs += ms;
  }
}

export interface FaultyService {
  readonly env: Readonly<Record<string, string>>;
  /** The sandbox without the proxy, for what must have happened before. */
  readonly direct: Readonly<Record<string, string>>;
  readonly seen: Seen;
  close(): Promise<void>;
}

/** A sandbox behind a proxy that passes everything on but the first change. */
async function startFaulty(mode: AnswerMode, watcher: Watcher = {}): Promise<FaultyService> {
  const seen = new Seen();
  const now = () => new Date(seen.nowMs);
  const state = freshState();
  const sandbox = await startSandbox({ now, state });
  const proxy = createServer((request, response) => {
    const meets = arrive(request, seen, watcher) ? mode : 'answer';
    const stage = { ...ownBehaviour, state, now: now(), speed: 1, storage: '', tokens: wellKnownTokens };
    const isAfter = request.method === 'GET' && seen.changes.length > 0;
    void pass(request, response, { meets, stage, isAfter, ...watcher }).catch(() => response.destroy());
  });
  await new Promise<void>((resolve) => proxy.listen(0, '127.0.0.1', resolve));
  const { port } = proxy.address() as AddressInfo;
  return {
    env: { STACKOPS_BASE_URL: `http://127.0.0.1:${port}/api/3`, STACKOPS_TOKEN: sandbox.token },
    direct: sandbox.env,
    seen,
    close: async () => {
      proxy.closeAllConnections();
      proxy.close();
      await sandbox.close();
    },
  };
}

/** The same, closed with the test. */
export async function faultyService(mode: AnswerMode, watcher?: Watcher): Promise<FaultyService> {
  const service = await startFaulty(mode, watcher);
  onTestFinished(() => service.close());
  return service;
}

/** Takes note of a request; true for the first change. */
function arrive(
  { method = '', url = '' }: IncomingMessage,
  seen: Seen,
  { onRead, onChange, passes = 0 }: Watcher,
): boolean {
  if (method === 'GET') {
    const isBefore = seen.changes.length === 0;
    if (isBefore) seen.readsBefore += 1;
    else seen.readsAfter += 1;
    onRead?.(seen.readsAfter);
    return false;
  }
  seen.changes.push(`${method} ${url.replace('/api/3', '')}`);
  if (seen.changes.length !== passes + 1) return false;
  onChange?.();
  return true;
}

interface Passing extends Watcher {
  readonly meets: AnswerMode;
  readonly stage: AnswerOptions;
  /** True for a read after the first change. */
  readonly isAfter: boolean;
}

async function pass(
  request: IncomingMessage,
  response: ServerResponse,
  { meets, stage, isAfter, onHang, afterChange = (text) => text }: Passing,
): Promise<void> {
  if (meets === 'refuse') return answer(response, 422, '{"error":"x","details":"not like this"}');
  if (meets === 'break') return answer(response, 503, '{"error":"x","details":"out of order"}');
  const call = await readRequest(request);
  if (!call) return answer(response, 413, '');
  const reply = answerRequest(call, stage);
  if (meets === 'cut') response.destroy();
  if (meets === 'hang') onHang?.();
  if (meets === 'answer') answer(response, reply.status, isAfter ? afterChange(reply.text) : reply.text);
}

function answer(response: ServerResponse, status: number, text: string): void {
  response.writeHead(status, { 'content-type': 'application/json', 'content-length': Buffer.byteLength(text) });
  response.end(text);
}
