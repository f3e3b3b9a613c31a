import type { StdioOptions } from 'node:child_process';
import { constants as access, accessSync, statSync } from 'node:fs';
import { constants } from 'node:os';
import { posix, win32 } from 'node:path';
import type { Environment } from '../contract/host.ts';
import { CliError } from '../errors/cli-error.ts';
import { faultCode, faultReason } from '../files/file-fault.ts';

export type Kill = (signal: NodeJS.Signals) => void;

export interface ProgramStartOptions {
  readonly commandLine: readonly string[];
  /** The whole environment of the program. */
  readonly env: Environment;
  /** The environment whose PATH is searched for the program. The default is `env`. */
  readonly searchEnv?: Environment;
  /** The platform and the version of Node: `linux; node v20.20.2`. */
  readonly platform: string;
  readonly folder?: string;
  /** Sends a signal to a process group. If set, the program leads a group of its own. */
  readonly signalGroup?: ((leader: number, signal: NodeJS.Signals) => void) | undefined;
  /** The name of the program in errors; the default is the first item of `commandLine`, in quotes. */
  readonly label?: string;
}

/** Starts a program without a shell. If it cannot start, throws `usage` with exit code 127 (not found) or 126. */
export async function startProgram(program: ProgramStartOptions, stdio: StdioOptions) {
  const { commandLine, env, searchEnv = env, platform, folder, signalGroup } = program;
  const { spawn } = await import('node:child_process');
  const [name = '', ...args] = commandLine;
  const { label = `"${name}"` } = program;
  // If this is false, we search. The system would search only the PATH of `env`, and on Windows find no batch file.
  const systemFindsFile = env['PATH'] === searchEnv['PATH'] && !platform.startsWith('win32');
  const file = systemFindsFile ? name : findProgram(name, searchEnv, platform);
  if (file === undefined) throw notStartedError(label, notFoundText, 127);
  const { file: executable, args: spawnArgs, ...verbatim } = spawnArguments(file, args, searchEnv, platform);
  try {
    const child = spawn(executable, spawnArgs, {
      ...verbatim,
      argv0: name,
      cwd: folder,
      env,
      stdio,
      detached: signalGroup !== undefined,
      // On Windows, hides the window of a program whose output is read, but never that of an editor.
      windowsHide: Array.isArray(stdio) && stdio[1] === 'pipe',
    });
    const whenExited = new Promise<{ readonly code: number; readonly signal: NodeJS.Signals | null }>((resolve) => {
      // After a signal, the code is 128 plus the number of the signal, as a shell reports it.
      child.once('exit', (code, signal) =>
        resolve({ code: code ?? 128 + constants.signals[signal ?? 'SIGTERM'], signal }),
      );
    });
    // An `error` after `spawn` is ignored: it is about a signal that we may not send, and the program still runs.
    await new Promise((resolve, reject) => child.once('spawn', resolve).on('error', reject));
    const kill: Kill = (signal) => {
      try {
        if (signalGroup && child.pid) signalGroup(child.pid, signal);
        else child.kill(signal);
      } catch {
        // A signal cannot be sent if the whole group has ended. Nothing is left to do then.
      }
    };
    return { child, whenExited, kill };
  } catch (error) {
    throw startError(label, error, env);
  }
}

const notFoundText = 'program not found';

function startError(label: string, cause: unknown, env: Environment): CliError {
  const code = faultCode(cause);
  if (code === 'ENOENT') return notStartedError(label, notFoundText, 127);
  if (code !== 'E2BIG') return notStartedError(label, faultReason(cause), 126);
  const sizes = Object.entries(env).map(([name, value = '']) => ({ name, bytes: Buffer.byteLength(value) }));
  const [largest] = sizes.toSorted((one, other) => other.bytes - one.bytes);
  const hint = `leave out variables; the largest is ${largest?.name} (${largest?.bytes} bytes)`;
  return notStartedError(label, 'its environment is too large', 126, hint);
}

function notStartedError(label: string, reason: string, exitCode: number, hint?: string): CliError {
  return new CliError('usage', `cannot run ${label}: ${reason}`, { exitCode, hint });
}

export function findProgram(name: string, env: Environment, platform: string): string | undefined {
  return candidateFiles(name, env, platform).find(isProgram);
}

/** Returns the possible files of a program in the order of the search; on Windows with each ending in PATHEXT. */
export function candidateFiles(name: string, env: Environment, platform: string): readonly string[] {
  const { PATH = '', PATHEXT = '.COM;.EXE;.BAT;.CMD' } = env;
  if (!platform.startsWith('win32')) {
    return name.includes('/') ? [name] : PATH.split(posix.delimiter).map((folder) => posix.resolve(folder, name));
  }
  const extensions = win32.extname(name) ? [''] : PATHEXT.split(';').filter(Boolean);
  // Unlike cmd, we do not search the working folder.
  const folders = /[\\/]/.test(name) ? [''] : PATH.split(win32.delimiter).filter(Boolean);
  return folders.flatMap((folder) => extensions.map((ending) => win32.join(folder, `${name}${ending}`)));
}

function isProgram(file: string): boolean {
  try {
    accessSync(file, access.X_OK);
    return statSync(file).isFile();
  } catch {
    return false;
  }
}

/**
 * Windows starts a batch file, such as npm.cmd, only through cmd. cmd reads the arguments twice, so each is
 * escaped twice; else one could run as a command. Throws `usage` for a line break, because cmd would stop there.
 */
export function spawnArguments(file: string, args: readonly string[], env: Environment, platform: string) {
  if (!platform.startsWith('win32') || !/\.(cmd|bat)$/i.test(file)) return { file, args };
  if (args.some((arg) => /[\r\n]/.test(arg))) {
    throw new CliError('usage', `cannot run "${file}": Windows passes no line break to it`, { exitCode: 126 });
  }
  const words = [escapeForCmd(file), ...args.map((arg) => escapeForCmd(escapeForCmd(quoteArgument(arg))))];
  // The arguments are joined and quoted already, so Node must not quote them again.
  const verbatimOptions = { windowsVerbatimArguments: true };
  return { file: env['COMSPEC'] ?? 'cmd.exe', args: ['/d', '/s', '/c', `"${words.join(' ')}"`], ...verbatimOptions };
}

function quoteArgument(arg: string): string {
  // Windows programs read a backslash as an escape only before a quote.
  return `"${arg.replace(/(?<!\\)(\\*)("|$)/g, (_, slashes: string, quote: string) => `${slashes}${slashes}${quote && '\\"'}`)}"`;
}

function escapeForCmd(text: string): string {
  return text.replace(/[()[\]%!^"`<>&|;, *?]/g, '^$&');
}
