import { madeUp } from './seed/made-up.ts';
import type { HeldBackup } from './state.ts';
import { tarOf } from './tar.ts';
import type { SandboxWorld } from './world.ts';

/** Lifetime of a link. */
const linkLifeMs = 15 * 60_000;

export interface StoredFile {
  /** The extension of the part: `tar`, or `tar-aa`, `tar-ab`. */
  readonly id: string;
  readonly name: string;
  /** Below the storage address. */
  readonly path: string;
  /** Its start and end in the whole backup, in bytes. */
  readonly span: readonly [from: number, to: number];
}

/** The files of a backup, in the order that makes up the whole. */
export function backupFiles({ row, parts }: HeldBackup): readonly StoredFile[] {
  const size = Math.ceil(row.backup_size / Math.max(1, parts));
  return Array.from({ length: parts }, (_, index) => {
    const id = parts === 1 ? 'tar' : `tar-a${String.fromCharCode(97 + index)}`;
    const name = `${row.file_base}.${id}`;
    const span = [index * size, Math.min(row.backup_size, (index + 1) * size)] as const;
    return { id, name, path: `/${row.storage_path}/${name}`, span };
  });
}

/** The content of a file, in ASCII: one byte per character. */
export function backupContent({ row }: HeldBackup, { span }: StoredFile): string {
  return tarOf(`${row.file_base}.sql`, row.backup_size).slice(...span);
}

/** The address of a file, signed for 15 minutes. */
export function signedLink({ storage, now }: SandboxWorld, { path }: StoredFile): string {
  const expires = Math.floor((now.getTime() + linkLifeMs) / 1000);
  return `${storage}${path}?Expires=${expires}&Signature=${signatureOf(path, expires)}`;
}

export function signatureOf(path: string, expires: number): string {
  return madeUp(`storage ${path} ${expires}`, 40);
}
