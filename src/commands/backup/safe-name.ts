import { Problem } from '../../problems/problem.ts';

/** Room for `.part` within the 255 bytes that file systems allow. */
const mostBytes = 250;
/** Devices, whatever follows the first dot. */
const device = /^(con|prn|aux|nul|com[0-9¹²³]|lpt[0-9¹²³])$/i;
/**
 * The name of a file in a folder of ours for a name that a service gave: its last part, never a path. Throws usage for
 * one that no file should have.
 */
export function safeName(given: string): string {
  const name = lastPart(given);
  const fault = faultOf(name);
  if (!fault) return name;
  throw new Problem('usage', `the service calls a file ${JSON.stringify(shortened(given))}, ${fault}; it was not read`);
}

export function isSafeName(given: string): boolean {
  return faultOf(lastPart(given)) === undefined;
}

function lastPart(path: string): string {
  return (path.split(/[/\\]/).at(-1) ?? '').replace(/^[a-z]:/i, '');
}

function faultOf(name: string): string | undefined {
  if (/^[. ]*$/.test(name)) return 'which is no name for a file';
  if (hasHidden(name)) return 'which holds characters that do not show';
  if (Buffer.byteLength(name) > mostBytes) return `which is longer than ${mostBytes} bytes`;
  if (device.test(name.split('.')[0]?.trim() ?? '')) return 'which is the name of a device';
  // Shells, editors and tools run or trust what has a dot in front; which names they are nobody can list.
  if (name.startsWith('.')) return 'which other programs would trust';
  return undefined;
}

/** Control characters, halves of characters, and what turns the direction of writing. */
function hasHidden(name: string): boolean {
  return /[\p{Cc}\p{Cs}\p{Zl}\p{Zp}\p{Bidi_Control}\p{Default_Ignorable_Code_Point}]/u.test(name);
}

function shortened(text: string): string {
  return text.length > 60 ? `${text.slice(0, 60).toWellFormed()}…` : text;
}
