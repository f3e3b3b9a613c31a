import { execFile } from 'node:child_process';
import { writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { promisify } from 'node:util';
import { onTestFinished } from 'vitest';
import { type Environment, known } from './built.ts';
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
}

/** The answer to this question comes when the terminal has dealt with all that was written before it. */
const ask = String.raw`stty -echo; printf '\e[6n'; IFS='[;' read -r -d R _ row column`;

/** Runs a line of bash, in which `stackops` is the built program, to its end in a real tmux. */
export async function screenOf(line: string, size: Size, env: Environment): Promise<Screen> {
  const inside = `${known.words}${line}\ntmux set -s @code $?; ${ask}; tmux wait-for -S over; exec cat`;
  const tmux = await openTmux(inside, size, env);
  const [code, shown, column] = (await tmux('display', '-p', '#{@code} #{cursor_flag} #{cursor_x}')).split(' ');
  const capture = async (...more: string[]) => trimmed(await tmux('capture-pane', '-p', '-S', '-', ...more));
  const text = await capture();
  return {
    code: Number(code),
    text,
    styled: await capture('-e'),
    wrapped: (await capture('-J')) !== text,
    cursorShown: shown === '1',
    cursorColumn: Number(column),
  };
}

/** How many columns tmux gives to each of these texts. */
export async function widthsOf(texts: readonly string[], env: Environment): Promise<readonly number[]> {
  const file = join(temporaryFolder(), 'texts');
  writeFileSync(file, texts.map((text) => `${text}\n`).join(''));
  const measure = `while IFS= read -r text <&4; do printf '\\r\\e[K%s' "$text"; ${ask}; widths+=" $((column - 1))"; done`;
  const inside = `${measure} 4<'${file}'; tmux set -s @widths "$widths"; tmux wait-for -S over; exec cat`;
  const tmux = await openTmux(inside, { columns: 200, rows: 24 }, env);
  return (await tmux('display', '-p', '#{@widths}')).trim().split(' ').map(Number);
}

type Tmux = (...words: readonly string[]) => Promise<string>;

/** A tmux server of its own, once what runs in it has said that it is over. */
async function openTmux(inside: string, { columns, rows }: Size, env: Environment): Promise<Tmux> {
  const socket = join(temporaryFolder(), 'tmux');
  const tmux: Tmux = async (...words) => {
    const all = { LC_ALL: 'C.UTF-8', SHELL: '/bin/bash', ...env, ...known.env };
    return (await promisify(execFile)('tmux', ['-u', '-S', socket, '-f', '/dev/null', ...words], { env: all })).stdout;
  };
  onTestFinished(() => tmux('kill-server').then(() => undefined));
  const size = ['-x', String(columns), '-y', String(rows)];
  await tmux('new-session', '-d', ...size, 'env', 'TERM=tmux-256color', 'bash', '-c', inside);
  await tmux('wait-for', 'over');
  return tmux;
}

function trimmed(text: string): string {
  return `${text.replaceAll(/ +$/gm, '').trimEnd()}\n`;
}
