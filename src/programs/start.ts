import type { StdioOptions } from 'node:child_process';
import { constants as access, accessSync, statSync } from 'node:fs';
import { constants } from 'node:os';
import { posix, win32 } from 'node:path';
import { CliError } from '../errors/cli-error.ts';
import { faultCode, faultReason } from '../files/file-fault.ts';

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
  /** The name of the program in errors; the default is its first word, in quotes. */
  readonly label?: string;
}

/** Starts a program without a shell. Throws usage with exit code 127 for a program that is not found, else 126. */
export async function startProgram(program: ProgramStart, stdio: StdioOptions) {
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
      // The window of an editor must be visible.
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

type Env = Readonly<Record<string, string | undefined>>;

/** The file of a program in the folders of PATH; undefined when it is missing. */
export function findProgram(name: string, env: Env, platform: string): string | undefined {
  return programFiles(name, env, platform).find(isProgram);
}

/** The possible files of a program, in order. On Windows a program has one of the endings of PATHEXT. */
export function programFiles(name: string, env: Env, platform: string): readonly string[] {
  const { PATH = '', PATHEXT = '.COM;.EXE;.BAT;.CMD' } = env;
  if (!platform.startsWith('win32')) {
    return name.includes('/') ? [name] : PATH.split(posix.delimiter).map((folder) => posix.resolve(folder, name));
  }
  const endings = win32.extname(name) ? [''] : PATHEXT.split(';').filter(Boolean);
  // Unlike cmd, this does not search the working folder.
  const folders = /[\\/]/.test(name) ? [''] : PATH.split(win32.delimiter).filter(Boolean);
  return folders.flatMap((folder) => endings.map((ending) => win32.join(folder, `${name}${ending}`)));
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
 * How a file is started. Windows starts a batch file, such as npm.cmd, only through cmd, which reads its arguments twice:
 * each is quoted for the program, and then twice for cmd, so that none of them is a command. Throws usage for a line
 * break, at which cmd would stop.
 */
export function spawnArguments(file: string, args: readonly string[], env: Env, platform: string) {
  if (!platform.startsWith('win32') || !/\.(cmd|bat)$/i.test(file)) return { file, args };
  if (args.some((arg) => /[\r\n]/.test(arg))) {
    throw new CliError('usage', `cannot run "${file}": Windows passes no line break to it`, { exitCode: 126 });
  }
  const line = [escapeForCmd(file), ...args.map((arg) => escapeForCmd(escapeForCmd(quoteArgument(arg))))].join(' ');
  // The arguments are one text already.
  const asTheyAre = { windowsVerbatimArguments: true };
  return { file: env['COMSPEC'] ?? 'cmd.exe', args: ['/d', '/s', '/c', `"${line}"`], ...asTheyAre };
}

function quoteArgument(arg: string): string {
  // As programs of Windows read it: backslashes count only before a quote.
  return `"${arg.replace(/(?<!\\)(\\*)("|$)/g, (_, slashes: string, quote: string) => `${slashes}${slashes}${quote && '\\"'}`)}"`;
}

function escapeForCmd(text: string): string {
  return text.replace(/[()[\]%!^"`<>&|;, *?]/g, '^$&');
}
