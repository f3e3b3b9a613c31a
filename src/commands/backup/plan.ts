import { CliError } from '../../errors/cli-error.ts';

type RemoteFile = Readonly<Record<'id' | 'name', string>>;

/** A file to be written and the parts that make it, in order. */
export interface Planned {
  readonly name: string;
  readonly parts: readonly RemoteFile[];
}

/**
 * The local files for files of a backup; throws usage for unsafe names. `joinedName` is the name of parts without a common
 * base. `among` has all files of the backup, so that a name does not depend on the selected files.
 */
export function planFiles(
  files: readonly RemoteFile[],
  { joins, joinedName, among, platform }: { joins: boolean; joinedName: string; among: typeof files; platform: string },
): readonly Planned[] {
  if (joins && files.length > 1) return [{ name: commonName(files, platform) ?? joinedName, parts: files }];
  const names = distinctNames(among, platform);
  return files.map((file) => ({ name: names.get(file) ?? safeName(file.name, platform), parts: [file] }));
}

function commonName(files: readonly RemoteFile[], platform: string): string | undefined {
  // `shop.tar` for `shop.tar-aa`, `shop.tar-ab`
  const bases = new Set(files.map(({ name }) => /^(.+)-[a-z]{2,3}$/.exec(safeName(name, platform))?.[1]));
  const [base] = bases;
  return bases.size === 1 && base !== undefined ? safeName(base, platform) : undefined;
}

function distinctNames(files: readonly RemoteFile[], platform: string): ReadonlyMap<RemoteFile, string> {
  const taken = new Set<string>();
  const names = new Map<RemoteFile, string>();
  for (const file of files.filter(({ name }) => faultOf(lastPart(name)) === undefined)) {
    const given = safeName(file.name, platform);
    let name = given;
    for (let number = 2; taken.has(foldedName(name)); number += 1) name = numbered(given, number);
    taken.add(foldedName(name));
    names.set(file, safeName(name, platform));
  }
  return names;
}

const ignoredEnding = /(?<!\.part|[. ])(?:\.part|[. ])+$/i;

/** A name as the least precise file system compares it, without `.part`, the suffix of unfinished downloads. */
function foldedName(name: string): string {
  const folded = name.normalize('NFC').toUpperCase().toLowerCase().normalize('NFC');
  return folded.replace(ignoredEnding, '');
}

function numbered(name: string, number: number): string {
  // The number stands before the extension and before endings that comparisons ignore.
  const compared = name.replace(ignoredEnding, '') || name.slice(0, 1);
  const dot = compared.lastIndexOf('.');
  const base = dot > 0 ? compared.slice(0, dot) : compared;
  return `${base}-${number}${name.slice(base.length)}`;
}

/** Room for `.part` within the 255 bytes that file systems allow. */
const mostBytes = 250;
/** Control characters, lone surrogates, and characters that change the text direction. */
const hidden = /[\p{Cc}\p{Cs}\p{Zl}\p{Zp}\p{Bidi_Control}\p{Default_Ignorable_Code_Point}]/u;
/** Devices, whatever follows the first dot. */
const device = /^(con|prn|aux|nul|com[0-9¹²³]|lpt[0-9¹²³])$/i;
/**
 * A safe local name for a file name from the service: its last part, without characters that Windows reserves. Throws usage
 * for unsafe names.
 */
export function safeName(path: string, platform: string): string {
  const name = lastPart(path);
  const fault = faultOf(name);
  if (!fault) return platform.startsWith('win32') ? name.replace(/[<>:"|?*]|[. ]$/g, '_') : name;
  const shown = JSON.stringify(name.length > 60 ? `${name.slice(0, 60).toWellFormed()}…` : name);
  throw new CliError('usage', `unsafe file name from the service: ${shown} ${fault}; it was not downloaded`);
}

function lastPart(path: string): string {
  return (path.split(/[/\\]/).at(-1) ?? '').replace(/^[a-z]:/i, '');
}

function faultOf(name: string): string | undefined {
  if (/^[. ]*$/.test(name)) return 'is not a file name';
  if (hidden.test(name)) return 'contains hidden characters';
  if (Buffer.byteLength(name) > mostBytes) return `is longer than ${mostBytes} bytes`;
  if (device.test(name.split('.')[0]?.trim() ?? '')) return 'is the name of a device';
  // Shells, editors and tools run or trust many dot files; no list of them is complete.
  if (name.startsWith('.')) return 'starts with a dot';
  return undefined;
}
