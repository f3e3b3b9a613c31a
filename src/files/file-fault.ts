import { dirname } from 'node:path';
import { shellWord } from '../contract/values/text.ts';
import { CliError } from '../errors/cli-error.ts';

const reasons: Readonly<Record<string, string>> = {
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

/** The system's code of a failed file operation, such as `ENOENT`. */
export function faultCode(error: unknown): string | undefined {
  if (!(error instanceof Error) || !('code' in error)) return undefined;
  return typeof error.code === 'string' ? error.code : undefined;
}

/** The reason why a file operation failed, without the content of the file. */
export function faultReason(error: unknown): string {
  const code = faultCode(error) ?? 'unknown';
  const reason = reasons[code];
  return reason ? `${reason} (${code})` : code;
}

/** Exit 2: a file exists but cannot be used. A CliError passes unchanged. */
export function cannotReadError(file: string, error: unknown): CliError {
  if (error instanceof CliError) return error;
  return new CliError('usage', `cannot read ${file}: ${faultReason(error)}`, { cause: error });
}

/** The hint for a folder that does not exist. */
function mkdirCommand(folder: string): string {
  return `mkdir -p ${shellWord(folder)}`;
}

/** Exit 2: a file is named in a folder that does not exist. */
export function noFolderError(folder: string): CliError {
  return new CliError('usage', `cannot write ${folder}: the folder does not exist`, { hint: mkdirCommand(folder) });
}

/** Exit 1: a file cannot be written. A CliError passes unchanged. */
export function cannotWriteError(file: string, error: unknown): CliError {
  if (error instanceof CliError) return error;
  const hint = faultCode(error) === 'ENOENT' ? mkdirCommand(dirname(file)) : undefined;
  return new CliError('internal', `cannot write ${file}: ${faultReason(error)}`, { cause: error, hint });
}

/** Runs `work`; any error becomes "cannot write FILE". */
export function tryToWrite<T>(file: string, work: () => T): T {
  try {
    return work();
  } catch (error) {
    throw cannotWriteError(file, error);
  }
}

/** Exit 2: a file of stackops has invalid content; the hint keeps the file. */
export function cannotUseError(file: string, reason: string): CliError {
  const hint = `correct the file, or move it away: mv ${shellWord(file)} ${shellWord(`${file}.bad`)}`;
  return new CliError('usage', `cannot use ${file}: ${reason}`, { hint });
}
