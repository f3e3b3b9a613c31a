import { hash } from 'node:crypto';
import { CliError } from '../errors/cli-error.ts';
import { type Expression, isReference } from './entry.ts';

/** The state of one path at the last `pull` or `apply`: a digest of the entry and signs of the item, but no value. */
export interface LockLine extends ChangeSigns {
  readonly stack: string;
  readonly path: string;
  /** The digest of the expression in the file; null for a masked literal, whose value a digest could reveal. */
  readonly digest: string | null;
}

/** Signs of a change that the service shows without the value: a time and a count; null if the service has none. */
export interface ChangeSigns {
  readonly changed_at: string | null;
  readonly count: number | null;
  /** The creation time of a variable; undefined for other items. The lock does not hold this time. */
  readonly created_at?: string | null | undefined;
}

export type LockLines = ReadonlyMap<string, LockLine>;

export function lockKey(stack: string, path: string): string {
  return `${encodeName(stack)} ${encodeName(path)}`;
}

const lockHeader = 'stackops-lock 1';

/** Skips bad lines. Two lines of a path are one without signs. Throws `usage` for a merge conflict or other header. */
export function parseLock(text: string, file: string): LockLines {
  const lines = text.split('\n').map((line) => line.replace(/\r$/, ''));
  const conflictAt = lines.findIndex((line) => /^(?:<{7}|={7}|>{7}|\|{7})(?: |$)/.test(line));
  if (conflictAt >= 0) throw new CliError('usage', `${file}:${conflictAt + 1}: a merge conflict is left`);
  if (lines[0] !== lockHeader) throw new CliError('usage', `${file} is no lock of this version of stackops`);
  const lock = new Map<string, LockLine>();
  for (const lockLine of lines.slice(1).flatMap((line) => parseLockLine(line) ?? [])) {
    const key = lockKey(lockLine.stack, lockLine.path);
    lock.set(key, lock.has(key) ? { ...lockLine, changed_at: null, count: null, digest: null } : lockLine);
  }
  return lock;
}

/** Returns the line of a path; undefined if the lock has no line for the path, or only a line without signs. */
export function findLockLine(lock: LockLines | undefined, key: string): LockLine | undefined {
  const line = lock?.get(key);
  return line && (line.changed_at ?? line.count ?? line.digest) === null ? undefined : line;
}

export function lockText(lock: LockLines): string {
  const lines = [...lock].map(([key, one]) =>
    [key, one.changed_at ?? '-', one.count ?? '-', one.digest ?? '-'].join(' '),
  );
  return [lockHeader, ...lines.toSorted(), ''].join('\n');
}

function parseLockLine(line: string): LockLine | undefined {
  const [, ...parts] = /^([^ ]+) ([^ ]+) ([^ ]+) (-|\d{1,15}) ([^ ]+)$/.exec(line) ?? [];
  const [stack, path] = parts.map(decodeName);
  if (stack === undefined || path === undefined) return undefined;
  const [changed_at = null, count = null, digest = null] = parts.slice(2).map((text) => (text === '-' ? null : text));
  return { stack, path, changed_at, count: count === null ? null : Number(count), digest };
}

function encodeName(name: string): string {
  return name.replace(/[\s%]/gu, encodeURIComponent);
}

function decodeName(text: string): string | undefined {
  try {
    return decodeURIComponent(text);
  } catch {
    return undefined;
  }
}

export function digestOf(expression: Expression, isMasked: boolean): string | null {
  if (expression.kind === 'literal' && isMasked) return null;
  return hash('sha256', JSON.stringify(Object.entries(expression).sort()), 'base64url').slice(0, 16);
}

export const differenceReasons = ['edited', 'drifted', 'both', 'unknown', 'normalised', 'unmanaged'] as const;
export type DifferenceReason = (typeof differenceReasons)[number];

interface ComparedEntry {
  readonly line: LockLine | undefined;
  readonly expression: Expression;
  readonly digest: string | null;
  /** The signs of the item; undefined if the service has no such item. */
  readonly signs: ChangeSigns | undefined;
}

/** Returns why a value differs from the file. `isNew` is true if a lock exists but has no line for the path. */
export function differenceReasonOf(comparedEntry: ComparedEntry, isNew: boolean): DifferenceReason {
  const { line, expression, signs } = comparedEntry;
  // An entry that neither the lock nor the service has is new in the file, so it counts as edited.
  if (!line) return isNew && !signs ? 'edited' : 'unknown';
  const [isEdited, isDrifted] = [isEditedSince(line, comparedEntry), isDriftedSince(line, signs)];
  if (isDrifted === undefined || (isEdited === undefined && isDrifted)) return 'unknown';
  if (isDrifted) return isEdited ? 'both' : 'drifted';
  // A reference may have another text than before, so its value counts as edited though the entry is the same.
  if (isEdited !== false || isReference(expression)) return 'edited';
  // A line without a time and a count does not tell when its item was removed.
  return signs ? 'normalised' : 'unknown';
}

/** True if the entry was edited after the line was written; undefined for a masked literal, which has no digest. */
function isEditedSince(line: LockLine, { digest, expression }: ComparedEntry): boolean | undefined {
  if (digest === null || (line.digest === null && expression.kind === 'literal')) return undefined;
  return digest !== line.digest;
}

/** True if the item changed after the line was written; undefined if the service shows neither a time nor a count. */
function isDriftedSince(line: LockLine, signs: ChangeSigns | undefined): boolean | undefined {
  if (!signs) return line.changed_at !== null || line.count !== null;
  const { changed_at, count } = signs;
  if (changed_at === null && count === null) return undefined;
  return (changed_at !== null && changed_at !== line.changed_at) || (count !== null && count !== line.count);
}

/** True if the item was set or created again after the line was written. Without a count, the times are compared. */
export function wasSetSince(line: LockLine, { changed_at, count, created_at }: ChangeSigns): boolean {
  const isRecreated = Date.parse(created_at ?? '') > Date.parse(line.changed_at ?? '');
  return isRecreated || (count ? count !== line.count : changed_at !== line.changed_at);
}
