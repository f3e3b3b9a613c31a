import { Problem } from '../problems/problem.ts';
import { safeName } from './safe-name.ts';

export interface RemoteFile {
  readonly id: string;
  readonly name: string;
}

/** A file to be written and the parts that make it, in order. */
export interface Planned {
  readonly name: string;
  readonly parts: readonly RemoteFile[];
}

export interface Joining {
  readonly joins: boolean;
  /** For parts whose names have nothing in common. */
  readonly joinedName: string;
}

/** Which files are written for those of a backup; throws usage for names that are unsafe or the same. */
export function planFiles(files: readonly RemoteFile[], { joins, joinedName }: Joining): readonly Planned[] {
  if (joins && files.length > 1) return [{ name: commonName(files) ?? joinedName, parts: files }];
  const plan = files.map((file) => ({ name: safeName(file.name), parts: [file] }));
  const names = plan.map(({ name }) => name);
  const twice = names.find((name, index) => names.indexOf(name) < index);
  if (twice === undefined) return plan;
  throw new Problem('usage', `two files of the backup would be called "${twice}"; name one of them`);
}

/** `shop.tar` for `shop.tar-aa`, `shop.tar-ab`. */
function commonName(files: readonly RemoteFile[]): string | undefined {
  const bases = new Set(files.map(({ name }) => /^(.+)-[a-z]{2,3}$/.exec(safeName(name))?.[1]));
  const [base] = bases;
  return bases.size === 1 && base !== undefined ? safeName(base) : undefined;
}
