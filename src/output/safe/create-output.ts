import type { Ask } from '../../contract/command.ts';
import type { Environment, Redactor } from '../../contract/host.ts';
import { mapTexts } from '../../contract/values/json.ts';
import { writeJson } from '../../json/write.ts';
import { messageLines } from '../table/cell-width.ts';
import { createRedactor } from './redactor.ts';
import { safeLines, safeText } from './safe-text.ts';

/** stdout or stderr of the process. Only `createOutput` writes to it. */
export interface RawStream {
  readonly terminal: boolean;
  /** Columns of the terminal; 0 if unknown. */
  readonly width: number;
  /** The underlying Node stream, on which ora draws. */
  readonly raw: NodeJS.WritableStream;
  /** Writes a text. The promise resolves when the text is written, and also if the reader has closed the pipe. */
  write(text: string | Uint8Array): Promise<void>;
  /** True once a write has failed because the reader has closed the pipe. */
  readonly isClosed: boolean;
}

/** One line of output. Its label is our own text, and `colour` is the label's ANSI colour, such as 31 for red. */
export type Line = string | LabelledLine;

interface LabelledLine {
  readonly label: string;
  readonly colour?: number | undefined;
  readonly text: string;
  /** True for the output of another program, which is not broken into lines. */
  readonly isRelayed?: true;
}

interface LineStream extends Omit<RawStream, 'write'> {
  /** Prints each text as one line, cleaned and redacted. */
  lines(lines: readonly Line[]): Promise<void>;
  /** Prints the output of another program unchanged, except on a terminal. */
  bytes(bytes: Uint8Array): Promise<void>;
  visible(text: string): string;
}

export interface Stderr extends LineStream {
  /** Prints one line of JSON with cleaned and redacted texts. */
  json(value: unknown): Promise<void>;
  /** Prints an address that the user should open. The address is not redacted, because it contains no credential. */
  address(url: URL): Promise<void>;
  /** Replaces the last line of a terminal. */
  redraw(text: string): Promise<void>;
  /** Rings the bell of a terminal. With a text, also shows a desktop notification if the terminal supports it. */
  notice(text?: string): Promise<void>;
  /** Removes credentials from a text. Needed before a text is cut, because part of a credential is not recognized. */
  redact(text: string): string;
}

export interface Stdout extends LineStream {
  /** Prints a drawn table or record. Line feeds and colours are printed, and other control characters are escaped. */
  drawn(text: string): Promise<void>;
  /** Draws lines over those of the last call. After other output draws below it; after a resize, from the top. */
  redraw(lines: readonly string[], isResized: boolean): Promise<void>;
  /** Prints data unchanged, except that on a terminal its control characters are escaped. */
  data(text: string): Promise<void>;
}

export interface SafeOutput {
  readonly out: Stdout;
  readonly err: Stderr;
  readonly ask: Ask;
  readonly redactor: Redactor;
}

interface OutputOptions extends Pick<SafeOutput, 'ask'> {
  readonly out: RawStream;
  readonly err: RawStream;
  readonly env: Environment;
}

/** Environment variables that hold credentials. Programs that we start do not inherit them. */
export const secretVariables = ['STACKOPS_TOKEN', 'STACKOPS_CLIENT_SECRET'] as const;

/** Creates the output of the program, which cleans and redacts text. No other code writes to stdout and stderr. */
export function createOutput({ ask, env, out, err }: OutputOptions): SafeOutput {
  const redactor = createRedactor();
  const visible = (text: string) => safeText(redactor.redact(text));
  const frame = createFrame();
  // After any other write to a terminal, the next frame must not be drawn over the last frame.
  const writeTo = (stream: RawStream) => (text: string | Uint8Array) => {
    if (stream.terminal) frame.leave();
    return stream.write(text);
  };
  const writeOut = writeTo(out);
  const writeErr = writeTo(err);
  for (const name of secretVariables) redactor.hide(env[name] ?? '');
  return {
    redactor,
    out: Object.assign(createLineStream(out, writeOut, visible, false), {
      drawn: (text: string) => writeOut(text.split('\n').map(safeLine).join('\n')),
      redraw: (lines: readonly string[], isResized: boolean) => out.write(frame.draw(lines.map(safeLine), isResized)),
      // CSV lines end with CRLF (RFC 4180), which is not escaped.
      data: (text: string) => writeOut(out.terminal ? text.split('\r\n').map(safeLines).join('\r\n') : text),
    }),
    err: Object.assign(createLineStream(err, writeErr, visible, true), {
      json: (value: unknown) => {
        // Redacted before it becomes JSON, where the quote after a secret that ends with an escape could be masked too.
        const redacted = mapTexts(value, redactor.redact);
        return writeErr(`${writeJson(redacted, { escapeControls: true })}\n`);
      },
      address: (url: URL) => writeErr(`${safeText(url.href)}\n`),
      redraw: (text: string) => writeErr(`\r\x1b[K${visible(text)}`),
      notice: async (text?: string) => {
        if (!err.terminal) return;
        const notification = text === undefined || isDumbTerminal(env) ? '' : noticeSequence(visible(text));
        await writeErr(`\x07${notification}`);
      },
      redact: redactor.redact,
    }),
    ask: async (question, options) => {
      const answer = await ask(visible(question), options);
      // Hidden input is a secret, so it is redacted from now on.
      if (options?.isHidden) redactor.hide(answer ?? '');
      return answer;
    },
  };
}

function createFrame() {
  let drawnRowCount = 0;
  return {
    /** Returns the text that redraws these lines, from the top of the terminal if its size has changed. */
    draw: (lines: readonly string[], isResized: boolean) => {
      const moveUpSequence = drawnRowCount > 0 ? `\x1b[${drawnRowCount}A` : '';
      drawnRowCount = lines.length;
      // `?7l` makes the terminal cut long lines: `drawnRowCount` does not count the second row of a wrapped line.
      const drawnText = lines.map((line) => `\x1b[K${line}\n`).join('');
      return `\x1b[?7l${isResized ? '\x1b[H' : `\r${moveUpSequence}`}${drawnText}\x1b[J\x1b[?7h`;
    },
    /** Called after other output, so that the next lines are drawn below that output. */
    leave: () => {
      drawnRowCount = 0;
    },
  };
}

function noticeSequence(text: string): string {
  // Some terminals show OSC 9, others OSC 777. The fields of OSC 777 end at a semicolon, so the text must have none.
  const shortText = [...text].slice(0, 200).join('');
  return `\x1b]9;stackops ${shortText}\x07\x1b]777;notify;stackops;${shortText.replaceAll(';', ',')}\x07`;
}

type Visible = LineStream['visible'];

function createLineStream(stream: RawStream, write: RawStream['write'], visible: Visible, breaksLines: boolean) {
  const breakText = (text: string, indent?: number) => {
    const width = breaksLines && stream.terminal ? stream.width : 0;
    return width > 0 ? messageLines(text, width, indent).join('\n') : text;
  };
  const lineOf = (line: Line) => {
    if (typeof line === 'string') return indentedLine(visible(line), breakText);
    const text = visible(line.text);
    return `${colourLabel(line)} ${line.isRelayed ? text : breakText(text, line.label.length + 1)}`;
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
    get isClosed() {
      return stream.isClosed;
    },
    visible,
    bytes: write,
    lines: async (lines: readonly Line[]) => {
      if (lines.length > 0) await write(lines.map((line) => `${lineOf(line)}\n`).join(''));
    },
  };
}

/** Wraps a line. The lines after the first get its indent or, if it has none, the usual indent of `breakText`. */
function indentedLine(line: string, breakText: (text: string, indent?: number) => string): string {
  const text = line.trimStart();
  const indent = line.length - text.length;
  return indent === 0 ? breakText(text) : ' '.repeat(indent) + breakText(text, indent);
}

function colourLabel({ label, colour }: LabelledLine): string {
  // chalk is not used, because it is loaded asynchronously, and the last message of a process cannot wait for that.
  return colour === undefined ? label : `\x1b[${colour}m${label}\x1b[39m`;
}

// biome-ignore lint/suspicious/noControlCharactersInRegex: matches where a theme begins and ends a colour
const colourChangePattern = /(\x1b\[\d{1,3}m)/;

function safeLine(line: string): string {
  if (safeText(line) === line) return line;
  const pieces = line.split(colourChangePattern);
  return pieces.map((piece, at) => (at % 2 === 1 ? piece : safeText(piece))).join('');
}

/** True if a terminal with these variables shows escape sequences as text. On Windows TERM may be missing. */
export function isDumbTerminal(env: Environment): boolean {
  const { TERM: name, OS: system } = env;
  return name === 'dumb' || (!name && system !== 'Windows_NT');
}

/** Minimum width of a terminal whose line is redrawn: a spinner and one letter. */
const minRedrawWidth = 4;

/** True if a line can be redrawn. False in CI, where a terminal is only a log. */
export function canRedraw({ terminal, width }: { terminal: boolean; width: number }, env: Environment): boolean {
  return terminal && width >= minRedrawWidth && !isDumbTerminal(env) && !env['CI'];
}
