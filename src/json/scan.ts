import { JsonFault } from './fault.ts';

const maxDepth = 64;
const code = { quote: 34, zero: 48, nine: 57, colon: 58, backslash: 92 } as const;
const opening = { object: 123, list: 91 } as const;
const closing = { object: 125, list: 93 } as const;
/** The rest of a number: `+ - . E e`. */
const numberSigns: ReadonlySet<number> = new Set([43, 45, 46, 69, 101]);
/** The shortest integer beyond 2^53 has sixteen digits. */
const riskyDigits = 16;

/**
 * Walks the structure of a JSON text and throws a `JsonFault` for deep nesting or a repeated key.
 * True when a number in it may not survive as a JavaScript number. Syntax is left to the parser.
 */
export function scanJson(text: string): boolean {
  const open: Open[] = [];
  let risky = false;
  let at = 0;
  while (at < text.length) {
    const char = text.charCodeAt(at);
    const start = at;
    if (char === code.quote) {
      at = endOfString(text, start);
      noteKey(text, { from: start, end: at, keys: open.at(-1) });
    } else if (isDigit(char)) {
      at = endOfNumber(text, start);
      risky ||= mayLose(text.slice(start, at));
    } else {
      nest(open, char, start);
      at += 1;
    }
  }
  return risky;
}

/** The keys of an object that is open at this point; a list has none. */
type Open = Set<string> | undefined;

function nest(open: Open[], char: number, at: number): void {
  if (char === closing.object || char === closing.list) open.pop();
  if (char !== opening.object && char !== opening.list) return;
  if (open.length === maxDepth) throw new JsonFault('depth', at);
  open.push(char === opening.object ? new Set() : undefined);
}

function noteKey(
  text: string,
  found: { readonly from: number; readonly end: number; readonly keys: Set<string> | undefined },
): void {
  const { from, end, keys } = found;
  if (!keys || !isKey(text, end)) return;
  const raw = text.slice(from + 1, end - 1);
  const key = raw.includes('\\') ? unescaped(raw) : raw;
  if (keys.has(key)) throw new JsonFault('duplicate_key', from);
  keys.add(key);
}

function isKey(text: string, end: number): boolean {
  let at = end;
  while (isSpace(text.charCodeAt(at))) at += 1;
  return text.charCodeAt(at) === code.colon;
}

/** `a` written as `\u0061` is the same key; a broken escape is left to the parser to refuse. */
function unescaped(raw: string): string {
  try {
    return String(JSON.parse(`"${raw}"`));
  } catch {
    return raw;
  }
}

function endOfString(text: string, from: number): number {
  let quote = text.indexOf('"', from + 1);
  while (quote !== -1 && isEscaped(text, quote)) quote = text.indexOf('"', quote + 1);
  return quote === -1 ? text.length : quote + 1;
}

function isEscaped(text: string, quote: number): boolean {
  let at = quote - 1;
  while (text.charCodeAt(at) === code.backslash) at -= 1;
  return (quote - at) % 2 === 0;
}

function endOfNumber(text: string, from: number): number {
  let at = from + 1;
  while (at < text.length && isNumberPart(text.charCodeAt(at))) at += 1;
  return at;
}

function mayLose(number: string): boolean {
  return number.length >= riskyDigits || /[eE]/.test(number);
}

function isNumberPart(char: number): boolean {
  return isDigit(char) || numberSigns.has(char);
}

function isDigit(char: number): boolean {
  return char >= code.zero && char <= code.nine;
}

function isSpace(char: number): boolean {
  return char === 32 || (char >= 9 && char <= 13);
}
