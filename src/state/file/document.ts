import type { Node, Pair } from 'yaml';
import { groupBy } from '../../contract/values/group-by.ts';
import { CliError } from '../../errors/cli-error.ts';

export interface Position {
  readonly line: number;
  /** Reports a mistake here. The message must not quote a value of the file, because the value may be secret. */
  readonly addMistake: (message: string) => undefined;
}

/** A value of the file. A number, `true` or `null` has the kind `text` and is kept as spelled. */
export type FileValue = { readonly at: Position } & (
  | { readonly kind: 'text'; readonly text: string }
  | { readonly kind: 'list'; readonly items: readonly FileValue[] }
  | { readonly kind: 'map'; readonly pairs: readonly FilePair[] }
);

export interface FilePair {
  readonly key: string;
  readonly at: Position;
  readonly value: FileValue;
}

type Mistake = { readonly file: string; readonly line: number; readonly column: number; readonly message: string };

/** Collects the mistakes of a file, so that one error reports all of them. */
export class Mistakes {
  readonly #fileName: string;
  /** The mistakes by their text. */
  readonly #found = new Map<string, Mistake>();

  constructor(fileName: string) {
    this.#fileName = fileName;
  }

  add(line: number, column: number, message: string): undefined {
    const file = this.#fileName;
    this.#found.set(`${file}:${line}:${column}: ${message}`, { file, line, column, message });
  }

  /** Throws `usage` with all mistakes, if there are any. */
  throwAll(): void {
    if (this.#found.size === 0) return;
    const found = [...this.#found].toSorted(([, one], [, other]) => one.line - other.line || one.column - other.column);
    const texts = found.map(([text]) => text);
    const title = `${this.#fileName} has ${texts.length} mistakes`;
    const [head = '', ...lines] = texts.length === 1 ? texts : [title, ...texts];
    throw new CliError('usage', head, { lines, extra: { details: found.map(([, mistake]) => mistake) } });
  }
}

/** Reads one YAML or JSON document. An empty document is an empty map. Throws `usage` for invalid YAML. */
export async function readStackDocument(text: string, mistakes: Mistakes): Promise<FileValue> {
  const { isAlias, isMap, isScalar, isSeq, LineCounter, parseDocument } = await import('yaml');
  const lineCounter = new LineCounter();
  const document = parseDocument(text, { lineCounter, uniqueKeys: false, prettyErrors: false, schema: 'failsafe' });
  const positionAt = (offset = 0): Position => {
    const { line, col: column } = lineCounter.linePos(offset);
    return { line, addMistake: (message) => mistakes.add(line, column, message) };
  };
  // Errors of tags and aliases are left out, because `readNode` reports every tag and alias.
  const errors = document.errors.filter(({ code }) => code !== 'TAG_RESOLVE_FAILED' && code !== 'BAD_ALIAS');
  for (const { code, pos } of errors) positionAt(pos[0]).addMistake(syntaxMistake(code));
  // After a syntax mistake the parsed content may be wrong, so it is not read.
  mistakes.throwAll();
  if (document.contents === null) return { kind: 'map', at: positionAt(), pairs: [] };

  const readNode = (node: Node): FileValue => {
    const at = positionAt(node.range?.[0]);
    if (isAlias(node)) at.addMistake('aliases are not supported');
    if (node.tag !== undefined) at.addMistake('tags (!…) are not supported');
    if ('anchor' in node && node.anchor !== undefined) at.addMistake('anchors (&…) are not supported');
    if (isSeq<Node>(node)) return { kind: 'list', at, items: node.items.map(readNode) };
    if (isMap<Node, Node | null>(node)) return { kind: 'map', at, pairs: node.items.flatMap(readPair) };
    return { kind: 'text', at, text: isScalar(node) ? String(node.value ?? '') : '' };
  };
  const readPair = ({ key, value }: Pair<Node, Node | null>): FilePair[] => {
    const parsedKey = readNode(key);
    const { at } = parsedKey;
    if (parsedKey.kind !== 'text') at.addMistake('a key must be text');
    else if (parsedKey.text === '<<') at.addMistake('merge keys (<<) are not supported');
    else return [{ key: parsedKey.text, at, value: value === null ? { kind: 'text', at, text: '' } : readNode(value) }];
    return [];
  };
  const root = readNode(document.contents);
  reportDuplicates(root);
  return root;
}

function syntaxMistake(code: string): string {
  return code === 'MULTIPLE_DOCS' ? 'only one document is allowed' : `not valid YAML (${code})`;
}

function reportDuplicates(value: FileValue): void {
  if (value.kind === 'list') for (const item of value.items) reportDuplicates(item);
  if (value.kind !== 'map') return;
  for (const pair of value.pairs) reportDuplicates(pair.value);
  // A repeated key is a mistake, because only the author knows which value is right.
  for (const [first, ...others] of groupBy(value.pairs, ({ key }) => key).values()) {
    for (const { key, at } of others) at.addMistake(`${JSON.stringify(key)} is already set on line ${first?.at.line}`);
  }
}
