import type { ChildProcess } from 'node:child_process';
import { once } from 'node:events';
import { faultCode, faultReason } from '../files/file-fault.ts';
import { interrupted, Problem } from '../problems/problem.ts';
import { noToken, type RunForOutput } from './token-command.ts';

/** What a token command needs of the process. */
export interface ProgramHost {
  /** Its environment, without our credentials. */
  readonly env: Readonly<Record<string, string | undefined>>;
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

const limitMs = 3000;
/** Between SIGTERM and SIGKILL: enough to turn the echo of the terminal on again. */
const graceMs = 500;
const mostBytes = 8192;

/** Runs a program without a shell, without stdin and with its stderr thrown away, for at most three seconds. */
export function runForOutput(host: ProgramHost): RunForOutput {
  return async (commandLine, place) => {
    const done = new AbortController();
    try {
      const child = await start(commandLine, host);
      let stopped: Problem | undefined;
      const stop = (why: Problem) => {
        if (!stopped) end(child, host);
        stopped ??= why;
      };
      const tooLate = () => stop(noToken(`${place} printed no token within ${limitMs / 1000} s`));
      host.deadline(limitMs).addEventListener('abort', tooLate, { signal: done.signal });
      host.signal.addEventListener('abort', () => stop(interrupted()), { signal: done.signal });
      const output = collect(child, () => stop(noToken(`${place} printed more than ${mostBytes / 1024} KiB`)));
      const closed = once(child, 'close');
      const [code, signal] = await Promise.race([closed, ended(child, output).then((end) => end ?? closed)]);
      if (stopped) await closed;
      if (stopped) throw stopped;
      child.stdout?.destroy();
      if (code !== 0) throw noToken(`${place} failed (${signal ?? `exit code ${code}`})`);
      return output();
    } catch (error) {
      throw error instanceof Problem ? error : cannotRun(place, error);
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

async function start([program = '', ...args]: readonly string[], { env, folder, signal, signalGroup }: ProgramHost) {
  const { spawn } = await import('node:child_process');
  if (signal.aborted) throw interrupted();
  const detached = signalGroup !== undefined;
  return spawn(program, args, { cwd: folder, env, detached, windowsHide: true, stdio: ['ignore', 'pipe', 'ignore'] });
}

function cannotRun(place: string, error: unknown): Problem {
  const reason = faultCode(error) === 'ENOENT' ? 'program not found' : faultReason(error);
  return noToken(`cannot run ${place}: ${reason}`);
}

/** What it has printed so far; calls `tooMuch` when that is more than a token can be. */
function collect({ stdout }: ChildProcess, tooMuch: () => void): () => string {
  let output = '';
  stdout?.setEncoding('latin1').on('data', (part: string) => {
    output += part;
    if (output.length > mostBytes) tooMuch();
  });
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
  };
  const timer = setTimeout(kill, graceMs);
  child.once('close', kill);
  send('SIGTERM');
}
