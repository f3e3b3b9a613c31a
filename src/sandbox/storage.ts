import type { HttpResponse } from '../contract/exchange.ts';
import { backupContent, backupFiles, signatureOf } from './backup-files.ts';
import type { State } from './state.ts';

export interface StorageRequest {
  /** Below the storage address: `/backups/…`. */
  readonly path: string;
  readonly query: URLSearchParams;
  /** True when the request had an `Authorization` header. */
  readonly authorized: boolean;
}

/** Serves a backup file for its signed address; a token of the service is refused. */
export function answerStorage(
  { state, now }: { readonly state: State; readonly now: Date },
  { path, query, authorized }: StorageRequest,
): HttpResponse {
  if (authorized) return refused(400, 'The signature is the only authorization here; send no Authorization header.');
  const expires = Number(query.get('Expires'));
  if (query.get('Signature') !== signatureOf(path, expires)) return refused(403, 'The signature is wrong.');
  if (now.getTime() >= expires * 1000) return refused(403, 'The address has expired.');
  for (const backup of state.stacks.flatMap(({ backups }) => backups)) {
    const file = backupFiles(backup).find((other) => other.path === path);
    if (file)
      return { status: 200, headers: { 'content-type': 'application/x-tar' }, text: backupContent(backup, file) };
  }
  return refused(404, 'File not found.');
}

/** Object stores report errors in XML. */
function refused(status: number, message: string): HttpResponse {
  const text = `<?xml version="1.0" encoding="UTF-8"?>\n<Error><Message>${message}</Message></Error>\n`;
  return { status, headers: { 'content-type': 'application/xml' }, text };
}
