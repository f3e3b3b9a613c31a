import type { Document, Pair } from 'yaml';
import { unicodeEscaped } from '../json/write.ts';
import { type EnvFile, envFileError, type FileEntry, type NamedValues, refuseDuplicates } from './dotenv.ts';

/** Reads one mapping of keys to text. Numbers, true and false stay as spelled. Throws `usage` for other content. */
export async function readYamlEntries(file: EnvFile): Promise<readonly FileEntry[]> {
  const simpleEntries = readSimpleYaml(file);
  if (simpleEntries) return simpleEntries;
  const { document, lineOf } = await parseYaml(file, 'core');
  const { isMap, isScalar } = await import('yaml');
  if (document.contents === null) return [];
  if (!isMap(document.contents)) throw envFileError(file, 1, 'expected one mapping of keys to values');
  const entries = document.contents.items.map(({ key, value }: Pair): FileEntry => {
    const line = lineOf(key);
    if (!isScalar(key)) throw envFileError(file, line, 'expected a key');
    const isText = isScalar(value) && value.value !== null && value.source !== undefined;
    if (!isText) throw envFileError(file, line, `the value of ${String(key.value)} must be text`);
    return {
      key: key.source ?? String(key.value),
      value: typeof value.value === 'string' ? value.value : (value.source ?? ''),
      line,
    };
  });
  refuseDuplicates(file, entries);
  return entries;
}

/** Matches the words that YAML 1.1 or 1.2 reads as a boolean or null, so they are quoted. */
const booleanOrNullPattern = /^(?:y|n|yes|no|on|off|true|false|null)$/i;
/** Matches characters that JSON leaves unescaped: line ends of YAML 1.1, and the byte order mark. */
const unescapedByJsonPattern = /[\u0085\u2028\u2029\ufeff]/g;

/** Returns variables as a YAML mapping. The values are quoted as in JSON, which is valid YAML. */
export function yamlEnvText(values: NamedValues): string {
  if (values.size === 0) return '{}\n';
  const keyText = (key: string) => (isPlainKey(key) ? key : quoteText(key));
  return [...values].map(([key, value]) => `${keyText(key)}: ${quoteText(value)}\n`).join('');
}

function isPlainKey(key: string): boolean {
  return /^[A-Za-z_]\w*$/.test(key) && !booleanOrNullPattern.test(key);
}

function quoteText(text: string): string {
  return JSON.stringify(text).replace(unescapedByJsonPattern, unicodeEscaped);
}

/** Returns the text of a YAML file with these values; its comments and other keys stay. */
export async function updatedYamlText(file: EnvFile, values: NamedValues): Promise<string> {
  const entries = readSimpleYaml(file);
  if (entries) return yamlEnvText(new Map([...entries.map(({ key, value }) => [key, value] as const), ...values]));
  // The failsafe schema reads every value as the text that spells it, so it can be compared with the new text.
  const { document } = await parseYaml(file, 'failsafe');
  const { isScalar, Scalar } = await import('yaml');
  const quotedNode = (text: string) => Object.assign(new Scalar(text), { type: 'QUOTE_DOUBLE' });
  document.contents ??= document.createNode({});
  for (const [key, value] of values) {
    const oldNode = document.get(key, true);
    if (!isScalar(oldNode)) document.set(isPlainKey(key) ? key : quotedNode(key), quotedNode(value));
    else if (oldNode.value !== value) Object.assign(oldNode, { value, type: 'QUOTE_DOUBLE' });
  }
  return document.toString({ lineWidth: 0, doubleQuotedMinMultiLineLength: Number.MAX_SAFE_INTEGER });
}

function readSimpleYaml(file: EnvFile): readonly FileEntry[] | undefined {
  const entries: FileEntry[] = [];
  for (const [index, line] of file.text.replace(/\n$/, '').split('\n').entries()) {
    const colonIndex = line.startsWith('"') ? line.indexOf('": ') + 1 : line.indexOf(': ');
    const [keyText, value] = [line.slice(0, colonIndex), unquote(line.slice(colonIndex + 2))];
    const key = isPlainKey(keyText) ? keyText : unquote(keyText);
    if (key === undefined || value === undefined) return undefined;
    entries.push({ key, value, line: index + 1 });
  }
  refuseDuplicates(file, entries);
  return entries;
}

function unquote(quoted: string): string | undefined {
  if (!(quoted.startsWith('"') && quoted.endsWith('"'))) return undefined;
  try {
    return String(JSON.parse(quoted));
  } catch {
    return undefined;
  }
}

/** Maximum characters for the YAML parser, which takes seconds for some longer texts and crashes on others. */
const maxYamlCharacters = 65_536;

async function parseYaml(file: EnvFile, schema: 'core' | 'failsafe') {
  if (file.text.length > maxYamlCharacters) {
    throw envFileError(file, 0, 'YAML over 64 KiB must be one KEY: "VALUE" a line, as env export writes it');
  }
  const { LineCounter, isNode, parseDocument } = await import('yaml');
  const lineCounter = new LineCounter();
  const document: Document = parseDocument(file.text, { lineCounter, uniqueKeys: false, prettyErrors: false, schema });
  const [error] = document.errors;
  if (error) throw envFileError(file, lineCounter.linePos(error.pos[0]).line, `not valid YAML (${error.code})`);
  const lineOf = (node: unknown) => (isNode(node) && node.range ? lineCounter.linePos(node.range[0]).line : 0);
  return { document, lineOf };
}
