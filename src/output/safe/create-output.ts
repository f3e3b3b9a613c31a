import type { Redactor } from '../../contract/host.ts';
import { mapTexts } from '../../contract/values/json.ts';
import { writeJson } from '../../json/write.ts';
import { messageLines } from '../table/cell-width.ts';
import { createRedactor } from './redactor.ts';
import { safeLines, safeText } from './safe-text.ts';

/** stdout or stderr of the process. Only `createOutput` writes to it. */
export interface RawStream {
  readonly terminal: boolean;
  /** Columns of the terminal; 0 when unknown. */
  readonly width: number;
  /** For ora, which draws on the stream itself. */
  readonly raw: NodeJS.WritableStream;
  /** Resolves when the text is written; a closed pipe is no error. */
  write(text: string | Uint8Array): Promise<void>;
  /** True once a write has shown that the reader is gone. */
  readonly gone: boolean;
}

export interface AskOptions {
  /** The input is not echoed. */
  readonly hidden?: boolean;
  /** Aborted when the answer is no longer needed; the question then returns undefined. */
  readonly signal?: AbortSignal;
}

/** One line of output. A label is our own text and may have an ANSI colour: 31 is red. */
export type Line = string | LabelledLine;

interface LabelledLine {
  readonly label: string;
  readonly colour?: number | undefined;
  readonly text: string;
  /** Output of another program, which is not broken into lines. */
  readonly isRelayed?: true;
}

export interface LineStream extends Omit<RawStream, 'write'> {
  /** Prints each text as one line, cleaned and redacted. */
  lines(lines: readonly Line[]): Promise<void>;
  /** Prints the output of another program unchanged, except on a terminal. */
  bytes(bytes: Uint8Array): Promise<void>;
  visible(text: string): string;
}

export interface Stderr extends LineStream {
  /** One line of JSON with cleaned and redacted texts. */
  json(value: unknown): Promise<void>;
  /** An address to open, unredacted: no part of it is a credential. */
  address(url: URL): Promise<void>;
  /** Replaces the last line of a terminal. */
  redraw(text: string): Promise<void>;
  /** Rings the bell of a terminal; with a text also a desktop notification if the terminal supports it. */
  notice(text?: string): Promise<void>;
  /** Removes credentials from text that is cut before it is printed. */
  redact(text: string): string;
}

export interface Stdout extends LineStream {
  /** A table or a record of visible cells: line feeds and colours are printed, other controls are escaped. */
  drawn(text: string): Promise<void>;
  /** Replaces the lines of the last redraw: below later output, or at the top of a resized terminal. */
  redraw(lines: readonly string[], isResized: boolean): Promise<void>;
  /** The requested data unchanged; on a terminal its control characters are escaped. */
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

/** Environment variables with credentials; programs that we start do not inherit them. */
export const secretVariables = ['STACKOPS_TOKEN', 'STACKOPS_CLIENT_SECRET'] as const;

/** Creates the only output of the program: it cleans and redacts all text, and no other code writes to the streams. */
export function createOutput({ ask, env, out, err }: OutputOptions): SafeOutput {
  const redactor = createRedactor();
  const frame = createFrame();
  // A write to a terminal ends the frame that is drawn there.
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
      // CSV lines end with CRLF (RFC 4180).
      data: (text: string) => writeOut(out.terminal ? text.split('\r\n').map(safeLines).join('\r\n') : text),
    }),
    err: Object.assign(lineStream(err, writeErr, redactor, { breaks: true }), {
      json: (value: unknown) => {
        // Each text by itself: redacting the serialized JSON could remove the quote after a secret that ends with an
        // escape.
        const redacted = mapTexts(value, redactor.redact);
        return writeErr(`${writeJson(redacted, { indent: false, escapeControls: true })}\n`);
      },
      address: (url: URL) => writeErr(`${safeText(url.href)}\n`),
      redraw: (text: string) => writeErr(`\r\x1b[K${safeText(redactor.redact(text))}`),
      notice: async (text?: string) => {
        if (!err.terminal) return;
        const redacted = text === undefined || isDumb(env) ? '' : noticeOf(safeText(redactor.redact(text)));
        await writeErr(`\x07${redacted}`);
      },
      redact: redactor.redact,
    }),
    ask: async (question, options) => {
      const answer = await ask(safeText(redactor.redact(question)), options);
      // Hidden input is a secret.
      if (options?.hidden) redactor.hide(answer ?? '');
      return answer;
    },
  };
}

function createFrame() {
  let rows = 0;
  return {
    /** Escape sequences and text to redraw these lines, from the top of the terminal if its size has changed. */
    over: (lines: readonly string[], isResized: boolean) => {
      const up = rows > 0 ? `\x1b[${rows}A` : '';
      rows = lines.length;
      // The terminal must cut a long line: a wrapped one would use a row that is not counted.
      const drawn = lines.map((line) => `\x1b[K${line}\n`).join('');
      return `\x1b[?7l${isResized ? '\x1b[H' : `\r${up}`}${drawn}\x1b[J\x1b[?7h`;
    },
    /** After other output the next lines are drawn below it. */
    leave: () => {
      rows = 0;
    },
  };
}

function noticeOf(text: string): string {
  // Some terminals know OSC 9, others OSC 777, whose fields end at a semicolon.
  const short = [...text].slice(0, 200).join('');
  return `\x1b]9;stackops ${short}\x07\x1b]777;notify;stackops;${short.replaceAll(';', ',')}\x07`;
}

function lineStream(
  stream: RawStream,
  write: RawStream['write'],
  { redact }: Redactor,
  { breaks = false } = {},
): LineStream {
  const visible = (text: string) => safeText(redact(text));
  const broken = (text: string, indent?: number) => {
    const width = breaks && stream.terminal ? stream.width : 0;
    return width > 0 ? messageLines(text, width, indent).join('\n') : text;
  };
  const lineOf = (line: Line) => {
    if (typeof line === 'string') return indentedLine(visible(line), broken);
    const text = visible(line.text);
    return `${coloured(line)} ${line.isRelayed ? text : broken(text, line.label.length + 1)}`;
  };
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

/** Text below a label is indented as it is; other lines continue two columns further right. */
function indentedLine(line: string, broken: (text: string, indent?: number) => string): string {
  const text = line.trimStart();
  const indent = line.length - text.length;
  return indent === 0 ? broken(text) : ' '.repeat(indent) + broken(text, indent);
}

function coloured({ label, colour }: LabelledLine): string {
  // Without chalk: the last messages of a process cannot wait for a file to load.
  return colour === undefined ? label : `\x1b[${colour}m${label}\x1b[39m`;
}

// biome-ignore lint/suspicious/noControlCharactersInRegex: the colours that themes begin and end
const colourChange = /(\x1b\[\d{1,3}m)/;

function drawnLine(line: string): string {
  if (safeText(line) === line) return line;
  const pieces = line.split(colourChange);
  return pieces.map((piece, at) => (at % 2 === 1 ? piece : safeText(piece))).join('');
}

type Env = Readonly<Record<string, string | undefined>>;

/** True if a terminal with these variables shows escape sequences as text. Windows sets no TERM. */
export function isDumb(env: Env): boolean {
  const { TERM: name, OS: system } = env;
  return name === 'dumb' || (!name && system !== 'Windows_NT');
}

/** The width of a spinner and one letter. */
const leastWidth = 4;

/** True if a line can be redrawn. In CI a terminal is only a log. */
export function canRedraw({ terminal, width }: { terminal: boolean; width: number }, env: Env): boolean {
  return terminal && width >= leastWidth && !isDumb(env) && !env['CI'];
}
