import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { existsSync } from 'node:fs';
import { resolve } from 'node:path';
import { fileURLToPath } from 'node:url';
import { onTestFinished } from 'vitest';
import { shellWord } from '../../src/contract/values/text.ts';
import { temporaryFolder } from './stackops.ts';

const standalone = process.env['STACKOPS_TEST_PROGRAM'];
/** Whether the program is one that brings Bun along (`npm run binary`), and not what Node runs. */
export const isStandalone = standalone !== undefined && standalone !== '';

/** The program as it is installed, and what starts it; `npm test` builds it first. */
export const program: readonly string[] = standalone
  ? [resolve(standalone)]
  : [process.execPath, fileURLToPath(new URL('../../bin/stackops.js', import.meta.url))];

if (!existsSync(fileURLToPath(new URL('../../dist/cli.cjs', import.meta.url)))) {
  throw new Error('the program is not built: npm run build');
}

export type Environment = Readonly<Record<string, string>>;

/** Nothing of the machine's own settings, and folders that go with the test. */
export function ownEnvironment(more: Environment = {}): Environment {
  return {
    PATH: process.env['PATH'] ?? '',
    HOME: temporaryFolder(),
    SHELL: '/bin/bash',
    STACKOPS_CONFIG_DIR: temporaryFolder(),
    XDG_STATE_HOME: temporaryFolder(),
    STACKOPS_TOKEN: 'token-of-the-test',
    ...more,
  };
}

export interface Ended {
  readonly code: number | null;
  readonly signal: NodeJS.Signals | null;
  readonly stdout: string;
  readonly stderr: string;
}

export interface Running {
  /** Resolves when stdout, all of it so far, matches. */
  shows(pattern: RegExp): Promise<RegExpExecArray>;
  /** The same for stderr. */
  tells(pattern: RegExp): Promise<RegExpExecArray>;
  /** What stdout has had so far. */
  stdout(): string;
  kill(signal: NodeJS.Signals): void;
  readonly pid: number | undefined;
  readonly ended: Promise<Ended>;
}

export interface BuiltRunOptions {
  readonly env?: Environment;
  /** Text on stdin; without it stdin is the null device. */
  readonly stdin?: string;
}

/** What makes every Node and every Bun that starts load these files first, whatever their paths hold. */
export function preloading(...files: readonly string[]): {
  readonly NODE_OPTIONS: string;
  readonly BUN_OPTIONS: string;
} {
  return {
    NODE_OPTIONS: files.map((file) => `--require=${JSON.stringify(file)}`).join(' '),
    BUN_OPTIONS: files.map((file) => JSON.stringify(`--preload=${file}`)).join(' '),
  };
}

/** Sleeping takes no time. */
export const skipSleep = preloading(fileURLToPath(new URL('skip-sleep.cjs', import.meta.url)));

/** Starts the built program with pipes. */
export function start(words: readonly string[], { env = ownEnvironment(), stdin }: BuiltRunOptions = {}): Running {
  return follow([...program, ...words], { env, ...(stdin !== undefined && { stdin }) });
}

/** Runs the built program with pipes to its end. */
export function runBuilt(words: readonly string[], options: BuiltRunOptions = {}): Promise<Ended> {
  return start(words, options).ended;
}

/** The program as the beginning of a line of a shell. */
export const programLine = program.map(shellWord).join(' ');
/** What a line of bash needs in front of it to know the built program as `stackops`. */
export const known = `stackops() { ${programLine} "$@"; }; `;

/** Runs a line of bash in which `stackops` is the built program. */
export function runShell(line: string, env: Environment = ownEnvironment()): Promise<Ended> {
  return follow(['bash', '-c', known + line], { env }).ended;
}

/** Starts any program with pipes. */
export function follow([command = '', ...args]: readonly string[], { env, stdin }: BuiltRunOptions): Running {
  const child = spawn(command, args, {
    env: { ...env },
    stdio: [stdin === undefined ? 'ignore' : 'pipe', 'pipe', 'pipe'],
  });
  onTestFinished(() => void child.kill('SIGKILL'));
  const [stdout, stderr] = [watchText(child.stdout), watchText(child.stderr)];
  child.stdin?.end(stdin);
  const ended = once(child, 'close').then(([code, signal]) => ({
    code,
    signal,
    stdout: stdout.text(),
    stderr: stderr.text(),
  }));
  return {
    shows: stdout.shows,
    tells: stderr.shows,
    stdout: stdout.text,
    kill: (signal) => void child.kill(signal),
    pid: child.pid,
    ended,
  };
}

export interface Watched {
  text(): string;
  shows(pattern: RegExp): Promise<RegExpExecArray>;
}

/** Gathers what a stream says; waiting for a text fails as soon as the stream has ended without it. */
export function watchText(stream: NodeJS.ReadableStream | null): Watched {
  let text = '';
  let over = stream === null;
  const waiting = new Set<() => void>();
  const look = () => {
    for (const one of waiting) one();
  };
  stream?.setEncoding('utf8');
  stream?.on('data', (chunk: string) => {
    text += chunk;
    look();
  });
  stream?.on('close', () => {
    over = true;
    look();
  });
  return {
    text: () => text,
    shows: (pattern) =>
      new Promise((resolve, reject) => {
        const check = () => {
          const found = pattern.exec(text);
          if (found) resolve(found);
          else if (over) reject(new Error(`ended without ${pattern}: ${text}`));
          if (found || over) waiting.delete(check);
        };
        waiting.add(check);
        check();
      }),
  };
}
