import { createHash } from 'node:crypto';
import { CliError } from '../errors/cli-error.ts';
import type { Expression } from './entry.ts';

/** The state of one path at the last `pull` or `apply`: a digest of its entry, and times of the service. It holds no value. */
export interface LockLine extends Seen {
  readonly stack: string;
  readonly path: string;
  /** Null for a literal that is masked: a digest could be guessed. */
  readonly digest: string | null;
}

/** Signs of a change that the service shows without the value; null if it shows none. */
export interface Seen {
  readonly changed_at: string | null;
  readonly count: number | null;
  /** Only a variable has one; the lock does not hold it. */
  readonly created_at?: string | null | undefined;
}

export type Lock = ReadonlyMap<string, LockLine>;

export function lockKey(stack: string, path: string): string {
  return `${encodeName(stack)} ${encodeName(path)}`;
}

const header = 'stackops-lock 1';

/** Reads a lock. An unreadable line counts as missing; two lines of one path tell nothing. Throws usage. */
export function parseLock(text: string, file: string): Lock {
  const lines = text.split('\n').map((line) => line.replace(/\r$/, ''));
  const mark = lines.findIndex((line) => /^(?:<{7}|={7}|>{7}|\|{7})(?: |$)/.test(line));
  if (mark >= 0) throw new CliError('usage', `${file}:${mark + 1}: a merge conflict is left`);
  const [first = ''] = lines;
  if (first !== header) throw new CliError('usage', `${file} is no lock of this version of stackops`);
  const found = new Map<string, LockLine>();
  for (const line of lines.slice(1)) {
    const read = readLine(line);
    if (!read) continue;
    const key = lockKey(read.stack, read.path);
    found.set(key, found.has(key) ? { ...read, ...nothingKnown } : read);
  }
  return found;
}

const nothingKnown = { changed_at: null, count: null, digest: null } as const;

/** The line of a path; undefined where it tells nothing. */
export function lineIn(lock: Lock | undefined, key: string): LockLine | undefined {
  const line = lock?.get(key);
  return line && Object.keys(nothingKnown).every((name) => line[name as keyof typeof nothingKnown] === null)
    ? undefined
    : line;
}

export function lockText(lock: Lock): string {
  const lines = [...lock].map(([key, { changed_at, count, digest }]) =>
    [key, changed_at ?? '-', count ?? '-', digest ?? '-'].join(' '),
  );
  return [header, ...lines.toSorted(), ''].join('\n');
}

function readLine(line: string): LockLine | undefined {
  const [matched, ...names] = /^([^ ]+) ([^ ]+) ([^ ]+) (-|\d{1,15}) ([^ ]+)$/.exec(line) ?? [];
  const [stack, path] = names.map(decodeName);
  if (matched === undefined || stack === undefined || path === undefined) return undefined;
  const [changed_at = null, count = null, digest = null] = names.slice(2).map((text) => (text === '-' ? null : text));
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

/** The digest of an expression, which stands in the file; null for a literal that is masked. */
export function digestOf(expression: Expression, isSecret: boolean): string | null {
  if (expression.kind === 'literal' && isSecret) return null;
  return createHash('sha256')
    .update(JSON.stringify(Object.entries(expression).sort()))
    .digest('base64url')
    .slice(0, 16);
}

export const whyWords = ['edited', 'drifted', 'both', 'unknown', 'normalised', 'unmanaged'] as const;
export type Why = (typeof whyWords)[number];

interface Compared {
  readonly line: LockLine | undefined;
  readonly expression: Expression;
  readonly digest: string | null;
  /** Absent where the service has none. */
  readonly seen: Seen | undefined;
}

/** The reason why a value differs from the file. `isNew`: the lock has no line for the path. */
export function whyOf(compared: Compared, isNew: boolean): Why {
  const { line, expression, seen } = compared;
  // Neither the lock nor the service knows it.
  if (!line) return isNew && !seen ? 'edited' : 'unknown';
  const [isEdited, isDrifted] = [isEditedSince(line, compared), isDriftedSince(line, seen)];
  if (isDrifted === undefined || (isEdited === undefined && isDrifted)) return 'unknown';
  if (isDrifted) return isEdited ? 'both' : 'drifted';
  // A reference has another value now.
  const isReference = ['env', 'file', 'secret'].includes(expression.kind);
  return isEdited === false && !isReference ? 'normalised' : 'edited';
}

/** Undefined where a masked literal cannot be compared. */
function isEditedSince(line: LockLine, { digest, expression }: Compared): boolean | undefined {
  if (digest === null || (line.digest === null && expression.kind === 'literal')) return undefined;
  return digest !== line.digest;
}

/** Undefined where neither time nor count tells. */
function isDriftedSince(line: LockLine, seen: Seen | undefined): boolean | undefined {
  if (!seen) return line.changed_at !== null || line.count !== null;
  const pairs = [
    [line.changed_at, seen.changed_at],
    [line.count, seen.count],
  ];
  if (pairs.every(([, now]) => now === null)) return undefined;
  return pairs.some(([then, now]) => then !== now && now !== null);
}

/** True if a preserved value was set since, by its history, else by its time, or if it was deleted and made anew. */
export function wasSetSince(line: LockLine, { changed_at, count, created_at }: Seen): boolean {
  const isNew = Date.parse(created_at ?? '') > Date.parse(line.changed_at ?? '');
  return isNew || (count ? count !== line.count : changed_at !== line.changed_at);
}
