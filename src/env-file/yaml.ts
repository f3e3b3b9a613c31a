import type { Document, Pair } from 'yaml';
import { type EnvFile, envFileError, type FileEntry, type NamedValues, refuseDuplicates } from './dotenv.ts';

/** Reads one mapping of keys to texts; numbers, true and false keep their spelling. Throws usage for anything else. */
export async function readYamlFile(file: EnvFile): Promise<readonly FileEntry[]> {
  const plain = plainEntries(file);
  if (plain) return plain;
  const { document, lineOf } = await parse(file, 'core');
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

/** Words that YAML 1.1 or 1.2 reads as booleans or null. */
const notText = /^(?:y|n|yes|no|on|off|true|false|null)$/i;
/** JSON does not escape these characters, and YAML 1.1 reads them as line ends. */
const lineEnds = /[\u0085\u2028\u2029\ufeff]/g;

/** Writes a mapping with quoted values. JSON quoting is valid YAML. */
export function writeYaml(values: NamedValues): string {
  if (values.size === 0) return '{}\n';
  const keyText = (key: string) => (isPlain(key) ? key : quoteText(key));
  return [...values].map(([key, value]) => `${keyText(key)}: ${quoteText(value)}\n`).join('');
}

function isPlain(key: string): boolean {
  return /^[A-Za-z_]\w*$/.test(key) && !notText.test(key);
}

function quoteText(text: string): string {
  const escaped = (sign: string) => `\\u${sign.charCodeAt(0).toString(16).padStart(4, '0')}`;
  return JSON.stringify(text).replace(lineEnds, escaped);
}

/** Replaces values in a text; its comments and other keys stay. */
export async function updateYaml(file: EnvFile, values: NamedValues): Promise<string> {
  const plain = plainEntries(file);
  if (plain) return writeYaml(new Map([...plain.map(({ key, value }) => [key, value] as const), ...values]));
  // With this schema every value is text in its own spelling.
  const { document } = await parse(file, 'failsafe');
  const { isScalar, Scalar } = await import('yaml');
  const quotedNode = (text: string) => Object.assign(new Scalar(text), { type: 'QUOTE_DOUBLE' });
  document.contents ??= document.createNode({});
  for (const [key, value] of values) {
    const known = document.get(key, true);
    if (!isScalar(known)) document.set(isPlain(key) ? key : quotedNode(key), quotedNode(value));
    else if (known.value !== value) Object.assign(known, { value, type: 'QUOTE_DOUBLE' });
  }
  return document.toString({ lineWidth: 0, doubleQuotedMinMultiLineLength: Number.MAX_SAFE_INTEGER });
}

function plainEntries(file: EnvFile): readonly FileEntry[] | undefined {
  const entries: FileEntry[] = [];
  for (const [index, line] of file.text.replace(/\n$/, '').split('\n').entries()) {
    const colon = line.startsWith('"') ? line.indexOf('": ') + 1 : line.indexOf(': ');
    const [key, value] = [keyIn(line.slice(0, colon)), textIn(line.slice(colon + 2))];
    if (key === undefined || value === undefined) return undefined;
    entries.push({ key, value, line: index + 1 });
  }
  refuseDuplicates(file, entries);
  return entries;
}

function keyIn(written: string): string | undefined {
  return isPlain(written) ? written : textIn(written);
}

function textIn(written: string): string | undefined {
  if (!(written.startsWith('"') && written.endsWith('"'))) return undefined;
  try {
    return String(JSON.parse(written));
  } catch {
    return undefined;
  }
}

/** The YAML parser takes seconds for some longer texts, and crashes on others. */
const mostCharacters = 65_536;

async function parse(file: EnvFile, schema: 'core' | 'failsafe') {
  if (file.text.length > mostCharacters) {
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
