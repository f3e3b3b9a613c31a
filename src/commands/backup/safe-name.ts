import { Problem } from '../../problems/problem.ts';

/** Room for `.part` within the 255 bytes that file systems allow. */
const mostBytes = 250;
/** Devices, whatever follows the first dot. */
const device = /^(con|prn|aux|nul|com[0-9¹²³]|lpt[0-9¹²³])$/i;
/**
 * A safe local name for a file name from the service: its last part, never a path. Throws usage for unsafe names.
 */
export function safeName(given: string): string {
  const name = lastPart(given);
  const fault = faultOf(name);
  if (!fault) return name;
  throw new Problem(
    'usage',
    `unsafe file name from the service: ${JSON.stringify(shortened(given))} ${fault}; it was not downloaded`,
  );
}

export function isSafeName(given: string): boolean {
  return faultOf(lastPart(given)) === undefined;
}

function lastPart(path: string): string {
  return (path.split(/[/\\]/).at(-1) ?? '').replace(/^[a-z]:/i, '');
}

function faultOf(name: string): string | undefined {
  if (/^[. ]*$/.test(name)) return 'is not a file name';
  if (hasHidden(name)) return 'contains hidden characters';
  if (Buffer.byteLength(name) > mostBytes) return `is longer than ${mostBytes} bytes`;
  if (device.test(name.split('.')[0]?.trim() ?? '')) return 'is the name of a device';
  // Shells, editors and tools run or trust many dot files; no list of them is complete.
  if (name.startsWith('.')) return 'starts with a dot';
  return undefined;
}

/** Control characters, lone surrogates, and characters that change the text direction. */
function hasHidden(name: string): boolean {
  return /[\p{Cc}\p{Cs}\p{Zl}\p{Zp}\p{Bidi_Control}\p{Default_Ignorable_Code_Point}]/u.test(name);
}

function shortened(text: string): string {
  return text.length > 60 ? `${text.slice(0, 60).toWellFormed()}…` : text;
}
