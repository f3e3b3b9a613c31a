import type { Document, ScalarTag, Tags } from 'yaml';
import { originalOf } from '../../contract/values/json.ts';
import { hiddenCharacterClass, lazyRegExp } from '../../json/invisible.ts';
import { copySpelling, estimateBytes, spellingOf } from '../../json/read.ts';
import { jsonPieces } from '../../json/write.ts';

/** Matches characters that need quotes in YAML or can disturb a terminal, such as controls and bidirectional marks. */
const getUnsafePattern = lazyRegExp(String.raw`${hiddenCharacterClass}(?<![\n\t])`, 'gu');

/** Rows converted at a time. If one text is not simple, the YAML library converts all, at about 500 bytes a value. */
const rowsPerBatch = 10;
const maxYamlBytes = 1_000_000;

let writeSimple: ReturnType<typeof createSimpleWriter> | undefined;

function isSmall(value: unknown): boolean {
  return estimateBytes(value) <= maxYamlBytes;
}

/** Yields a value as YAML, some rows at a time. A row above `maxYamlBytes` is written as JSON, which is valid YAML. */
export async function* yamlPieces(value: unknown): AsyncGenerator<string> {
  if (!Array.isArray(value) || value.length <= rowsPerBatch) return yield* yamlPiece(value);
  for (let start = 0; start < value.length; start += rowsPerBatch) {
    const rows = value.slice(start, start + rowsPerBatch);
    for (const at of rows.keys()) copySpelling(value, String(start + at), rows, String(at));
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
  yield* jsonPieces(value, { escapeControls: true });
  yield '\n';
}

/** Returns one YAML document. Text is quoted if YAML 1.1 or 1.2 would read another type (`no`, `0123`, `12:30`). */
export async function yamlText(value: unknown): Promise<string> {
  const { Document, visit } = await import('yaml');
  writeSimple ??= createSimpleWriter(typesOf(new Document(null, documentOptions)));
  const simpleResult = Array.isArray(value) ? writeSimple(value) : undefined;
  if (simpleResult !== undefined) return simpleResult;
  const document = new Document(value, replaceBySpelled, documentOptions);
  visit(document, {
    Scalar: (key, node) => {
      if (typeof node.value === 'string' && needsQuotes(node.value, key === null)) node.type = 'QUOTE_DOUBLE';
    },
  });
  // Long lines are not folded, because folded text is harder to search.
  const text = document.toString({ lineWidth: 0, doubleQuotedMinMultiLineLength: Number.MAX_SAFE_INTEGER });
  return text.replace(getUnsafePattern(), escapeCharacter).replace(/\n$/, '');
}

/** A number in its original spelling, which the YAML library writes unchanged. */
class SpelledNumber {
  readonly text: string;

  constructor(text: string) {
    this.text = text;
  }
}

function replaceBySpelled(this: unknown, key: unknown, item: unknown): unknown {
  const text = typeof this === 'object' && this !== null ? spellingOf(this, String(key)) : undefined;
  return text === undefined ? item : new SpelledNumber(text);
}

const spelledNumberTag: ScalarTag = {
  identify: (value) => value instanceof SpelledNumber,
  default: true,
  tag: 'tag:yaml.org,2002:float',
  resolve: (text) => text,
  stringify: ({ value }) => (value instanceof SpelledNumber ? value.text : String(value)),
};

function typesOf({ schema }: Document) {
  return [...(schema?.tags ?? []), ...(schema?.compat ?? [])];
}

const documentOptions = {
  aliasDuplicateObjects: false,
  compat: 'yaml-1.1',
  customTags: (tags: Tags) => [spelledNumberTag, ...tags],
} as const;

function needsQuotes(text: string, isTopLevel: boolean): boolean {
  // PyYAML misreads some texts without quotes: `=`, a text with a tab, and lines of a top-level text, which it takes
  // for a new document. Blanks and line feeds at the ends of a text would be lost or read as indentation.
  if (text === '=' || (isTopLevel && text.includes('\n'))) return true;
  return /^[^\n]*\t[^\n]*$|^[\n\t ]|\n[\t ]*\n$/.test(text) || text.search(getUnsafePattern()) >= 0;
}

function escapeCharacter(character: string): string {
  // A text with such a character is always in double quotes, in which the escape is valid.
  const digits = (character.codePointAt(0) ?? 0).toString(16);
  return digits.length > 4 ? `\\U${digits.padStart(8, '0')}` : `\\u${digits.padStart(4, '0')}`;
}

/** Matches a text that fits on one line without escapes, and whose first character has no special meaning in YAML. */
const simpleTextPattern = /^[A-Za-z0-9_/(+][\x20-\x7e\u00a1-\u00ac\u00ae-\u02ff]{0,1000}$/;
/** Maximum number of field names whose YAML text is kept, because the next rows have the same names. */
const maxCachedNames = 500;
const needsQuotesPattern = /: | #|[ :]$/;

/** A type of the YAML library. `test` matches texts that YAML readers take for this type. */
interface YamlType {
  readonly default?: unknown;
  readonly test?: RegExp;
}

/** Writes lists and objects in a tenth of the library's time. Undefined for a text that only the library can write. */
export function createSimpleWriter(types: readonly YamlType[]): (value: unknown) => string | undefined {
  const typePatterns = types.flatMap((type) => (type.default === true ? (type.test ?? []) : []));
  const otherTypePattern = new RegExp(typePatterns.map(({ source }) => source).join('|'));
  let isSimple = true;

  const stringText = (text: string): string => {
    isSimple &&= simpleTextPattern.test(text);
    if (!isSimple || !(needsQuotesPattern.test(text) || otherTypePattern.test(text))) return text;
    isSimple = !/["'\\]/.test(text);
    return `"${text}"`;
  };
  const nameTexts = new Map<string, string>();
  const nameText = (name: string): string => {
    const cachedText = nameTexts.get(name);
    if (cachedText !== undefined) return cachedText;
    const text = stringText(name);
    if (nameTexts.size >= maxCachedNames) nameTexts.clear();
    if (isSimple) nameTexts.set(name, text);
    return text;
  };
  const scalarText = (value: unknown): string => {
    if (typeof value === 'string') return stringText(value);
    isSimple &&= value === null || ['number', 'bigint', 'boolean'].includes(typeof value);
    return Object.is(value, -0) ? '-0' : String(value);
  };
  const entryText = (holder: object, key: string, typed: unknown, indent: string): string => {
    const value = originalOf(typed);
    if (typeof value === 'number') return spellingOf(holder, key) ?? scalarText(value);
    if (!isCollection(value)) return scalarText(value);
    const innerIndent = `${indent}  `;
    if (Array.isArray(value)) {
      if (value.length === 0) return '[]';
      return value.map((item, at) => `- ${entryText(value, String(at), item, innerIndent)}`).join(`\n${indent}`);
    }
    const entries = Object.entries(value);
    if (entries.length === 0) return '{}';
    const separator = (item: unknown) =>
      isCollection(item) && Object.keys(item).length > 0 ? `\n${innerIndent}` : ' ';
    return entries
      .map(([name, item]) => `${nameText(name)}:${separator(item)}${entryText(value, name, item, innerIndent)}`)
      .join(`\n${indent}`);
  };
  return (value) => {
    isSimple = true;
    const text = entryText({}, '', value, '');
    return isSimple ? text : undefined;
  };
}

function isCollection(value: unknown): value is object {
  return typeof value === 'object' && value !== null;
}
