import type { Node, Pair } from 'yaml';
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

/** Collects the mistakes of a file, so that one error reports all of them. */
export class Mistakes {
  readonly #fileName: string;
  readonly #found = new Map<string, { readonly line: number; readonly column: number; readonly message: string }>();

  constructor(fileName: string) {
    this.#fileName = fileName;
  }

  add(line: number, column: number, message: string): undefined {
    this.#found.set(`${line}:${column}: ${message}`, { line, column, message });
  }

  /** Throws `usage` with all mistakes, if there are any. */
  throwAll(): void {
    if (this.#found.size === 0) return;
    const file = this.#fileName;
    const details = [...this.#found.values()]
      .toSorted((one, other) => one.line - other.line || one.column - other.column)
      .map((one) => ({ file, ...one }));
    const texts = details.map(({ line, column, message }) => `${file}:${line}:${column}: ${message}`);
    const [head = '', ...lines] = texts.length === 1 ? texts : [`${file} has ${texts.length} mistakes`, ...texts];
    throw new CliError('usage', head, { lines, extra: { details } });
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
    else {
      if (node.tag !== undefined) at.addMistake('tags (!…) are not supported');
      if ('anchor' in node && node.anchor !== undefined) at.addMistake('anchors (&…) are not supported');
    }
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
  const lineByKey = new Map<string, number>();
  for (const { key, at, value: inner } of value.pairs) {
    const firstLine = lineByKey.get(key);
    // A repeated key is a mistake, because only the author knows which value is right.
    if (firstLine === undefined) lineByKey.set(key, at.line);
    else at.addMistake(`${JSON.stringify(key)} is already set on line ${firstLine}`);
    reportDuplicates(inner);
  }
}
