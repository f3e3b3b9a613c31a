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
  if (!/[%\\&]/.test(text)) return readings.map(folded);
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

/** White space that is no single blank; form encoding writes one as a plus sign. */
const blanks = /[\s+]{2,}|[^\S ]|\+/g;

function folded(reading: Reading): Reading {
  const spaced = replaced(reading, blanks, () => ' ') ?? reading;
  return { ...spaced, text: lowerCase(spaced.text) };
}

/** The same for capital and small letters; every character keeps its place, so one whose other form is longer stays as it is. */
export function lowerCase(text: string): string {
  const upper = text.toUpperCase();
  const lower = upper.toLowerCase();
  if (upper.length !== text.length || lower.length !== text.length) return text.replace(/./gsu, lowerCaseOf);
  // A sigma is written otherwise where a word ends.
  return lower.replaceAll('ς', 'σ');
}

function lowerCaseOf(character: string): string {
  return (
    [character.toUpperCase().toLowerCase(), character.toLowerCase()].find(
      ({ length }) => length === character.length,
    ) ?? character
  );
}

/** A piece that was replaced: where it stands now, and where what it replaced stood. */
interface Mark {
  readonly at: number;
  readonly size: number;
  readonly from: number;
  readonly to: number;
}

/** Undefined when nothing in it is to be replaced. */
function replaced(reading: Reading, pattern: RegExp, by: (found: string) => string): Reading | undefined {
  const marks: Mark[] = [];
  const pieces: string[] = [];
  let done = 0;
  let length = 0;
  for (const { 0: found, index } of reading.text.matchAll(pattern)) {
    const piece = by(found);
    const at = length + index - done;
    pieces.push(reading.text.slice(done, index), piece);
    done = index + found.length;
    length = at + piece.length;
    marks.push({ at, size: piece.length, from: index, to: done });
  }
  if (marks.length === 0) return undefined;
  pieces.push(reading.text.slice(done));
  const before = placeBefore(marks);
  return {
    text: pieces.join(''),
    from: (at) => reading.from(before(at).from),
    to: (at) => reading.to(before(at).to - 1),
  };
}

/** Where the character at a place stood: alone, or as a part of what was replaced. */
function placeBefore(marks: readonly Mark[]): (at: number) => Pick<Mark, 'from' | 'to'> {
  return (at) => {
    let [low, high] = [0, marks.length];
    while (low < high) {
      const middle = (low + high) >> 1;
      if ((marks[middle]?.at ?? 0) <= at) low = middle + 1;
      else high = middle;
    }
    const mark = marks[low - 1];
    if (!mark) return { from: at, to: at + 1 };
    const behind = at - mark.at - mark.size;
    return behind < 0 ? mark : { from: mark.to + behind, to: mark.to + behind + 1 };
  };
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
