const block = 512;

/** A tar archive of `bytes` bytes (a multiple of 512, from 2048) with one file of made-up SQL; ASCII only. */
export function tarOf(name: string, bytes: number): string {
  const size = bytes - 3 * block;
  const line = '-- stackops sandbox: nothing here is real\n';
  const content = line.repeat(Math.ceil(size / line.length)).slice(0, size);
  return headerOf(name, size) + content + '\0'.repeat(2 * block);
}

/** POSIX ustar: fixed fields, octal numbers, and a checksum computed with spaces in its own field. */
function headerOf(name: string, size: number): string {
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
