import type { Redactor } from '../../contract/redactor.ts';
import { writeJson } from '../../json/write.ts';
import { createRedactor } from './redactor.ts';
import { isDumb } from './redraw.ts';
import { safeLines, safeText } from './safe-text.ts';

/** stdout or stderr of the process. Only the gate writes to it. */
export interface RawStream {
  readonly terminal: boolean;
  /** Columns of the terminal; 0 when unknown. */
  readonly width: number;
  /** For the one library that draws on it itself. */
  readonly raw: NodeJS.WritableStream;
  /** Resolves when the text was taken; a reader that went away is no error. */
  write(text: string | Uint8Array): Promise<void>;
  /** Whether the reader has gone away, as far as writing has shown that. */
  readonly gone: boolean;
}

export interface AskOptions {
  /** Nothing of what is typed is shown. */
  readonly hidden?: boolean;
  /** Aborted when the answer is no longer wanted; the question then ends with undefined. */
  readonly signal?: AbortSignal;
}

/** One line for a person; the label in front of it is ours, and may have a colour of the terminal: 31 is red. */
export type Line = string | { readonly label: string; readonly colour?: number | undefined; readonly text: string };

export interface LineStream extends Omit<RawStream, 'write'> {
  /** Each becomes one line, whatever it holds: nothing in it steers a terminal, hides or is a credential. */
  lines(lines: readonly Line[]): Promise<void>;
  /** What another program printed, as it is: only where no terminal is. */
  bytes(bytes: Uint8Array): Promise<void>;
  visible(text: string): string;
}

export interface Stderr extends LineStream {
  /** One line of JSON, whose texts are as harmless. */
  json(value: unknown): Promise<void>;
  /** An address as it is, to be opened: none of its parts is taken for a credential. */
  address(url: URL): Promise<void>;
  /** One line over the last one, on a terminal. */
  redraw(text: string): Promise<void>;
  /** A bell on a terminal, and with a text a notice outside of it where that can show one. */
  notice(text?: string): Promise<void>;
  /** Without credentials, for what is cut before it is printed. */
  redact(text: string): string;
}

export interface Stdout extends LineStream {
  /** A table or a record whose cells are visible texts: line feeds and colours stay, nothing else does. */
  drawn(text: string): Promise<void>;
  /** Drawn lines over those of the last redraw: below what was written since, or at the top of a resized terminal. */
  redraw(lines: readonly string[], isResized: boolean): Promise<void>;
  /** What was asked for, as it is; on a terminal with its controls made visible. */
  data(text: string): Promise<void>;
}

export interface SafeOutput {
  readonly out: Stdout;
  readonly err: Stderr;
  readonly ask: (question: string, options?: AskOptions) => Promise<string | undefined>;
  readonly redactor: Redactor;
}

interface OutputOptions extends Pick<SafeOutput, 'ask'> {
  readonly out: RawStream;
  readonly err: RawStream;
  readonly env: Readonly<Record<string, string | undefined>>;
}

/** Credentials that may stand in the environment; no program that we start is handed them. */
export const secretVariables = ['STACKOPS_TOKEN', 'STACKOPS_CLIENT_SECRET'] as const;

/** The one way to a person. Nothing else cleans, and nothing gets past: the streams behind it take no plain text. */
export function createOutput({ ask, env, out, err }: OutputOptions): SafeOutput {
  const redactor = createRedactor();
  const frame = createFrame();
  // What is written to a terminal ends the frame that is drawn on it.
  const writeTo = (stream: RawStream) => (text: string | Uint8Array) => {
    if (stream.terminal) frame.leave();
    return stream.write(text);
  };
  const writeOut = writeTo(out);
  const writeErr = writeTo(err);
  for (const name of secretVariables) redactor.hide(env[name] ?? '');
  return {
    redactor,
    out: Object.assign(lineStream(out, writeOut, redactor), {
      drawn: (text: string) => writeOut(text.split('\n').map(drawnLine).join('\n')),
      redraw: (lines: readonly string[], isResized: boolean) => out.write(frame.over(lines.map(drawnLine), isResized)),
      // Lines of CSV end as RFC 4180 wants them.
      data: (text: string) => writeOut(out.terminal ? text.split('\r\n').map(safeLines).join('\r\n') : text),
    }),
    err: Object.assign(lineStream(err, writeErr, redactor), {
      json: (value: unknown) => {
        // Text by text: in JSON as a whole an escape at the end of a secret would take the quote with it.
        const shown = redactedTexts(value, redactor);
        return writeErr(`${writeJson(shown, { indent: false, escapeControls: true })}\n`);
      },
      address: (url: URL) => writeErr(`${safeText(url.href)}\n`),
      redraw: (text: string) => writeErr(`\r\x1b[K${safeText(redactor.redact(text))}`),
      notice: async (text?: string) => {
        if (!err.terminal) return;
        const shown = text === undefined || isDumb(env) ? '' : noticeOf(safeText(redactor.redact(text)));
        await writeErr(`\x07${shown}`);
      },
      redact: redactor.redact,
    }),
    ask: async (question, options) => {
      const answer = await ask(safeText(redactor.redact(question)), options);
      // What is not shown while it is typed is not shown later.
      if (options?.hidden) redactor.hide(answer ?? '');
      return answer;
    },
  };
}

/** Lines that are drawn again and again on one place of a terminal. */
function createFrame() {
  let rows = 0;
  return {
    /** Text that draws these lines over those before; from the top of the terminal where its size has changed. */
    over: (lines: readonly string[], isResized: boolean) => {
      const up = rows > 0 ? `\x1b[${rows}A` : '';
      rows = lines.length;
      // A line that is too long is cut by the terminal: wrapped, it would take a row that is not counted.
      const drawn = lines.map((line) => `\x1b[K${line}\n`).join('');
      return `\x1b[?7l${isResized ? '\x1b[H' : `\r${up}`}${drawn}\x1b[J\x1b[?7h`;
    },
    /** Something else was written: the next lines go below it. */
    leave: () => {
      rows = 0;
    },
  };
}

function noticeOf(text: string): string {
  // Some terminals know OSC 9, and some OSC 777, whose fields end at a semicolon.
  const short = [...text].slice(0, 200).join('');
  return `\x1b]9;stackops ${short}\x07\x1b]777;notify;stackops;${short.replaceAll(';', ',')}\x07`;
}

function lineStream(stream: RawStream, write: RawStream['write'], { redact }: Redactor): LineStream {
  const visible = (text: string) => safeText(redact(text));
  const lineOf = (line: Line) => (typeof line === 'string' ? visible(line) : `${coloured(line)} ${visible(line.text)}`);
  return {
    get terminal() {
      return stream.terminal;
    },
    get width() {
      return stream.width;
    },
    get raw() {
      return stream.raw;
    },
    get gone() {
      return stream.gone;
    },
    visible,
    bytes: write,
    lines: async (lines) => {
      if (lines.length > 0) await write(lines.map((line) => `${lineOf(line)}\n`).join(''));
    },
  };
}

function coloured({ label, colour }: Exclude<Line, string>): string {
  // Not through chalk: the last words of a process wait for no file to load.
  return colour === undefined ? label : `\x1b[${colour}m${label}\x1b[39m`;
}

// biome-ignore lint/suspicious/noControlCharactersInRegex: the colours that themes begin and end
const colourChange = /(\x1b\[\d{1,3}m)/;

function drawnLine(line: string): string {
  if (safeText(line) === line) return line;
  const pieces = line.split(colourChange);
  return pieces.map((piece, at) => (at % 2 === 1 ? piece : safeText(piece))).join('');
}

function redactedTexts(value: unknown, redactor: Redactor): unknown {
  if (typeof value === 'string') return redactor.redact(value);
  if (typeof value !== 'object' || value === null) return value;
  if (Array.isArray(value)) return value.map((item) => redactedTexts(item, redactor));
  return Object.fromEntries(Object.entries(value).map(([name, item]) => [name, redactedTexts(item, redactor)]));
}
