import type { StdioOptions } from 'node:child_process';
import { constants } from 'node:os';
import { CliError } from '../errors/cli-error.ts';
import { faultCode, faultReason } from '../files/file-fault.ts';
import { findProgram, spawnArguments } from './find.ts';

export type Environment = Readonly<Record<string, string | undefined>>;
export type Kill = (signal: NodeJS.Signals) => void;

export interface ProgramStart {
  readonly commandLine: readonly string[];
  /** The whole environment of the program. */
  readonly env: Environment;
  /** The environment whose PATH finds the program, if that is not its own. */
  readonly searched?: Environment;
  /** Such as `linux; node v20.20.2`. */
  readonly platform: string;
  readonly folder?: string;
  /** Signals a process group, which the program then leads. */
  readonly signalGroup?: ((leader: number, signal: NodeJS.Signals) => void) | undefined;
  /** Its name in errors: by default its first word, in quotes. */
  readonly label?: string;
}

/**
 * Starts a program without a shell. Throws usage when it cannot be started, with the exit codes of `env`: 127 for one
 * that is not found, else 126.
 */
export async function start(program: ProgramStart, stdio: StdioOptions) {
  const { commandLine, env, searched = env, platform, folder, signalGroup } = program;
  const { spawn } = await import('node:child_process');
  const [name = '', ...args] = commandLine;
  const { label = `"${name}"` } = program;
  // The system searches the PATH of the program itself, and Windows finds no batch file.
  const isFound = env['PATH'] === searched['PATH'] && !platform.startsWith('win32');
  const file = isFound ? name : findProgram(name, searched, platform);
  if (file === undefined) throw notStarted(label, notFound, 127);
  const { file: executable, args: words, ...verbatim } = spawnArguments(file, args, searched, platform);
  try {
    const child = spawn(executable, words, {
      ...verbatim,
      argv0: name,
      cwd: folder,
      env,
      stdio,
      detached: signalGroup !== undefined,
      // An editor with a window is one that people must see.
      windowsHide: Array.isArray(stdio) && stdio[1] === 'pipe',
    });
    const exited = new Promise<{ readonly code: number; readonly signal: NodeJS.Signals | null }>((resolve) => {
      // The code as a shell sees it.
      child.once('exit', (code, signal) =>
        resolve({ code: code ?? 128 + constants.signals[signal ?? 'SIGTERM'], signal }),
      );
    });
    // A later error is a signal that we may not send, for example to sudo; the program still runs.
    await new Promise((resolve, reject) => child.once('spawn', resolve).on('error', reject));
    const kill: Kill = (signal) => {
      try {
        if (signalGroup && child.pid) signalGroup(child.pid, signal);
        else child.kill(signal);
      } catch {
        // The whole group has ended.
      }
    };
    return { child, exited, kill };
  } catch (error) {
    throw cannotStart(label, error, env);
  }
}

const notFound = 'program not found';

function cannotStart(label: string, cause: unknown, env: Environment): CliError {
  const code = faultCode(cause);
  if (code === 'ENOENT') return notStarted(label, notFound, 127);
  if (code !== 'E2BIG') return notStarted(label, faultReason(cause), 126);
  return notStarted(label, 'its environment is too large', 126).with({ hint: `leave out ${largestOf(env)}` });
}

function notStarted(label: string, reason: string, exitCode: number): CliError {
  return new CliError('usage', `cannot run ${label}: ${reason}`, { exitCode });
}

function largestOf(env: Environment): string {
  const sizes = Object.entries(env).map(([name, value = '']) => ({ name, bytes: Buffer.byteLength(value) }));
  const [largest] = sizes.toSorted((one, other) => other.bytes - one.bytes);
  return `variables; the largest is ${largest?.name} (${largest?.bytes} bytes)`;
}
