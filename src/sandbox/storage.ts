import type { HttpResponse } from '../contract/exchange.ts';
import type { SandboxContext } from './context.ts';
import { madeUp } from './seed/made-up.ts';
import type { BackupState, State } from './state.ts';

/** Serves a backup file at its signed address. Refuses a request with a service token. */
export function answerStorage(
  { state, now }: { readonly state: State; readonly now: Date },
  { path, query, authorized }: { path: string; query: URLSearchParams; authorized: boolean },
): HttpResponse {
  if (authorized)
    return refusalResponse(400, 'The signature is the only authorization here; send no Authorization header.');
  const expires = Number(query.get('Expires'));
  if (query.get('Signature') !== signatureOf(path, expires)) return refusalResponse(403, 'The signature is wrong.');
  if (now.getTime() >= expires * 1000) return refusalResponse(403, 'The address has expired.');
  for (const backup of state.stacks.flatMap(({ backups }) => backups)) {
    const file = backupFiles(backup).find((other) => other.path === path);
    if (!file) continue;
    // ASCII: one byte per character.
    const text = tarOf(`${backup.row.file_base}.sql`, bytesOf(backup)).slice(...file.span);
    return { status: 200, headers: { 'content-type': 'application/x-tar' }, text };
  }
  return refusalResponse(404, 'File not found.');
}

function refusalResponse(status: number, message: string): HttpResponse {
  // Object stores report errors in XML.
  const text = `<?xml version="1.0" encoding="UTF-8"?>\n<Error><Message>${message}</Message></Error>\n`;
  return { status, headers: { 'content-type': 'application/xml' }, text };
}

const linkLifeMs = 15 * 60_000;

/** The files of a backup in their order, with start and end of each in bytes. */
export function backupFiles(backup: BackupState) {
  const { row, parts } = backup;
  const size = Math.ceil(bytesOf(backup) / Math.max(1, parts));
  return Array.from({ length: parts }, (_, index) => {
    const id = parts === 1 ? 'tar' : `tar-a${String.fromCharCode(97 + index)}`;
    const name = `${row.file_base}.${id}`;
    const span = [index * size, Math.min(bytesOf(backup), (index + 1) * size)] as const;
    return { id, name, path: `/${row.storage_path}/${name}`, span };
  });
}

/** An address of a file with a signature that is valid for 15 minutes. */
export function signedLink({ storage, now }: SandboxContext, path: string): string {
  const expires = Math.floor((now.getTime() + linkLifeMs) / 1000);
  return `${storage}${path}?Expires=${expires}&Signature=${signatureOf(path, expires)}`;
}

function signatureOf(path: string, expires: number): string {
  return madeUp(`storage ${path} ${expires}`, 40);
}

const block = 512;
const mostBlocks = 8192;

/** A real backup in a copy may be too large to be made up, or no tar archive. */
function bytesOf({ row }: BackupState): number {
  return block * Math.min(mostBlocks, Math.max(4, Math.ceil(Number(row.backup_size ?? 0) / block)));
}

/** A tar archive of `bytes` bytes (a multiple of 512, from 2048) with one file of made-up SQL; ASCII only. */
function tarOf(name: string, bytes: number): string {
  const size = bytes - 3 * block;
  const line = '-- stackops sandbox: nothing here is real\n';
  const content = line.repeat(Math.ceil(size / line.length)).slice(0, size);
  return headerOf(name, size) + content + '\0'.repeat(2 * block);
}

function headerOf(name: string, size: number): string {
  // POSIX ustar: fixed fields, octal numbers, and a checksum computed with spaces in its own field.
  const before = field(name, 100) + octal(0o600, 8) + octal(0, 8) + octal(0, 8) + octal(size, 12) + octal(0, 12);
  const after = `0${field('', 100)}ustar\x0000`.padEnd(block - before.length - 8, '\0');
  const sum = [...before, ...' '.repeat(8), ...after].reduce((total, character) => total + character.charCodeAt(0), 0);
  return `${before}${octal(sum, 7)} ${after}`;
}

function field(text: string, length: number): string {
  return text.slice(0, length).padEnd(length, '\0');
}

function octal(value: number, length: number): string {
  return `${value.toString(8).padStart(length - 1, '0')}\0`;
}
