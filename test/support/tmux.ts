import { execFile, spawn } from 'node:child_process';
import { randomUUID } from 'node:crypto';
import { writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { promisify } from 'node:util';
import { onTestFinished } from 'vitest';
import { type Environment, known, type Watched, watchText } from './built.ts';
import { temporaryFolder } from './stackops.ts';

export interface Size {
  readonly columns: number;
  readonly rows: number;
}

export interface Screen {
  readonly code: number;
  /** All that was shown, what has scrolled away too, without blanks at the ends of lines. */
  readonly text: string;
  /** The same with the colours and styles of its characters, as escape sequences. */
  readonly styled: string;
  /** Whether a line was too long for the terminal. */
  readonly wrapped: boolean;
  readonly cursorShown: boolean;
  /** Where the cursor stands; 0 at the left. */
  readonly cursorColumn: number;
  /** The text at the moment of each answer, before it was typed. */
  readonly before: readonly string[];
}

/** What somebody types as soon as the terminal shows something. */
export interface Answer {
  readonly after: RegExp;
  /** As tmux names them: `n`, `Enter`, `C-c`. */
  readonly keys: readonly string[];
}

/** The answer to this question comes when the terminal has dealt with all that was written before it. */
const ask = String.raw`stty -echo; printf '\e[6n'; IFS='[;' read -r -d R _ row column`;

/** The whole text of the pane, what has scrolled away too. */
const capture = ['capture-pane', '-p', '-S', '-'];

/** Runs a line of bash, in which `stackops` is the built program, to its end in a real tmux. */
export async function screenOf(
  line: string,
  size: Size,
  env: Environment,
  answers: readonly Answer[] = [],
): Promise<Screen> {
  const waits = answers.length > 0 ? 'tmux wait-for begin; ' : '';
  const ends = String.raw`tmux set -s @code $code \; wait-for -S over`;
  const inside = `${waits}trap : INT; ${known}${line}\ncode=$?; ${ask}; ${ends}; exec cat`;
  const tmux = await openTmux(inside, size, env);
  const before = answers.length > 0 ? await give(answers, tmux) : [];
  // One client asks for all: to start one costs more than what it asks for.
  const mark = randomUUID();
  const next = [';', 'display', '-p', mark, ';'];
  const state = ['display', '-p', '#{@code} #{cursor_flag} #{cursor_x}'];
  const views = [...next, ...capture, ...next, ...capture, '-e', ...next, ...capture, '-J'];
  const [told = '', ...shown] = (await tmux('wait-for', 'over', ';', ...state, ...views)).split(`${mark}\n`);
  const [code, cursor, column] = told.split(' ');
  const [text = '', styled = '', joined] = shown.map(trimmed);
  return {
    code: Number(code),
    text,
    styled,
    wrapped: joined !== text,
    cursorShown: cursor === '1',
    cursorColumn: Number(column),
    before,
  };
}

/** Lets the line begin, and types each answer; resolves with the text at the moment of each. */
async function give(answers: readonly Answer[], tmux: Tmux): Promise<readonly string[]> {
  const shows = await watchPane(tmux);
  await tmux('wait-for', '-S', 'begin');
  const before: string[] = [];
  for (const { after, keys } of answers) {
    await shows(after);
    before.push(trimmed(await tmux(...capture)));
    await tmux('send-keys', ...keys);
  }
  return before;
}

/** Resolves when all that the program has written matches. */
async function watchPane(tmux: Tmux): Promise<Watched['shows']> {
  const pipe = join(temporaryFolder(), 'pane');
  await promisify(execFile)('mkfifo', [pipe]);
  await tmux('pipe-pane', `exec cat >'${pipe}'`);
  // Node would keep a thread busy with each pipe; it has four.
  const child = spawn('cat', [pipe], { stdio: ['ignore', 'pipe', 'inherit'] });
  onTestFinished(() => void child.kill('SIGKILL'));
  return watchText(child.stdout).shows;
}

/** How many columns tmux gives to each of these texts. */
export async function widthsOf(texts: readonly string[], env: Environment): Promise<readonly number[]> {
  const file = join(temporaryFolder(), 'texts');
  writeFileSync(file, texts.map((text) => `${text}\n`).join(''));
  const measure = `while IFS= read -r text <&4; do printf '\\r\\e[K%s' "$text"; ${ask}; widths+=" $((column - 1))"; done`;
  const inside = `${measure} 4<'${file}'; tmux set -s @widths "$widths" \\; wait-for -S over; exec cat`;
  const tmux = await openTmux(inside, { columns: 200, rows: 24 }, env);
  const told = await tmux('wait-for', 'over', ';', 'display', '-p', '#{@widths}');
  return told.trim().split(' ').map(Number);
}

type Tmux = (...words: readonly string[]) => Promise<string>;

/** A tmux server of its own, in which a line of bash runs. */
async function openTmux(inside: string, { columns, rows }: Size, env: Environment): Promise<Tmux> {
  const socket = join(temporaryFolder(), 'tmux');
  const tmux: Tmux = async (...words) => {
    const all = { LC_ALL: 'C.UTF-8', SHELL: '/bin/bash', ...env };
    return (await promisify(execFile)('tmux', ['-u', '-S', socket, '-f', '/dev/null', ...words], { env: all })).stdout;
  };
  onTestFinished(() => tmux('kill-server').then(() => undefined));
  const size = ['-x', String(columns), '-y', String(rows)];
  await tmux('new-session', '-d', ...size, 'env', 'TERM=tmux-256color', 'bash', '-c', inside);
  return tmux;
}

function trimmed(text: string): string {
  return `${text.replaceAll(/ +$/gm, '').trimEnd()}\n`;
}
