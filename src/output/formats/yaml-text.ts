import type { ScalarTag } from 'yaml';
import { hidden } from '../../json/invisible.ts';
import { lazyRegExp } from '../../json/lazy-regexp.ts';
import { copySpelling, spellingOf } from '../../json/spelling.ts';
import { estimateBytes } from '../../json/weigh.ts';
import { jsonPieces } from '../../json/write.ts';

/** What YAML or a terminal must not meet bare: controls, half characters, and what is invisible or turns text around. */
const unsafe = lazyRegExp(String.raw`${hidden}(?<![\n\t])`, 'gu');

/** The library makes about 500 bytes of nodes for each value, so that rows take turns. */
const rowsAtOnce = 100;
const mostBytes = 1_000_000;

function isSmall(value: unknown): boolean {
  return estimateBytes(value) <= mostBytes;
}

/** As `yamlText` with a line feed: rows some at a time, what is large in itself as JSON, which YAML knows. */
export async function* yamlPieces(value: unknown): AsyncGenerator<string> {
  if (!Array.isArray(value) || value.length <= rowsAtOnce) return yield* yamlPiece(value);
  for (let from = 0; from < value.length; from += rowsAtOnce) {
    const rows = value.slice(from, from + rowsAtOnce);
    for (const at of rows.keys())
      copySpelling({ holder: value, key: String(from + at) }, { holder: rows, key: String(at) });
    if (isSmall(rows)) yield `${await yamlText(rows)}\n`;
    else for (const row of rows) yield* listItem(row);
  }
}

async function* listItem(row: unknown): AsyncGenerator<string> {
  if (isSmall(row)) return yield `${await yamlText([row])}\n`;
  yield '- ';
  yield* yamlPiece(row);
}

async function* yamlPiece(value: unknown): AsyncGenerator<string> {
  if (isSmall(value)) return yield `${await yamlText(value)}\n`;
  yield* jsonPieces(value, { indent: false, escapeControls: true });
  yield '\n';
}

/** One YAML document: quotes around what YAML 1.1 or 1.2 would take for another type (`no`, `0123`, `12:30`). */
export async function yamlText(value: unknown): Promise<string> {
  const { Document, visit } = await import('yaml');
  const document = new Document(value, spelled, {
    aliasDuplicateObjects: false,
    compat: 'yaml-1.1',
    customTags: (tags) => [spelledNumber, ...tags],
  });
  visit(document, {
    Scalar: (key, node) => {
      if (typeof node.value === 'string' && wantsQuotes(node.value, key === null)) node.type = 'QUOTE_DOUBLE';
    },
  });
  // Folded lines and lines broken within quotes would be the same values, and harder to look through.
  const text = document.toString({ lineWidth: 0, doubleQuotedMinMultiLineLength: Number.MAX_SAFE_INTEGER });
  return text.replace(unsafe(), escaped).replace(/\n$/, '');
}

/** A number in the spelling it came in. */
class Spelled {
  readonly text: string;

  constructor(text: string) {
    this.text = text;
  }
}

function spelled(this: unknown, key: unknown, item: unknown): unknown {
  const text = typeof this === 'object' && this !== null ? spellingOf(this, String(key)) : undefined;
  return text === undefined ? item : new Spelled(text);
}

const spelledNumber: ScalarTag = {
  identify: (value) => value instanceof Spelled,
  default: true,
  tag: 'tag:yaml.org,2002:float',
  resolve: (text) => text,
  stringify: ({ value }) => (value instanceof Spelled ? value.text : String(value)),
};

function wantsQuotes(text: string, isAlone: boolean): boolean {
  // Bare, some readers of YAML 1.1 (PyYAML) take `=` for a type of its own, a tab within a line or before one for a
  // mistake, and the lines of a text that stands alone for a new document. Blanks and line feeds at an end of a text are
  // lost, or taken for its indentation.
  if (isAlone && text.includes('\n')) return true;
  return text === '=' || /^[^\n]*\t[^\n]*$|^[\n\t ]|\n[\n\t ]*\n$/.test(text) || text.search(unsafe()) >= 0;
}

function escaped(found: string): string {
  // Such characters stand in double quotes only, where YAML knows these escapes.
  const digits = (found.codePointAt(0) ?? 0).toString(16);
  return digits.length > 4 ? `\\U${digits.padStart(8, '0')}` : `\\u${digits.padStart(4, '0')}`;
}
