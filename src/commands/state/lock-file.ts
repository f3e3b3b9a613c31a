import { createHash } from 'node:crypto';
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

/** Writes `lines` into a lock file and drops the old lines for which `isDroppedLine` is true. Other old lines stay. */
export async function updateLock(
  { host, warn }: Context,
  lockFile: string,
  lines: readonly LockLine[],
  isDroppedLine: (line: LockLine) => boolean,
): Promise<void> {
  const update = () => {
    const oldLock = readLock(lockFile);
    const keptLines = [...(oldLock ?? [])].filter(([, line]) => !isDroppedLine(line));
    const newLines = lines.map((line) => [lockKey(line.stack, line.path), line] as const);
    const newText = lockText(new Map([...keptLines, ...newLines]));
    if (oldLock !== undefined && newText === lockText(oldLock)) return;
    removeLeftoverFiles(resolve(lockFile));
    replaceFile(lockFile, newText, { force: true, keepsRights: true });
  };
  await withLock(processLockPath(host, resolve(lockFile)), update, { warn });
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
  const isLockExposed =
    (await gitSucceeds(file, ['check-ignore', '-q'])) && (await gitSucceeds(lockFile, ['ls-files', '--error-unmatch']));
  if (isLockExposed)
    throw new CliError('usage', `git ignores ${file}, so it must not track ${lockFile}`, { nothing: 'changed' });
}

/** Returns the functions that keep two runs of `apply` on this machine from changing one stack at once. */
export function stackHold({ host }: Context, stack: { readonly uid: string; readonly name: string }) {
  const { value: account = '' } = host.settings.get('account');
  const file = processLockPath(host, JSON.stringify([host.baseUrl(), account, stack.uid]));
  return {
    /** Returns the other run that changes the stack, as ` (process 4711)`; undefined if no run does. */
    holder: () => lockHolderText(file),
    /** Keeps other runs from the stack until the returned function is called. Throws `rejected` if a run holds it. */
    take: (): (() => void) => {
      const lock = tryHoldLock(file);
      if (typeof lock !== 'string') return lock.release;
      throw new CliError('rejected', `another apply changes ${stack.name}${lock}`, {
        nothing: 'sent',
        correction: { add: ['--if-busy', 'wait'] },
      });
    },
  };
}

function processLockPath(host: Context['host'], name: string): string {
  return join(host.folders().state, 'state', createHash('sha256').update(name).digest('hex').slice(0, 16));
}
