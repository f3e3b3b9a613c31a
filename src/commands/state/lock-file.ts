import { createHash } from 'node:crypto';
import { basename, dirname, join, resolve } from 'node:path';
import type { Context } from '../../contract/command.ts';
import { CliError, expectCliError } from '../../errors/cli-error.ts';
import { lockHolderText, takeHeldLock, withLock } from '../../files/lock.ts';
import { largestFileBytes, readNamedFile, utf8Text } from '../../files/named-file.ts';
import { checkFolder } from '../../files/publish-part.ts';
import { removeLeftovers, replaceFile } from '../../files/replace-file.ts';
import { capture } from '../../programs/capture.ts';
import { type Lock, type LockLine, lockKey, lockText, parseLock } from '../../state/lock.ts';

/** Undefined where there is no lock, or an empty one. Throws usage. */
export function readLock(lockFile: string): Lock | undefined {
  const bytes = readNamedFile(lockFile, largestFileBytes);
  return bytes?.length ? parseLock(utf8Text(bytes, lockFile), lockFile) : undefined;
}

/** Replaces lines of a lock, and drops others; all other lines stay. Nothing is written if nothing changes. */
export async function updateLock(
  { host, warn }: Context,
  lockFile: string,
  lines: readonly LockLine[],
  isDropped: (line: LockLine) => boolean = () => false,
): Promise<void> {
  await withLock(
    stateFile(host, resolve(lockFile)),
    () => {
      const known = readLock(lockFile);
      const kept = [...(known ?? [])].filter(([, line]) => !isDropped(line));
      const updated = lockText(
        new Map([...kept, ...lines.map((line) => [lockKey(line.stack, line.path), line] as const)]),
      );
      if (known !== undefined && updated === lockText(known)) return;
      removeLeftovers(resolve(lockFile));
      replaceFile(lockFile, updated, { force: true, keepsRights: true });
    },
    { warn },
  );
}

/**
 * Throws usage for a lock in a missing folder, and for a tracked lock of an ignored file, whose names it would show.
 */
export async function refuseLock({ host, deadline }: Context, file: string, lockFile: string): Promise<void> {
  await checkFolder(dirname(lockFile));
  if (readNamedFile(lockFile, largestFileBytes) === undefined) return;
  const { env } = host.programs;
  const agrees = async (path: string, words: readonly string[]): Promise<boolean> => {
    const commandLine = ['git', ...words, '--', basename(path)];
    const stop = AbortSignal.any([host.signal, deadline(5_000)]);
    const program = { commandLine, env, platform: host.platform, folder: dirname(resolve(path)), stop };
    const ended = await capture(program).catch(expectCliError);
    return !(ended instanceof CliError) && ended.code === 0;
  };
  const isExposed =
    (await agrees(file, ['check-ignore', '-q'])) && (await agrees(lockFile, ['ls-files', '--error-unmatch']));
  if (isExposed)
    throw new CliError('usage', `git ignores ${file}, so it must not track ${lockFile}`, { nothing: 'changed' });
}

/** Other runs of `apply` on this machine. */
export function stackHold({ host }: Context, stack: { readonly uid: string; readonly name: string }) {
  const { value: account = '' } = host.settings.get('account');
  const file = stateFile(host, JSON.stringify([host.baseUrl(), account, stack.uid]));
  return {
    /** Another run that changes the stack: ` (process 4711)`. */
    holder: () => lockHolderText(file),
    /** Keeps other runs from the stack until the returned function runs. Throws rejected. */
    take: (): (() => void) => {
      const lock = takeHeldLock(file);
      if (typeof lock !== 'string') return lock.release;
      throw new CliError('rejected', `another apply changes ${stack.name}${lock}`, {
        nothing: 'sent',
        correction: { add: ['--if-busy', 'wait'] },
      });
    },
  };
}

function stateFile(host: Context['host'], name: string): string {
  return join(host.folders().state, 'state', createHash('sha256').update(name).digest('hex').slice(0, 16));
}
