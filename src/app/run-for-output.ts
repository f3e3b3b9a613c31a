import type { ChildProcess } from 'node:child_process';
import { once } from 'node:events';
import type { RunForOutput } from '../auth/token-command.ts';
import { faultCode, faultReason } from '../files/file-fault.ts';
import { findProgram, startOfProgram } from '../files/find-program.ts';
import { interrupted, Problem } from '../problems/problem.ts';

/** What the programs of a profile need of the process. */
export interface ProgramHost {
  /** Its environment, without our credentials. */
  readonly env: Readonly<Record<string, string | undefined>>;
  /** Such as `linux; node v20.20.2`. */
  readonly platform: string;
  readonly folder: string;
  readonly signal: AbortSignal;
  /** Aborted after that time. */
  readonly deadline: (ms: number) => AbortSignal;
  /**
   * Signals a process group, which the program then leads. Absent at a terminal: a program outside of our own group
   * could not ask there.
   */
  readonly signalGroup?: ((leader: number, signal: NodeJS.Signals) => void) | undefined;
}

/** How a program is run, and what it is called not to do as it should. */
export interface ProgramRules {
  readonly limitMs: number;
  /** Of its stdout, and of its stderr where it is handed `input`. */
  readonly mostBytes: number;
  /** What it reads on stdin; without it nothing. */
  readonly input?: string;
  /** What it has not done when its time is over: `printed no token`. */
  readonly late: string;
  /** The error of one that failed, given what it printed before. */
  readonly fault: (message: string, output: string) => Problem;
}

/** Between SIGTERM and SIGKILL: enough to turn the echo of the terminal on again. */
const graceMs = 500;

/** Runs a program without a shell, for a limited time. Its stderr is thrown away unless it is handed `input`. */
export function runForOutput(host: ProgramHost, rules: ProgramRules): RunForOutput {
  const { limitMs, mostBytes, input, late, fault } = rules;
  return async (commandLine, place) => {
    const done = new AbortController();
    try {
      const child = await start(commandLine, host, input);
      let stopped: Problem | undefined;
      const stop = (why: Problem) => {
        if (!stopped) end(child, host);
        stopped ??= why;
      };
      const tooLate = () => stop(fault(`${place} ${late} within ${limitMs / 1000} s`, ''));
      host.deadline(limitMs).addEventListener('abort', tooLate, { signal: done.signal });
      host.signal.addEventListener('abort', () => stop(interrupted()), { signal: done.signal });
      const tooMuch = () => stop(fault(`${place} printed more than ${mostBytes / 1024} KiB`, ''));
      const output = collect(child, mostBytes, tooMuch);
      const closed = once(child, 'close');
      const [code, signal] = await Promise.race([closed, ended(child, output).then((end) => end ?? closed)]);
      if (stopped) await closed;
      if (stopped) throw stopped;
      child.stdout?.destroy();
      child.stderr?.destroy();
      if (code !== 0) throw fault(`${place} failed (${signal ?? `exit code ${code}`})`, output());
      return output();
    } catch (error) {
      throw error instanceof Problem ? error : fault(`cannot run ${place}: ${reasonOf(error)}`, '');
    } finally {
      done.abort();
    }
  };
}

/** Its end where it has printed something by then: what it started may hold its output open. */
async function ended(child: ChildProcess, output: () => string): Promise<unknown[] | undefined> {
  const end = await once(child, 'exit');
  // What it printed before is read within a turn.
  for (let turns = 0; turns < 2; turns += 1) await new Promise((resolve) => setImmediate(resolve));
  return output() === '' ? undefined : end;
}

async function start([program = '', ...args]: readonly string[], host: ProgramHost, input: string | undefined) {
  const { spawn } = await import('node:child_process');
  const { env, platform, folder, signal, signalGroup } = host;
  if (signal.aborted) throw interrupted();
  const detached = signalGroup !== undefined;
  const others = input === undefined ? 'ignore' : 'pipe';
  const stdio = [others, 'pipe', others] as const;
  const found = platform.startsWith('win32') ? findProgram(program, env, platform) : undefined;
  const { file, args: words, ...options } = startOfProgram(found ?? program, args, env, platform);
  const child = spawn(file, words, { ...options, cwd: folder, env, detached, windowsHide: true, stdio: [...stdio] });
  // It need not read what it is handed.
  child.stdin?.on('error', () => undefined).end(input);
  return child;
}

function reasonOf(error: unknown): string {
  return faultCode(error) === 'ENOENT' ? 'program not found' : faultReason(error);
}

/** What it has printed so far, a character for each byte; calls `tooMuch` when that is more than `mostBytes`. */
function collect({ stdout, stderr }: ChildProcess, mostBytes: number, tooMuch: () => void): () => string {
  let output = '';
  for (const stream of [stdout, stderr]) {
    stream?.setEncoding('latin1').on('data', (part: string) => {
      output += part;
      if (output.length > mostBytes) tooMuch();
    });
  }
  return () => output;
}

/** Ends the program, and all that it started where it leads a group. Its `close` follows. */
function end(child: ChildProcess, { signalGroup }: ProgramHost): void {
  const send = (signal: NodeJS.Signals) => {
    try {
      if (signalGroup && child.pid) signalGroup(child.pid, signal);
      else child.kill(signal);
    } catch {
      // They have ended already.
    }
  };
  const kill = () => {
    clearTimeout(timer);
    send('SIGKILL');
    child.stdout?.destroy();
    child.stderr?.destroy();
  };
  const timer = setTimeout(kill, graceMs);
  child.once('close', kill);
  send('SIGTERM');
}
