import { JsonFault } from './fault.ts';
import { losesSpelling, riskyDigits } from './number.ts';
import { charactersPerTurn, valuesPerTurn } from './turn.ts';

const maxDepth = 64;
/** Names are counted too, because they take memory. */
const maxValues = 5_000_000;
const maxDigits = 1_000;
const maxBytes = 160 * 1024 * 1024;
/** Limit for one object: with more names V8 takes minutes. */
const maxNames = 100_000;
const code = { quote: 34, comma: 44, minus: 45, zero: 48, nine: 57, colon: 58, backslash: 92 } as const;
const opening = { object: 123, list: 91 } as const;
const closing = { object: 125, list: 93 } as const;
/** The rest of a number: `+ - . E e`. */
const numberSigns: ReadonlySet<number> = new Set([43, 45, 46, 69, 101]);
/** First letters of `true`, `false` and `null`, which occur nowhere else in them. */
const literals: ReadonlySet<number> = new Set([102, 110, 116]);

/** Approximate bytes of memory per item in V8; a string adds its characters. */
const size = { container: 64, text: 24, scalar: 8 } as const;

/** A container that is open at the scan position. */
export interface Open {
  /** Position of its bracket. */
  readonly at: number;
  readonly isObject: boolean;
  /** Names of an object since the last cut; the latest is `name`. */
  names: Set<string>;
  name: string;
  members: number;
  /** The part that was read at earlier cuts. */
  holder: Record<string, unknown> | unknown[] | undefined;
  /** Start of the members that are not parsed yet. */
  from: number;
}

/**
 * Why the scan stopped: the text ended, the event loop must run, or the open containers can be cut here (at a comma, or
 * at the end of a cut container).
 */
export type Stop = 'end' | 'pause' | 'comma' | 'close';

/** Walks the structure of a JSON text in steps; syntax is checked by the parser. */
export class JsonScan {
  readonly open: Open[] = [];
  /** Approximate memory of the values. */
  bytes = 0;
  /** True when a number since the last cut would lose digits or its spelling in `JSON.parse`. */
  risky = false;
  readonly #text: string;
  #at = 0;
  #values = 0;
  #cut = { at: 0, values: 0 };
  /** Start of an unfinished string. */
  #quoted: number | undefined;

  constructor(text: string) {
    this.#text = text;
  }

  get position(): number {
    return this.#at;
  }

  /** Scans to the next stop; throws a `JsonFault` when a limit is exceeded or a key repeats. */
  advance(): Stop {
    const begun = { at: this.#at, values: this.#values };
    while (this.#at < this.#text.length) {
      const char = this.#text.charCodeAt(this.#at);
      if (char === code.comma && this.#isDue(this.#cut)) return 'comma';
      if (isClosing(char) && this.open.at(-1)?.holder) return 'close';
      if (this.#isDue(begun)) return 'pause';
      this.#step(char);
      if (this.#quoted !== undefined) return 'pause';
    }
    return 'end';
  }

  /** Call it after all open containers were cut here. */
  noteCut(): void {
    this.#cut = { at: this.#at, values: this.#values };
    this.risky = false;
    for (const container of this.open) container.names = new Set();
  }

  /** Leaves a container at its end. */
  close(): void {
    this.open.pop();
    this.#at += 1;
  }

  #isDue(since: { readonly at: number; readonly values: number }): boolean {
    return this.#at - since.at >= charactersPerTurn || this.#values - since.values >= valuesPerTurn;
  }

  #step(char: number): void {
    if (char === code.quote) this.#readText();
    else if (isDigit(char)) this.#readNumber();
    else this.#readSign(char);
  }

  #readSign(char: number): void {
    if (char === opening.object || char === opening.list) this.#openContainer(char === opening.object);
    else if (isClosing(char)) this.open.pop();
    else if (literals.has(char)) this.#count(size.scalar);
    this.#at += 1;
  }

  #count(bytes: number): void {
    this.bytes += bytes;
    this.#values += 1;
    if (this.#values > maxValues) throw new JsonFault('too_many_values', this.#at);
    if (this.bytes > maxBytes) throw new JsonFault('too_large', this.#at);
  }

  #openContainer(isObject: boolean): void {
    const at = this.#at;
    if (this.open.length === maxDepth) throw new JsonFault('depth', at);
    this.#count(size.container);
    this.open.push({ at, isObject, names: new Set(), name: '', members: 0, holder: undefined, from: at + 1 });
  }

  /** A string with many escaped quotes is scanned in steps too. */
  #readText(): void {
    const text = this.#text;
    const start = this.#quoted ?? this.#at;
    let quote = text.indexOf('"', this.#at + 1);
    for (let escaped = 0; quote !== -1 && isEscaped(text, quote); escaped += 1) {
      if (escaped === valuesPerTurn) {
        this.#quoted = start;
        this.#at = quote;
        return;
      }
      quote = text.indexOf('"', quote + 1);
    }
    this.#quoted = undefined;
    this.#at = quote === -1 ? text.length : quote + 1;
    this.#count(size.text + this.#at - start);
    this.#noteName(start);
  }

  #noteName(start: number): void {
    const container = this.open.at(-1);
    if (!container?.isObject || !isName(this.#text, this.#at)) return;
    const raw = this.#text.slice(start + 1, this.#at - 1);
    const name = raw.includes('\\') ? unescaped(raw) : raw;
    const isRepeated = container.names.has(name) || (container.holder && Object.hasOwn(container.holder, name));
    if (isRepeated) throw new JsonFault('duplicate_key', start);
    container.names.add(name);
    container.name = name;
    container.members += 1;
    if (container.members > maxNames) throw new JsonFault('too_many_names', start);
  }

  #readNumber(): void {
    const text = this.#text;
    const start = this.#at;
    let at = start;
    let digits = 0;
    for (let char = text.charCodeAt(at); isNumberPart(char); at += 1, char = text.charCodeAt(at)) {
      if (isDigit(char)) digits += 1;
      if (digits > maxDigits) throw new JsonFault('long_number', start);
    }
    this.#at = at;
    this.#count(size.scalar);
    const isNegative = text.charCodeAt(start - 1) === code.minus;
    const isShortInteger = digits === at - start && digits < riskyDigits;
    if (this.risky || (isShortInteger && !isNegative)) return;
    this.risky = losesSpelling(text.slice(isNegative ? start - 1 : start, at));
  }
}

function isName(text: string, end: number): boolean {
  let at = end;
  while (isSpace(text.charCodeAt(at))) at += 1;
  return text.charCodeAt(at) === code.colon;
}

/** `a` written as `\u0061` is the same name; a broken escape is left to the parser to refuse. */
function unescaped(raw: string): string {
  try {
    return String(JSON.parse(`"${raw}"`));
  } catch {
    return raw;
  }
}

function isEscaped(text: string, quote: number): boolean {
  let at = quote - 1;
  while (text.charCodeAt(at) === code.backslash) at -= 1;
  return (quote - at) % 2 === 0;
}

function isClosing(char: number): boolean {
  return char === closing.object || char === closing.list;
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
