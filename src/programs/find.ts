import { accessSync, constants, statSync } from 'node:fs';
import { posix, win32 } from 'node:path';
import { CliError } from '../errors/cli-error.ts';

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
    accessSync(file, constants.X_OK);
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
  const line = [escaped(file), ...args.map((arg) => escaped(escaped(quoted(arg))))].join(' ');
  // The arguments are one text already.
  const asTheyAre = { windowsVerbatimArguments: true };
  return { file: env['COMSPEC'] ?? 'cmd.exe', args: ['/d', '/s', '/c', `"${line}"`], ...asTheyAre };
}

function quoted(arg: string): string {
  // As programs of Windows read it: backslashes count only before a quote.
  return `"${arg.replace(/(?<!\\)(\\*)("|$)/g, (_, slashes: string, quote: string) => `${slashes}${slashes}${quote && '\\"'}`)}"`;
}

function escaped(text: string): string {
  return text.replace(/[()[\]%!^"`<>&|;, *?]/g, '^$&');
}
