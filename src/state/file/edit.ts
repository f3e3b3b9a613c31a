import type { Pair, ParsedNode, YAMLMap } from 'yaml';
import { groupBy } from '../../contract/values/group-by.ts';
import { type EntryIdentity, keyPathOf, type NewExpression } from '../entry.ts';

export interface FileEdit extends EntryIdentity {
  /** The stack whose overlay gets the entry; null for the base. */
  readonly overlay: string | null;
  readonly expression: NewExpression;
}

export function newStackFileText(stacks: readonly string[]): string {
  const names = stacks.map((name) => scalarText(name, 'block'));
  if (names.length === 1) return `version: 1\nstack: ${names}\n`;
  return ['version: 1', 'stacks:', ...names.map((name) => `  ${name}: {}`), ''].join('\n');
}

/** Returns the text of a valid stack file with these entries. Every byte outside of the entries stays. */
export async function editStackFile(text: string, edits: readonly FileEdit[]): Promise<string> {
  if (text.startsWith('\ufeff')) return `\ufeff${await editStackFile(text.slice(1), edits)}`;
  const { parseDocument } = await import('yaml');
  const root = parseDocument<ParsedMap>(text, { schema: 'failsafe', uniqueKeys: false }).contents as ParsedMap;
  const keyedEdits = edits.map(({ overlay, expression, ...identity }) => {
    return { keys: [...(overlay === null ? [] : ['stacks', overlay]), ...keyPathOf(identity)], expression };
  });
  return [...splicesOf(text, root, buildEditTree(keyedEdits), root.flow ? 'json' : 'flow')]
    .toSorted((one, other) => one.from - other.from)
    .reduceRight((textSoFar, { from, to, newText }) => textSoFar.slice(0, from) + newText + textSoFar.slice(to), text);
}

type EditTree = Map<string, EditTree | NewExpression>;

type KeyedEdit = Pick<FileEdit, 'expression'> & { readonly keys: readonly string[] };

function buildEditTree(edits: readonly KeyedEdit[]): EditTree {
  const groups = [...groupBy(edits, ({ keys: [key = ''] }) => key)];
  return new Map(
    groups.map(([key, group]) => {
      const ownEdit = group.findLast(({ keys }) => keys.length === 1);
      const innerEdits = group.map(({ keys, expression }) => ({ keys: keys.slice(1), expression }));
      return [key, ownEdit ? ownEdit.expression : buildEditTree(innerEdits)];
    }),
  );
}

type ParsedMap = YAMLMap.Parsed<ParsedNode, ParsedNode | null>;
type ParsedPair = Pair<ParsedNode, ParsedNode | null>;
/** `json` quotes all scalars, `flow` more than `block`: also one with a comma, which would end it in a flow map. */
type ScalarStyle = 'block' | 'flow' | 'json';

/** A replacement in a text: the part from offset `from` to offset `to` becomes `newText`. */
type Splice = { readonly from: number; readonly to: number; readonly newText: string };

/** Yields the splices of a map, inner maps first, so at a common offset the text for an inner map comes first. */
function* splicesOf(text: string, map: ParsedMap, tree: EditTree, flowStyle: ScalarStyle): Generator<Splice> {
  const style = map.flow ? flowStyle : 'block';
  const oldPairByKey = new Map(map.items.map((pair) => ['value' in pair.key && pair.key.value, pair]));
  const newTree: EditTree = new Map();
  for (const [key, newValue] of tree) {
    const pair = oldPairByKey.get(key);
    if (!pair) newTree.set(key, newValue);
    else if (newValue instanceof Map && isNonEmptyMap(pair.value))
      yield* splicesOf(text, pair.value, newValue, flowStyle);
    else if (newValue instanceof Map && !map.flow) yield* fillEmptyValue(text, pair, newValue);
    else yield createValueSplice(text, pair, valueText(newValue, style));
  }
  if (newTree.size === 0) return;
  yield map.flow
    ? createMembersSplice(text, map, newTree, style)
    : createLinesSplice(text, endOf(map), newTree, columnOf(text, map));
}

function isNonEmptyMap(node: ParsedNode | null): node is ParsedMap {
  return node !== null && 'items' in node && node.items.length > 0;
}

function createValueSplice(text: string, { key, value }: ParsedPair, newText: string): Splice {
  const oldNode = value ?? key;
  const [from, end] = oldNode.range;
  const to = text.slice(0, endOf(oldNode)).trimEnd().length;
  if (from === end) return { from: to, to, newText: ` ${newText}` };
  // A block list may begin in the column of its key, but the flow list that replaces it must be indented.
  const isUnindented = 'items' in oldNode && !oldNode.flow && columnOf(text, oldNode) <= columnOf(text, key);
  return { from, to, newText: isUnindented ? `  ${newText}` : newText };
}

function* fillEmptyValue(text: string, { key, value }: ParsedPair, tree: EditTree): Generator<Splice> {
  const [from, to] = (value ?? key).range;
  if (from < to) yield { from: text.slice(0, from).trimEnd().length, to, newText: '' };
  yield createLinesSplice(text, to, tree, columnOf(text, key) + 2);
}

function createLinesSplice(text: string, endOffset: number, tree: EditTree, column: number): Splice {
  // The range of a block scalar includes the line feed at its end, so the search begins at this line feed.
  const lineFeedAt = text.indexOf('\n', text[endOffset - 1] === '\n' ? endOffset - 1 : endOffset);
  const lineEnd = lineFeedAt < 0 ? text.length : lineFeedAt;
  const from = text[lineEnd - 1] === '\r' ? lineEnd - 1 : lineEnd;
  return { from, to: from, newText: linesText(tree, `${text.includes('\r\n') ? '\r\n' : '\n'}${' '.repeat(column)}`) };
}

function linesText(tree: EditTree, linePrefix: string): string {
  const lines = [...tree].map(([key, value]) => {
    const valueLines = value instanceof Map ? linesText(value, `${linePrefix}  `) : ` ${valueText(value, 'block')}`;
    return `${linePrefix}${scalarText(key, 'block')}:${valueLines}`;
  });
  return lines.join('');
}

/** Returns the splice that adds members to a flow map, each on its own line if the last old member has its own. */
function createMembersSplice(text: string, map: ParsedMap, tree: EditTree, style: ScalarStyle): Splice {
  const { key, value } = map.items.at(-1) as ParsedPair;
  const [, from] = (value ?? key).range;
  const [separator = ' '] = /\r?\n[ \t]*$/.exec(text.slice(0, key.range[0])) ?? [];
  return { from, to: from, newText: ['', ...memberTexts(tree, style)].join(`,${separator}`) };
}

function columnOf(text: string, { range: [from] }: ParsedNode): number {
  return from - text.lastIndexOf('\n', from - 1) - 1;
}

/** Returns the offset where a node ends. A block map or list ends with its last value; the range goes further. */
function endOf(node: ParsedNode): number {
  const lastItem = 'items' in node && !node.flow ? node.items.at(-1) : undefined;
  if (!lastItem) return node.range[1];
  return endOf('key' in lastItem ? (lastItem.value ?? lastItem.key) : lastItem);
}

function memberTexts(tree: EditTree, style: ScalarStyle): readonly string[] {
  return [...tree].map(([key, value]) => `${scalarText(key, style)}: ${valueText(value, style)}`);
}

function valueText(value: EditTree | NewExpression, style: ScalarStyle): string {
  const innerStyle = style === 'block' ? 'flow' : style;
  if (value instanceof Map) return `{ ${memberTexts(value, innerStyle).join(', ')} }`;
  if (value.kind === 'literal') return scalarText(value.value, style);
  if (value.kind === 'count') return scalarText(String(value.least), style);
  if (value.kind !== 'tags') return `{ ${scalarText(value.kind, innerStyle)}: true }`;
  return `[ ${value.tags.map((tag) => scalarText(tag, innerStyle)).join(', ')} ]`.replace('[  ]', '[]');
}

/** Matches the words that YAML 1.1 or 1.2 reads as a boolean or null, so they are quoted. */
const booleanOrNullPattern = /^(?:y|n|yes|no|on|off|true|false|null|~)$/i;
const plainWordsPattern =
  /^[A-Za-z0-9_/](?:[\w./@+%=~:,-]*[\w./@+%=~,-])?(?: [\w./@+%=~-](?:[\w./@+%=~:,-]*[\w./@+%=~,-])?)*$/;

function scalarText(text: string, style: ScalarStyle): string {
  const isPlain = style !== 'json' && plainWordsPattern.test(text) && !booleanOrNullPattern.test(text);
  return isPlain && !(style === 'flow' && text.includes(',')) ? text : JSON.stringify(text);
}
