import { isSafeName, safeName } from './safe-name.ts';

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
  /** All files of the backup: a file has the same name whichever others are wanted with it. */
  readonly among: readonly RemoteFile[];
}

/** Which files are written for those of a backup; throws usage for names that are unsafe. */
export function planFiles(files: readonly RemoteFile[], { joins, joinedName, among }: Joining): readonly Planned[] {
  if (joins && files.length > 1) return [{ name: commonName(files) ?? joinedName, parts: files }];
  const names = distinctNames(among);
  return files.map((file) => ({ name: names.get(file) ?? safeName(file.name), parts: [file] }));
}

/** `shop.tar` for `shop.tar-aa`, `shop.tar-ab`. */
function commonName(files: readonly RemoteFile[]): string | undefined {
  const bases = new Set(files.map(({ name }) => /^(.+)-[a-z]{2,3}$/.exec(safeName(name))?.[1]));
  const [base] = bases;
  return bases.size === 1 && base !== undefined ? safeName(base) : undefined;
}

/** The second of two names that are one for some file system gets a number. Those that are unsafe are left out. */
function distinctNames(files: readonly RemoteFile[]): ReadonlyMap<RemoteFile, string> {
  const taken = new Set<string>();
  const names = new Map<RemoteFile, string>();
  for (const file of files.filter(({ name }) => isSafeName(name))) {
    const given = safeName(file.name);
    let name = given;
    for (let number = 2; taken.has(foldedName(name)); number += 1) name = numbered(given, number);
    taken.add(foldedName(name));
    names.set(file, safeName(name));
  }
  return names;
}

/** What of a name is the same to every file system, and to the parts that downloads are written to. */
function foldedName(name: string): string {
  const folded = name.normalize('NFC').toUpperCase().toLowerCase().normalize('NFC');
  return folded.replace(/(\.part|[. ])+$/, '');
}

/** `shop-2.tar`; what is cut off for a comparison comes back behind it. */
function numbered(name: string, number: number): string {
  const [, base = name, end = ''] = /^(.+?)((?:\.[^.]*)?(?:\.part|[. ])*)$/i.exec(name) ?? [];
  return `${base}-${number}${end}`;
}
