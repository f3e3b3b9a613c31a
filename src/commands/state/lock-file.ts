import { hash } from 'node:crypto';
import { basename, dirname, join, resolve } from 'node:path';
import type { Context } from '../../contract/command.ts';
import { CliError, expectCliError } from '../../errors/cli-error.ts';
import { lockHolderText, tryHoldLock, withLock } from '../../files/lock.ts';
import { maxFileBytes, readNamedFile, utf8Text } from '../../files/named-file.ts';
import { checkFolder } from '../../files/publish-part.ts';
import { removeLeftoverFiles, replaceFile } from '../../files/replace-file.ts';
import { capture } from '../../programs/capture.ts';
import { type LockLine, type LockLines, lockKey, lockText, parseLock } from '../../state/lock.ts';

/** Reads a lock file; returns undefined for a missing or empty one. Throws `usage` if it is unreadable or invalid. */
export function readLock(lockFile: string): LockLines | undefined {
  const bytes = readNamedFile(lockFile, maxFileBytes);
  return bytes?.length ? parseLock(utf8Text(bytes, lockFile), lockFile) : undefined;
}

type LockUpdate = { readonly lines: readonly LockLine[]; readonly isDroppedLine: (line: LockLine) => boolean };

/** Writes lines into a lock file and drops old lines. Other old lines stay. */
export async function updateLock(context: Context, lockFile: string, { lines, isDroppedLine }: LockUpdate) {
  const update = () => {
    const oldLock = readLock(lockFile);
    const keptLines = [...(oldLock ?? [])].filter(([, line]) => !isDroppedLine(line));
    const newLines = lines.map((line) => [lockKey(line.stack, line.path), line] as const);
    const newText = lockText(new Map([...keptLines, ...newLines]));
    if (oldLock !== undefined && newText === lockText(oldLock)) return;
    removeLeftoverFiles(resolve(lockFile));
    replaceFile(lockFile, newText, { force: true, keepsRights: true });
  };
  await withLock(processLockPath(context.host, resolve(lockFile)), update, context);
}

/** Throws `usage` if its folder is missing, or git tracks it but ignores the stack file, whose keys it holds. */
export async function checkLockFile({ host, deadline }: Context, file: string, lockFile: string): Promise<void> {
  await checkFolder(dirname(lockFile));
  if (readNamedFile(lockFile, maxFileBytes) === undefined) return;
  const { env } = host.programs;
  const gitSucceeds = async (path: string, args: readonly string[]): Promise<boolean> => {
    const commandLine = ['git', ...args, '--', basename(path)];
    const stop = AbortSignal.any([host.signal, deadline(5_000)]);
    const program = { commandLine, env, platform: host.platform, folder: dirname(resolve(path)), stop };
    const gitResult = await capture(program).catch(expectCliError);
    return !(gitResult instanceof CliError) && gitResult.code === 0;
  };
  const isFileIgnored = await gitSucceeds(file, ['check-ignore', '-q']);
  if (isFileIgnored && (await gitSucceeds(lockFile, ['ls-files', '--error-unmatch'])))
    throw new CliError('usage', `git ignores ${file}, so it must not track ${lockFile}`, { nothing: 'changed' });
}

type HeldStack = { readonly uid: string; readonly name: string };

/** Returns a message if another `apply` on this machine changes the stack; undefined if none does. */
export function findOtherApply({ host }: Context, stack: HeldStack): string | undefined {
  const holder = lockHolderText(holdPath(host, stack));
  return holder === undefined ? undefined : `another apply changes ${stack.name}${holder}`;
}

/** Returns the function that releases the stack. Throws `rejected` if another `apply` on this machine holds it. */
export function holdStack({ host }: Context, stack: HeldStack): () => void {
  const lock = tryHoldLock(holdPath(host, stack));
  if (typeof lock !== 'string') return lock.release;
  const details = { nothing: 'sent', correction: { add: ['--if-busy', 'wait'] } } as const;
  throw new CliError('rejected', `another apply changes ${stack.name}${lock}`, details);
}

function holdPath(host: Context['host'], { uid }: HeldStack): string {
  const { value: account = '' } = host.settings.get('account');
  return processLockPath(host, JSON.stringify([host.baseUrl(), account, uid]));
}

function processLockPath(host: Context['host'], name: string): string {
  return join(host.folders().state, 'state', hash('sha256', name).slice(0, 16));
}
