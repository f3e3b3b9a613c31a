/** A text read as one who decodes it would; `from` and `to` tell where each of its characters stands in the original. */
export interface Reading {
  readonly text: string;
  readonly from: (at: number) => number;
  readonly to: (at: number) => number;
}

const percent = `%[0-7][0-9a-f]|%[cd][0-9a-f]%[89ab][0-9a-f]|%e[0-9a-f](?:%[89ab][0-9a-f]){2}|%f[0-7](?:%[89ab][0-9a-f]){3}`;
const escaped = String.raw`\\u\{[0-9a-f]{1,6}\}|\\u[0-9a-f]{4}|\\x[0-9a-f]{2}|\\[nrtbf"\\/]`;
const entity = String.raw`&(?:amp|lt|gt|quot|apos|#\d{1,7}|#x[0-9a-f]{1,6});`;
const encoded = new RegExp(`${percent}|${escaped}|${entity}`, 'gi');

/** Encoded twice is as deep as a server that repeats what it was sent is known to go; once more is for our own escapes. */
const deepest = 3;

/** The text as it stands, and decoded once, twice and so on: percent signs, JSON escapes, HTML entities. All in lower case, white space as one blank. */
export function readingsOf(text: string): readonly Reading[] {
  const readings = [plainReading(text)];
  while (readings.length <= deepest) {
    const last = readings.at(-1);
    const next = last && decodedOnce(last);
    if (!next) break;
    readings.push(next);
  }
  return readings.map(folded);
}

function plainReading(text: string): Reading {
  return { text, from: (at) => at, to: (at) => at + 1 };
}

function decodedOnce(reading: Reading): Reading | undefined {
  return replaced(reading, encoded, decode);
}

/** Form encoding writes a blank as a plus sign. */
function folded(reading: Reading): Reading {
  const spaced = replaced(reading, /[\s+]+/g, () => ' ') ?? reading;
  return { ...spaced, text: lowerCase(spaced.text) };
}

/** Every character keeps its place: the one whose small form is longer stays as it is. */
function lowerCase(text: string): string {
  const lower = text.toLowerCase();
  if (lower.length === text.length) return lower;
  return text.replace(/./gs, (unit) => (unit.toLowerCase().length === 1 ? unit.toLowerCase() : unit));
}

/** Undefined when nothing in it is to be replaced. */
function replaced(reading: Reading, pattern: RegExp, by: (found: string) => string): Reading | undefined {
  const starts: number[] = [];
  const ends: number[] = [];
  let text = '';
  let done = 0;
  const add = (piece: string, start: number, end: number) => {
    text += piece;
    for (let at = 0; at < piece.length; at += 1) {
      starts.push(start);
      ends.push(end);
    }
  };
  const keep = (until: number) => {
    for (; done < until; done += 1) add(reading.text[done] ?? '', reading.from(done), reading.to(done));
  };
  for (const { 0: found, index } of reading.text.matchAll(pattern)) {
    keep(index);
    done = index + found.length;
    add(by(found), reading.from(index), reading.to(done - 1));
  }
  if (done === 0) return undefined;
  keep(reading.text.length);
  return { text, from: (at) => starts[at] ?? 0, to: (at) => ends[at] ?? 0 };
}

const named: Readonly<Record<string, string>> = {
  '\\n': '\n',
  '\\r': '\r',
  '\\t': '\t',
  '\\b': '\b',
  '\\f': '\f',
  '&amp;': '&',
  '&lt;': '<',
  '&gt;': '>',
  '&quot;': '"',
  '&apos;': "'",
};

function decode(found: string): string {
  const known = named[found.toLowerCase()];
  if (known !== undefined) return known;
  if (found.startsWith('%')) return decodeBytes(found);
  const [, hex, decimal] = /^(?:\\u\{?|\\x|&#x)([0-9a-f]+)|^&#(\d+)/i.exec(found) ?? [];
  if (hex === undefined && decimal === undefined) return found.slice(1);
  const point = hex === undefined ? Number(decimal) : Number.parseInt(hex, 16);
  return point <= 0x10ffff ? String.fromCodePoint(point) : found;
}

function decodeBytes(found: string): string {
  try {
    return decodeURIComponent(found);
  } catch {
    return found;
  }
}
