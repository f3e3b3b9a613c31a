import { dirname } from 'node:path';
import { shellWord } from '../contract/values/text.ts';
import { CliError } from '../errors/cli-error.ts';

const reasonsByCode: Readonly<Record<string, string>> = {
  EACCES: 'permission denied',
  EPERM: 'operation not permitted',
  EROFS: 'the file system is read-only',
  ENOENT: 'file or folder not found',
  ENOSPC: 'no space is left on the device',
  EDQUOT: 'the disk quota is used up',
  ENOTDIR: 'a part of the path is not a folder',
  EISDIR: 'it is a folder',
  ELOOP: 'too many symbolic links',
  EMFILE: 'too many open files',
};

/** Returns the system's code of a failed file operation, such as `ENOENT`; undefined for any other error. */
export function faultCode(error: unknown): string | undefined {
  if (!(error instanceof Error) || !('code' in error)) return undefined;
  return typeof error.code === 'string' ? error.code : undefined;
}

/** Returns the reason why a file operation failed, without content of the file. */
export function faultReason(error: unknown): string {
  const code = faultCode(error) ?? 'unknown';
  const reason = reasonsByCode[code];
  return reason ? `${reason} (${code})` : code;
}

/** Creates a usage error for a file that cannot be read. Returns a CliError unchanged. */
export function cannotReadError(file: string, error: unknown): CliError {
  if (error instanceof CliError) return error;
  return new CliError('usage', `cannot read ${file}: ${faultReason(error)}`, { cause: error });
}

function mkdirCommand(folder: string): string {
  return `mkdir -p ${shellWord(folder)}`;
}

export function noFolderError(folder: string): CliError {
  return new CliError('usage', `cannot write ${folder}: the folder does not exist`, { hint: mkdirCommand(folder) });
}

/** Creates an internal error for a file that cannot be written. Returns a CliError unchanged. */
export function cannotWriteError(file: string, error: unknown): CliError {
  if (error instanceof CliError) return error;
  const hint = faultCode(error) === 'ENOENT' ? mkdirCommand(dirname(file)) : undefined;
  return new CliError('internal', `cannot write ${file}: ${faultReason(error)}`, { cause: error, hint });
}

export function tryToWrite<T>(file: string, work: () => T): T {
  try {
    return work();
  } catch (error) {
    throw cannotWriteError(file, error);
  }
}

/** Creates a usage error for a file of stackops that cannot be used. The hint is a command that moves the file away. */
export function cannotUseError(file: string, reason: string): CliError {
  const hint = `correct the file, or move it away: mv ${shellWord(file)} ${shellWord(`${file}.bad`)}`;
  return new CliError('usage', `cannot use ${file}: ${reason}`, { hint });
}
