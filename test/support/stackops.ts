import { cpSync, existsSync, mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { PassThrough } from 'node:stream';
import { expect, onTestFinished } from 'vitest';
import { composeAndRun } from '../../src/app/compose.ts';
import type { RawHost } from '../../src/cli/host.ts';
import type { SandboxBehaviour } from '../../src/sandbox/answer.ts';
import { commandsOf, faultOf, printedLines } from './printed-commands.ts';
import { ownBehaviour } from './sandbox.ts';

export interface Ran {
  readonly code: number;
  readonly stdout: string;
  readonly stderr: string;
}

export interface RunOptions {
  readonly env?: Readonly<Record<string, string>>;
  readonly stdin?: string;
  /** As Node names it. */
  readonly platform?: string;
  /** Columns of a terminal on all three streams; absent: pipes. */
  readonly terminal?: number;
  /** What happens at that terminal while it is redrawn. */
  readonly screen?: RawHost['screen'];
  /** Lines typed at prompts, in order. */
  readonly typed?: readonly string[];
  /** What happens while a question is open. */
  readonly asked?: () => Promise<unknown>;
  readonly signal?: AbortSignal;
  readonly now?: () => Date;
  /** Called with what appears on the two streams, in order. */
  readonly shown?: (text: string) => void;
  /** Called with how long the program sleeps; that takes no time here, but the clock is moved on. */
  readonly slept?: (ms: number) => void;
  /** Ends the time that completion may take; without it there is no limit. */
  readonly deadline?: AbortSignal;
  /** How the sandbox of `--sandbox` behaves, beside being strict. */
  readonly sandbox?: SandboxBehaviour;
}

/** What a process has that gets no signals, and whose terminal is never redrawn. */
export const withoutSignals = {
  v8Version: '',
  self: [],
  pieces: async function* () {},
  screen: { height: 0, hasKeys: false, listen: () => () => undefined },
  onSecondInterrupt: () => undefined,
  releaseSignals: async () => true,
  withSignalHandler: (_, work) => work(),
  signalGroup: undefined,
  forceExit: () => undefined,
} satisfies Partial<RawHost>;

/** The reference of every run in this process. */
export const ownReference = 'stackops-00000000-0000-4000-8000-000000000001';

/**
 * Runs the real program in this process: `run(['variant', 'list', '-s', uid])`. Nothing of the machine's own settings is
 * seen. Every hint, undo and check that it prints is held to what it promises: to work as printed. An error begins in
 * lower case.
 */
export async function run(argv: readonly string[], options: RunOptions = {}): Promise<Ran> {
  const inOwnFolders = { ...options, env: { ...ownFolders(), ...options.env } };
  const ran = await runOnce(argv, inOwnFolders);
  expect(capitalIn(ran, argv), `printed by stackops ${argv.join(' ')}`).toBeUndefined();
  for (const line of printedLines(ran)) {
    const fault = (await faultOf(line, argv)) ?? (await faultWhenRun(line, argv, inOwnFolders));
    expect(fault, `printed by stackops ${argv.join(' ')}: ${line}`).toBeUndefined();
  }
  return ran;
}

/** The first word of an error if it begins as a sentence does: not one in capitals, as names are, nor one that was typed. */
function capitalIn({ stderr }: Ran, argv: readonly string[]): string | undefined {
  const [, word] = /^(?:error: |\{"error":.*?"message":")(\p{Lu}\p{Ll}+)(?![\w-])/mu.exec(stderr) ?? [];
  return argv.some((typed) => word && typed.includes(word)) ? undefined : word;
}

const tried = new Set<string>();

/** Runs a printed line where the run that printed it was, at a terminal at which nobody answers; 2 is a fault. */
async function faultWhenRun(
  line: string,
  argv: readonly string[],
  { env, now, stdin }: Situated,
): Promise<string | undefined> {
  const isSandbox = argv.includes('--sandbox') || env['STACKOPS_SANDBOX'] === '1';
  // The embedded sandbox needs no sign-in, and says so.
  if (!isSandbox || tried.has(line) || /^stackops auth login/.test(line)) return undefined;
  tried.add(line);
  const copied = ownFolders();
  for (const name of ['STACKOPS_CONFIG_DIR', 'XDG_STATE_HOME'] as const) {
    if (existsSync(env[name])) cpSync(env[name], copied[name], { recursive: true });
  }
  for (const command of commandsOf(line)) {
    const options = {
      env: { ...env, ...copied, CI: '' },
      terminal: 80,
      stdin: stdin || 'made-up',
      ...(now && { now }),
    };
    const watch = new AbortController();
    // What watches ends by nothing else.
    const ending = command.includes('--watch') ? { signal: watch.signal, slept: () => watch.abort('SIGINT') } : {};
    const { code, stderr } = await runOnce(command, { ...options, ...ending });
    // Of two mistakes a line mends one: the other is that of whoever typed it.
    if (code === 2 && !/which stack|unknown field|unexpected argument/.test(stderr)) return stderr;
  }
  return undefined;
}

type Situated = RunOptions & { readonly env: Folders };
type Folders = Readonly<Record<string, string>> & {
  readonly STACKOPS_CONFIG_DIR: string;
  readonly XDG_STATE_HOME: string;
};

async function runOnce(argv: readonly string[], options: RunOptions): Promise<Ran> {
  let stdout = '';
  let stderr = '';
  let sleptMs = 0;
  const begun = options.now ?? (() => new Date('2026-05-04T12:00:00Z'));
  const answers = [...(options.typed ?? [])];
  const stream = (take: (text: string) => void) => ({
    terminal: options.terminal !== undefined,
    width: options.terminal ?? 0,
    get raw() {
      return new PassThrough().resume();
    },
    write: async (text: string) => take(text),
    isClosed: false,
  });
  const host: RawHost = {
    ...withoutSignals,
    version: '0.0.0',
    argv,
    env: {
      ...(options.terminal !== undefined && { TERM: 'xterm' }),
      ...options.env,
    },
    platform: options.platform ?? 'test',
    out: stream((text) => {
      stdout += text;
      options.shown?.(text);
    }),
    err: stream((text) => {
      stderr += text;
      options.shown?.(text);
    }),
    stdinTerminal: options.terminal !== undefined,
    screen: options.screen ?? withoutSignals.screen,
    readStdin: async () => Buffer.from(options.stdin ?? '', 'utf8'),
    ask: async (question) => {
      stderr += question;
      await options.asked?.();
      return answers.shift();
    },
    signal: options.signal ?? new AbortController().signal,
    now: () => new Date(begun().getTime() + sleptMs),
    elapsed: () => sleptMs,
    reference: () => ownReference,
    sleep: async (ms, signal) => {
      signal.throwIfAborted();
      sleptMs += ms;
      options.slept?.(ms);
      // What others do meanwhile is done.
      await new Promise((resolve) => setImmediate(resolve));
      signal.throwIfAborted();
    },
    deadline: () => options.deadline ?? new AbortController().signal,
    sandbox: { ...ownBehaviour, ...options.sandbox },
  };
  const code = await composeAndRun(host);
  return { code, stdout, stderr };
}

/** For the settings and the records of several runs. */
export const ownFolders = () => ({ STACKOPS_CONFIG_DIR: temporaryFolder(), XDG_STATE_HOME: temporaryFolder() });

/** A folder that goes with the test. */
export function temporaryFolder(): string {
  const folder = mkdtempSync(join(tmpdir(), 'stackops-test-'));
  onTestFinished(() => rmSync(folder, { recursive: true, force: true }));
  return folder;
}
