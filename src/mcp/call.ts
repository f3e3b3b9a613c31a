import type { Readable } from 'node:stream';
import { setTimeout as pause } from 'node:timers/promises';
import type { ServedCall, ShownPlan } from '../cli/app.ts';
import { isObject } from '../contract/values/json.ts';
import { withoutLogins } from '../contract/values/text.ts';
import { readDocument } from '../json/read.ts';
import { keepFirstBytes } from '../programs/capture.ts';
import { type Environment, type Kill, startProgram } from '../programs/start.ts';

/** The process of the server, for the processes of its calls. */
export interface CallHost {
  /** The words that start this program again. */
  readonly self: readonly string[];
  readonly env: Environment;
  readonly platform: string;
  /** Text for people, redacted, with controls as escapes. */
  readonly visible: (text: string) => string;
  /** Aborted at the end of the server. */
  readonly ended: AbortSignal;
}

/** The result of a tool. */
export interface ToolAnswer {
  readonly exit_code: number;
  readonly data?: unknown;
  readonly error?: Readonly<Record<string, unknown>> | undefined;
  readonly notes?: readonly string[] | undefined;
  readonly undo?: string | undefined;
  readonly truncated?: true;
}

export interface CallResult {
  readonly answer: ToolAnswer;
  /** Set after a plan that succeeded. */
  readonly plan: ShownPlan | undefined;
}

const mostBytes = 256 * 1024;
/** Longer than the wait that the command itself limits. */
const limitMs = 630_000;
const graceMs = { SIGINT: 5_000, SIGTERM: 1_800 };

type Tell = (line: string) => void;

/** Runs one call in a process of its own; `cancelled` ends its waiting, as Ctrl-C does in a shell. */
export async function runCall(
  { self, env, platform, ended, ...host }: CallHost,
  call: ServedCall,
  { cancelled, progress }: { readonly cancelled: AbortSignal; readonly progress: Tell | undefined },
): Promise<CallResult> {
  // The call masks records; requests of a plan, errors and the words of other programs are no records.
  const visible = (text: string) => withoutLogins(host.visible(text));
  const more = { AI_AGENT: 'stackops mcp', ...(call.tool !== 'change' && { STACKOPS_READ_ONLY: '1' }) };
  const program = { commandLine: [...self, '__call'], env: { ...env, ...more }, platform };
  const { child, kill, exited } = await startProgram(program, ['pipe', 'pipe', 'pipe']);
  child.stdin?.on('error', () => {}).end(JSON.stringify({ ...call, tellsProgress: progress !== undefined }));
  const out = keepFirstBytes(mostBytes);
  child.stdout?.on('data', out.add);
  const said = collector(visible, progress);
  const lines = child.stderr === null ? undefined : eachLine(child.stderr, said.take);
  const closed = new Promise((resolve) => child.once('close', resolve));
  const done = new AbortController();
  const late = AbortSignal.timeout(limitMs);
  // At the end of the server every request is cancelled, too; a second signal would end the call at once.
  const interrupt: Kill = (signal) => (ended.aborted ? undefined : kill(signal));
  void endOn(AbortSignal.any([cancelled, late]), 'SIGINT', { kill: interrupt, done: done.signal });
  void endOn(ended, 'SIGTERM', { kill, done: done.signal });
  const { code } = await exited;
  await Promise.all([closed, lines]);
  done.abort();
  const { plan, notes, ...ending } = said.all();
  const isCut = out.isTruncated();
  const data = isCut ? { truncated: true as const } : await dataOf(out.kept().toString('utf8'));
  const all = isCut ? [...notes, tooMuch] : notes;
  return { answer: { exit_code: code, ...data, ...ending, ...(all.length > 0 && { notes: all }) }, plan };
}

const tooMuch = `the output has more than ${mostBytes / 1024} KiB; use --fields, --where or --limit`;

async function endOn(
  stop: AbortSignal,
  signal: keyof typeof graceMs,
  { kill, done }: { readonly kill: Kill; readonly done: AbortSignal },
): Promise<void> {
  const stopped = new Promise((resolve) => stop.addEventListener('abort', resolve, { once: true, signal: done }));
  if (!stop.aborted) await stopped;
  kill(signal);
  await pause(graceMs[signal], undefined, { signal: done, ref: false }).then(
    () => kill('SIGKILL'),
    () => undefined,
  );
}

/** JSON strings. An unclosed string reaches to the end of the text, so that the search stays linear. */
const strings = /"[^"\\]*(?:\\[\s\S]?[^"\\]*)*(?:"|$)/g;

async function dataOf(text: string): Promise<Pick<ToolAnswer, 'data'>> {
  if (text.trim() === '') return {};
  try {
    return { data: (await readDocument(text.replaceAll(strings, withoutLogins))).value };
  } catch {
    return { data: withoutLogins(text) };
  }
}

/** The objects that a call writes on stderr, one on a line. */
interface Said {
  readonly note?: string;
  readonly warning?: string;
  readonly progress?: string;
  readonly undo?: string;
  readonly error?: object;
  readonly plan?: ShownPlan;
}

const mostNotes = 100;

function collector(visible: CallHost['visible'], progress: Tell | undefined) {
  const notes: string[] = [];
  let last: Said = {};
  return {
    take: (line: string) => {
      const { note, warning, progress: status, ...more } = saidIn(line);
      if (status !== undefined) progress?.(visible(status));
      const text = note ?? (warning === undefined ? undefined : `warning: ${warning}`);
      if (text !== undefined && notes.length < mostNotes) notes.push(visible(text));
      last = { ...last, ...more };
    },
    all: () => {
      const { error, undo, plan } = last;
      const ending = { ...(error && { error: visibleError(error, visible) }), ...(undo && { undo: visible(undo) }) };
      return { plan, notes, ...ending };
    },
  };
}

function saidIn(line: string): Said {
  try {
    const value: unknown = JSON.parse(line);
    if (isObject(value)) return value;
  } catch {
    // Text of a program that the profile names.
  }
  return { note: line };
}

function visibleError(error: object, visible: CallHost['visible']): ToolAnswer['error'] {
  const entries = Object.entries(error).filter(([, value]) => value !== null);
  return Object.fromEntries(entries.map(([key, value]) => [key, typeof value === 'string' ? visible(value) : value]));
}

async function eachLine(stream: Readable, take: (line: string) => void): Promise<void> {
  const { createInterface } = await import('node:readline');
  for await (const line of createInterface({ input: stream })) if (line !== '') take(line);
}
