import type { Document, Pair } from 'yaml';
import { type EnvFile, type FileEntry, fileProblem, refuseDuplicates } from './entry.ts';

/** Reads one mapping of keys to texts; numbers, true and false count as they are spelled. Throws usage for anything else. */
export async function readYamlFile(file: EnvFile): Promise<readonly FileEntry[]> {
  const { document, lineOf } = await parse(file);
  const { isMap, isScalar } = await import('yaml');
  if (document.contents === null) return [];
  if (!isMap(document.contents)) throw fileProblem(file, 1, 'expected one mapping of keys to values');
  const entries = document.contents.items.map(({ key, value }: Pair): FileEntry => {
    const line = lineOf(key);
    if (!isScalar(key)) throw fileProblem(file, line, 'expected a key');
    const isText = isScalar(value) && value.value !== null && value.source !== undefined;
    if (!isText) throw fileProblem(file, line, `the value of ${String(key.value)} must be text`);
    return {
      key: key.source ?? String(key.value),
      value: typeof value.value === 'string' ? value.value : (value.source ?? ''),
      line,
    };
  });
  refuseDuplicates(file, entries);
  return entries;
}

/** What readers of YAML 1.1 or 1.2 take for something else than text. */
const notText = /^(?:y|n|yes|no|on|off|true|false|null)$/i;
/** JSON leaves them as they are, and YAML 1.1 takes them for ends of lines. */
const lineEnds = /[\u0085\u2028\u2029\ufeff]/g;

/** A mapping whose values stand in quotes: JSON's, which are YAML's too. */
export function writeYaml(values: ReadonlyMap<string, string>): string {
  if (values.size === 0) return '{}\n';
  const keyText = (key: string) => (/^[A-Za-z_]\w*$/.test(key) && !notText.test(key) ? key : quoted(key));
  return [...values].map(([key, value]) => `${keyText(key)}: ${quoted(value)}\n`).join('');
}

function quoted(text: string): string {
  const escaped = (sign: string) => `\\u${sign.charCodeAt(0).toString(16).padStart(4, '0')}`;
  return JSON.stringify(text).replace(lineEnds, escaped);
}

/** The text with these values, its comments and its other keys as they are. */
export async function updateYaml(file: EnvFile, values: ReadonlyMap<string, string>): Promise<string> {
  const { document } = await parse(file);
  const { isScalar } = await import('yaml');
  document.contents ??= document.createNode({});
  for (const [key, value] of values) {
    document.set(key, value);
    const node = document.get(key, true);
    // The library loses blanks of texts that it writes as blocks.
    if (isScalar(node) && value.includes('\n')) node.type = 'QUOTE_DOUBLE';
  }
  return document.toString({ lineWidth: 0, doubleQuotedMinMultiLineLength: Number.MAX_SAFE_INTEGER });
}

async function parse(file: EnvFile) {
  const { LineCounter, isNode, parseDocument } = await import('yaml');
  const lineCounter = new LineCounter();
  const document: Document = parseDocument(file.text, { lineCounter, uniqueKeys: false, compat: 'yaml-1.1' });
  const [error] = document.errors;
  if (error) throw fileProblem(file, lineCounter.linePos(error.pos[0]).line, `not valid YAML (${error.code})`);
  const lineOf = (node: unknown) => (isNode(node) && node.range ? lineCounter.linePos(node.range[0]).line : 0);
  return { document, lineOf };
}
