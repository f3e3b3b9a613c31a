import type { Readable } from 'node:stream';
import { setTimeout as pause } from 'node:timers/promises';
import type { PlanHashes, ServedCall } from '../cli/app.ts';
import { isObject } from '../contract/values/json.ts';
import { maskSecretsInText } from '../contract/values/text.ts';
import { parseJsonDocument } from '../json/read.ts';
import { createBoundedBuffer } from '../programs/capture.ts';
import { type Environment, type Kill, startProgram } from '../programs/start.ts';

/** The parts of the server's process that its calls need. */
export interface CallHost {
  /** The command line that starts stackops again, without its arguments. */
  readonly self: readonly string[];
  readonly env: Environment;
  readonly platform: string;
  /** Returns the text without secrets and with control characters as escapes. */
  readonly visible: (text: string) => string;
  readonly endSignal: AbortSignal;
}

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
  /** The plan that the process of the call reported; undefined if it reported none. */
  readonly plan: PlanHashes | undefined;
}

const maxOutputBytes = 256 * 1024;
/** Time limit of a call: longer than the longest wait of a command, so that the command ends first. */
const callLimitMs = 630_000;
const graceMs = { SIGINT: 5_000, SIGTERM: 1_800 };

type OnProgress = (line: string) => void;

/** Runs one call in a process of its own. `cancelSignal` interrupts that process, as Ctrl-C does in a shell. */
export async function runCall(
  { self, env, platform, endSignal, ...host }: CallHost,
  call: ServedCall,
  { cancelSignal, progress }: { readonly cancelSignal: AbortSignal; readonly progress: OnProgress | undefined },
): Promise<CallResult> {
  // The process of a call masks secrets of records only. Secrets in other texts, such as errors, are masked here.
  const visible = (text: string) => maskSecretsInText(host.visible(text));
  const extraEnv = { AI_AGENT: 'stackops mcp', ...(call.tool !== 'change' && { STACKOPS_READ_ONLY: '1' }) };
  const program = { commandLine: [...self, '__call'], env: { ...env, ...extraEnv }, platform };
  const { child, kill, exited } = await startProgram(program, ['pipe', 'pipe', 'pipe']);
  child.stdin?.on('error', () => {}).end(JSON.stringify({ ...call, tellsProgress: progress !== undefined }));
  const output = createBoundedBuffer(maxOutputBytes);
  child.stdout?.on('data', output.add);
  const collector = createStderrCollector(visible, progress);
  const linesRead = child.stderr === null ? undefined : eachLine(child.stderr, collector.take);
  const childClosed = new Promise((resolve) => child.once('close', resolve));
  const doneControl = new AbortController();
  const timeLimitSignal = AbortSignal.timeout(callLimitMs);
  // The end of the server aborts `cancelSignal`, too. Then only SIGTERM is sent: two signals end a call at once.
  const interrupt: Kill = (signal) => (endSignal.aborted ? undefined : kill(signal));
  void endOn(AbortSignal.any([cancelSignal, timeLimitSignal]), 'SIGINT', { kill: interrupt, done: doneControl.signal });
  void endOn(endSignal, 'SIGTERM', { kill, done: doneControl.signal });
  const { code } = await exited;
  await Promise.all([childClosed, linesRead]);
  doneControl.abort();
  const { plan, notes, ...ending } = collector.all();
  const isTruncated = output.isTruncated();
  const data = isTruncated ? { truncated: true as const } : await readData(output.bytes().toString('utf8'));
  const allNotes = isTruncated ? [...notes, truncatedNote] : notes;
  return { answer: { exit_code: code, ...data, ...ending, ...(allNotes.length > 0 && { notes: allNotes }) }, plan };
}

const truncatedNote = `the output has more than ${maxOutputBytes / 1024} KiB; use --fields, --where or --limit`;

async function endOn(
  stopSignal: AbortSignal,
  signal: keyof typeof graceMs,
  { kill, done }: { readonly kill: Kill; readonly done: AbortSignal },
): Promise<void> {
  const stopped = new Promise((resolve) => stopSignal.addEventListener('abort', resolve, { once: true, signal: done }));
  if (!stopSignal.aborted) await stopped;
  kill(signal);
  await pause(graceMs[signal], undefined, { signal: done, ref: false }).then(
    () => kill('SIGKILL'),
    () => undefined,
  );
}

/** Matches a JSON string. An unclosed one reaches to the end of the text, so that the search stays linear. */
const jsonStringPattern = /"[^"\\]*(?:\\[\s\S]?[^"\\]*)*(?:"|$)/g;

async function readData(text: string): Promise<Pick<ToolAnswer, 'data'>> {
  if (text.trim() === '') return {};
  try {
    return { data: (await parseJsonDocument(text.replaceAll(jsonStringPattern, maskSecretsInText))).value };
  } catch {
    return { data: maskSecretsInText(text) };
  }
}

/** A line that a call writes on stderr: a JSON object with some of these fields. */
interface StderrLine {
  readonly note?: string;
  readonly warning?: string;
  readonly progress?: string;
  readonly undo?: string;
  readonly error?: object;
  readonly plan?: PlanHashes;
}

const maxNotes = 100;

function createStderrCollector(visible: CallHost['visible'], progress: OnProgress | undefined) {
  const notes: string[] = [];
  let finalFields: StderrLine = {};
  return {
    take: (line: string) => {
      const { note, warning, progress: progressText, ...otherFields } = parseStderrLine(line);
      if (progressText !== undefined) progress?.(visible(progressText));
      const text = note ?? (warning === undefined ? undefined : `warning: ${warning}`);
      if (text !== undefined && notes.length < maxNotes) notes.push(visible(text));
      finalFields = { ...finalFields, ...otherFields };
    },
    all: () => {
      const { error, undo, plan } = finalFields;
      const ending = { ...(error && { error: visibleError(error, visible) }), ...(undo && { undo: visible(undo) }) };
      return { plan, notes, ...ending };
    },
  };
}

function parseStderrLine(line: string): StderrLine {
  try {
    const value: unknown = JSON.parse(line);
    if (isObject(value)) return value;
  } catch {
    // A program that the profile names has written this line, which is no JSON. So the line becomes a note.
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
