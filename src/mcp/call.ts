import type { Readable } from 'node:stream';
import type { PlanHashes, ServedCall } from '../cli/app.ts';
import type { RawHost } from '../cli/host.ts';
import { isObject } from '../contract/values/json.ts';
import { maskSecretsInText } from '../contract/values/text.ts';
import { parseJsonDocument } from '../json/read.ts';
import { createBoundedBuffer } from '../programs/capture.ts';
import { type Kill, startProgram } from '../programs/start.ts';

export interface CallHost extends Pick<RawHost, 'self' | 'env' | 'platform'> {
  /** Returns the text without secrets and with control characters as escapes. */
  readonly visible: (text: string) => string;
}

interface CallControl {
  /** Aborted by the client to interrupt the call, as Ctrl-C does in a shell. */
  readonly cancelSignal: AbortSignal;
  /** Aborted when the server ends. This aborts `cancelSignal`, too. */
  readonly endSignal: AbortSignal;
  readonly progress: OnProgress | undefined;
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

export async function runCall(host: CallHost, call: ServedCall, control: CallControl): Promise<CallResult> {
  const { self, env, platform } = host;
  const { cancelSignal, endSignal, progress } = control;
  // The process of a call masks secrets of records only. Secrets in other texts, such as errors, are masked here.
  const visible = (text: string) => maskSecretsInText(host.visible(text));
  const extraEnv = { AI_AGENT: 'stackops mcp', ...(call.tool !== 'change' && { STACKOPS_READ_ONLY: '1' }) };
  const program = { commandLine: [...self, '__call'], env: { ...env, ...extraEnv }, platform };
  const { child, kill, whenExited } = await startProgram(program, ['pipe', 'pipe', 'pipe']);
  child.stdin?.on('error', () => {}).end(JSON.stringify({ ...call, tellsProgress: progress !== undefined }));
  const output = createBoundedBuffer(maxOutputBytes);
  child.stdout?.on('data', output.add);
  const whenClosed = new Promise((resolve) => child.once('close', resolve));
  const stderrRead = readStderr(child.stderr as Readable, visible, progress);
  const doneController = new AbortController();
  const stopSignal = AbortSignal.any([cancelSignal, AbortSignal.timeout(callLimitMs)]);
  // At the end of the server only SIGTERM is sent, because two signals end a call at once.
  const interrupt: Kill = (signal) => (endSignal.aborted ? undefined : kill(signal));
  killOnAbort(stopSignal, 'SIGINT', interrupt, doneController.signal);
  killOnAbort(endSignal, 'SIGTERM', kill, doneController.signal);
  const [{ code }, { plan, notes, ...ending }] = await Promise.all([whenExited, stderrRead, whenClosed]);
  doneController.abort();
  const isTruncated = output.isTruncated();
  if (isTruncated) notes.push(truncatedNote);
  const data = isTruncated ? { truncated: true as const } : await readData(output.bytes().toString('utf8'));
  return { answer: { exit_code: code, ...data, ...ending, ...(notes.length > 0 && { notes }) }, plan };
}

const truncatedNote = `the output has more than ${maxOutputBytes / 1024} KiB; use --fields, --where or --limit`;

/** Sends `signal` once `stopSignal` is aborted, and SIGKILL later. A process that has ended gets neither. */
function killOnAbort(stopSignal: AbortSignal, signal: 'SIGINT' | 'SIGTERM', kill: Kill, doneSignal: AbortSignal): void {
  const stop = () => {
    kill(signal);
    const timer = setTimeout(() => kill('SIGKILL'), graceMs[signal]).unref();
    doneSignal.addEventListener('abort', () => clearTimeout(timer), { once: true });
  };
  if (stopSignal.aborted) stop();
  else stopSignal.addEventListener('abort', stop, { once: true, signal: doneSignal });
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

async function readStderr(stream: Readable, visible: CallHost['visible'], onProgress: OnProgress | undefined) {
  const { createInterface } = await import('node:readline');
  const notes: string[] = [];
  let lastFields: StderrLine = {};
  for await (const line of createInterface({ input: stream })) {
    const { note, warning, progress, ...fields } = line === '' ? {} : parseStderrLine(line);
    if (progress !== undefined) onProgress?.(visible(progress));
    const text = note ?? (warning === undefined ? undefined : `warning: ${warning}`);
    if (text !== undefined && notes.length < maxNotes) notes.push(visible(text));
    lastFields = { ...lastFields, ...fields };
  }
  const { error, undo, plan } = lastFields;
  return { plan, notes, ...(error && { error: visibleError(error, visible) }), ...(undo && { undo: visible(undo) }) };
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
