import type { HttpResponse } from '../contract/exchange.ts';
import type { SandboxContext } from './context.ts';
import { madeUpHex } from './seed/made-up.ts';
import type { ReceivedRequest } from './server/call.ts';
import type { BackupState, State } from './state.ts';

type StorageRequest = Pick<ReceivedRequest, 'path' | 'query' | 'authorization'>;

/** Answers a request for a backup file at its signed address. Refuses a request with an Authorization header. */
export function answerStorageRequest(state: State, now: Date, request: StorageRequest): HttpResponse {
  const { path, query, authorization } = request;
  if (authorization !== undefined)
    return refusalResponse(400, 'The signature is the only authorization here; send no Authorization header.');
  const expirySeconds = Number(query.get('Expires'));
  if (query.get('Signature') !== signatureOf(path, expirySeconds))
    return refusalResponse(403, 'The signature is wrong.');
  if (now.getTime() >= expirySeconds * 1000) return refusalResponse(403, 'The address has expired.');
  for (const backup of state.stacks.flatMap(({ backups }) => backups)) {
    const file = backupFiles(backup).find((other) => other.path === path);
    if (!file) continue;
    // The archive is ASCII, so a span of bytes is also a span of characters.
    const text = createTar(`${backup.row.file_base}.sql`, archiveSize(backup)).slice(...file.span);
    return { status: 200, headers: { 'content-type': 'application/x-tar' }, text };
  }
  return refusalResponse(404, 'File not found.');
}

function refusalResponse(status: number, message: string): HttpResponse {
  // Object stores report errors in XML, so this storage does, too.
  const text = `<?xml version="1.0" encoding="UTF-8"?>\n<Error><Message>${message}</Message></Error>\n`;
  return { status, headers: { 'content-type': 'application/xml' }, text };
}

const linkLifeMs = 15 * 60_000;

/** Returns the files of a backup in order. `span` is the start and end of a file in the archive, in bytes. */
export function backupFiles(backup: BackupState) {
  const { row, parts: partCount } = backup;
  const archiveBytes = archiveSize(backup);
  const size = Math.ceil(archiveBytes / Math.max(1, partCount));
  return Array.from({ length: partCount }, (_, index) => {
    const id = partCount === 1 ? 'tar' : `tar-a${String.fromCharCode(97 + index)}`;
    const name = `${row.file_base}.${id}`;
    const span = [index * size, Math.min(archiveBytes, (index + 1) * size)] as const;
    return { id, name, path: `/${row.storage_path}/${name}`, span };
  });
}

/** Returns the address of a file, with a signature that is valid for 15 minutes. */
export function signedLink({ storage, now }: SandboxContext, path: string): string {
  const expirySeconds = Math.floor((now.getTime() + linkLifeMs) / 1000);
  return `${storage}${path}?Expires=${expirySeconds}&Signature=${signatureOf(path, expirySeconds)}`;
}

function signatureOf(path: string, expirySeconds: number): string {
  return madeUpHex(`storage ${path} ${expirySeconds}`, 40);
}

const blockBytes = 512;
const maxArchiveBlocks = 8192;

function archiveSize({ row }: BackupState): number {
  return blockBytes * Math.min(maxArchiveBlocks, Math.max(4, Math.ceil(Number(row.backup_size ?? 0) / blockBytes)));
}

/** Returns an ASCII tar archive of `bytes` bytes (a multiple of 512, at least 2048) with one file of made-up SQL. */
function createTar(name: string, bytes: number): string {
  const size = bytes - 3 * blockBytes;
  const line = '-- stackops sandbox: nothing here is real\n';
  const content = line.repeat(Math.ceil(size / line.length)).slice(0, size);
  return createTarHeader(name, size) + content + '\0'.repeat(2 * blockBytes);
}

function createTarHeader(name: string, size: number): string {
  // The format is POSIX ustar: fixed fields and octal numbers. The checksum counts its own field as eight spaces.
  const octalNumbers = octal(0o600, 8) + octal(0, 8) + octal(0, 8) + octal(size, 12) + octal(0, 12);
  const headerStart = name.slice(0, 100).padEnd(100, '\0') + octalNumbers;
  const headerEnd = `0${'\0'.repeat(100)}ustar\x0000`.padEnd(blockBytes - headerStart.length - 8, '\0');
  const checkedBytes = Buffer.from(`${headerStart}${' '.repeat(8)}${headerEnd}`, 'latin1');
  const checksum = checkedBytes.reduce((sum, byte) => sum + byte, 0);
  return `${headerStart}${octal(checksum, 7)} ${headerEnd}`;
}

function octal(value: number, length: number): string {
  return `${value.toString(8).padStart(length - 1, '0')}\0`;
}
