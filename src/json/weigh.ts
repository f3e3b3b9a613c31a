import { JsonFault } from './fault.ts';

const maxDepth = 64;
/** Includes names, because they use memory. */
const maxValues = 5_000_000;
const maxBytes = 160 * 1024 * 1024;
/** A shorter text cannot use much memory. */
const harmlessLength = 1024 * 1024;
/** Approximate bytes in V8; a text adds its characters. */
const size = { container: 56, text: 24, scalar: 8 } as const;
const code = { quote: 34, comma: 44, colon: 58, backslash: 92, list: 91, object: 123 } as const;

/** Refuses a text whose values would use too much memory. The parser checks the syntax. Throws a `JsonFault`. */
export function refuseHeavy(text: string): void {
  if (text.length <= harmlessLength) return;
  let bytes = 0;
  let values = 0;
  for (let at = 0; at < text.length; at += 1) {
    const char = text.charCodeAt(at);
    if (char === code.quote) {
      const end = endOfText(text, at);
      bytes += size.text + end - at;
      at = end;
      continue;
    }
    if (char === code.list || char === code.object) bytes += size.container;
    if (bytes > maxBytes) throw new JsonFault('too_large');
    // A comma or colon precedes each name and value except the first of a list or an object.
    if (char !== code.comma && char !== code.colon) continue;
    values += 1;
    bytes += size.scalar;
    if (values > maxValues) throw new JsonFault('too_many_values');
  }
}

function endOfText(text: string, start: number): number {
  let end = text.indexOf('"', start + 1);
  while (end !== -1 && isEscaped(text, end)) end = text.indexOf('"', end + 1);
  return end === -1 ? text.length : end;
}

function isEscaped(text: string, quote: number): boolean {
  let at = quote - 1;
  while (text.charCodeAt(at) === code.backslash) at -= 1;
  return (quote - at) % 2 === 0;
}

/** Approximate memory of a value in bytes. Throws a `JsonFault` if it is nested too deeply for recursive functions. */
export function estimateBytes(value: unknown, depth = 0): number {
  if (typeof value === 'string') return size.text + value.length;
  if (typeof value !== 'object' || value === null) return size.scalar;
  if (depth === maxDepth) throw new JsonFault('depth');
  let bytes: number = size.container;
  if (Array.isArray(value)) for (const item of value) bytes += estimateBytes(item, depth + 1);
  else for (const name in value) bytes += size.text + name.length + estimateBytes((value as Holder)[name], depth + 1);
  return bytes;
}

type Holder = Readonly<Record<string, unknown>>;
