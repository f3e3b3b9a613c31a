import type { Pair, ParsedNode, YAMLMap } from 'yaml';
import { keyPathOf, type NewExpression, type StackEntry } from '../entry.ts';

/** An entry to write: in the overlay of a stack, or in the base. */
export interface FileEdit extends Pick<StackEntry, 'section' | 'key' | 'server'> {
  readonly overlay: string | null;
  readonly expression: NewExpression;
}

export function newStackFile(stacks: readonly string[]): string {
  const names = stacks.map((name) => scalarText(name, 'block'));
  if (names.length === 1) return `version: 1\nstack: ${names}\n`;
  return ['version: 1', 'stacks:', ...names.map((name) => `  ${name}: {}`), ''].join('\n');
}

/** Writes entries into a file that `parseStackFile` accepts; everything else stays as it is, to the byte. */
export async function editStackFile(text: string, edits: readonly FileEdit[]): Promise<string> {
  if (text.startsWith('\ufeff')) return `\ufeff${await editStackFile(text.slice(1), edits)}`;
  const { parseDocument } = await import('yaml');
  const root = parseDocument<ParsedMap>(text, { schema: 'failsafe', uniqueKeys: false }).contents as ParsedMap;
  return [...splicesOf(text, root, branchOf(edits), root.flow ? 'json' : 'flow')]
    .toSorted((one, other) => one.from - other.from)
    .reduceRight((written, { from, to, its }) => written.slice(0, from) + its + written.slice(to), text);
}

/** New entries by their keys. */
type Branch = Map<string, Branch | NewExpression>;

function branchOf(edits: readonly FileEdit[]): Branch {
  const root: Branch = new Map();
  for (const { overlay, expression, ...place } of edits) {
    const keys = [...(overlay === null ? [] : ['stacks', overlay]), ...keyPathOf(place)];
    const branch = keys.slice(0, -1).reduce((parent, key) => {
      const known = parent.get(key);
      const inner: Branch = known instanceof Map ? known : new Map();
      parent.set(key, inner);
      return inner;
    }, root);
    branch.set(keys.at(-1) ?? '', expression);
  }
  return root;
}

type ParsedMap = YAMLMap.Parsed<ParsedNode, ParsedNode | null>;
type ParsedPair = Pair<ParsedNode, ParsedNode | null>;
/** JSON quotes every text; in a flow map a comma ends a plain one. */
type Style = 'block' | 'flow' | 'json';

/** A part of a text, and the text in its place. */
interface Splice {
  readonly from: number;
  readonly to: number;
  readonly its: string;
}

/** If two splices have one position, that of the inner map comes first. */
function* splicesOf(text: string, map: ParsedMap, branch: Branch, flow: Style): Generator<Splice> {
  const style = map.flow ? flow : 'block';
  const known = new Map(map.items.map((pair) => ['value' in pair.key && pair.key.value, pair]));
  const fresh: Branch = new Map();
  for (const [key, wanted] of branch) {
    const pair = known.get(key);
    if (!pair) fresh.set(key, wanted);
    else if (!(wanted instanceof Map)) yield replaceValue(text, pair, valueText(wanted, style));
    else if (isFilled(pair.value)) yield* splicesOf(text, pair.value, wanted, flow);
    else if (map.flow) yield replaceValue(text, pair, valueText(wanted, style));
    else yield* fillEmpty(text, pair, wanted);
  }
  if (fresh.size === 0) return;
  yield map.flow ? newMembers(text, map, fresh, style) : newLines(text, endOf(map), fresh, columnIn(text, map));
}

function isFilled(node: ParsedNode | null): node is ParsedMap {
  return node !== null && 'items' in node && node.items.length > 0;
}

function replaceValue(text: string, { key, value }: ParsedPair, its: string): Splice {
  const old = value ?? key;
  const [from, end] = old.range;
  const to = text.slice(0, endOf(old)).trimEnd().length;
  if (from === end) return { from: to, to, its: ` ${its}` };
  // In a block map `[a, b]` is indented; a list of lines need not be.
  const isLeft = 'items' in old && !old.flow && columnIn(text, old) <= columnIn(text, key);
  return { from, to, its: isLeft ? `  ${its}` : its };
}

/** Lines in place of an empty map or text. */
function* fillEmpty(text: string, { key, value }: ParsedPair, branch: Branch): Generator<Splice> {
  const [from, to] = (value ?? key).range;
  if (from < to) yield { from: text.slice(0, from).trimEnd().length, to, its: '' };
  yield newLines(text, to, branch, columnIn(text, key) + 2);
}

/** Lines behind the one on which a value ends. */
function newLines(text: string, end: number, branch: Branch, column: number): Splice {
  // The range of a block text holds its line end.
  const next = text.indexOf('\n', text[end - 1] === '\n' ? end - 1 : end);
  const at = next < 0 ? text.length : next;
  const from = text[at - 1] === '\r' ? at - 1 : at;
  return { from, to: from, its: linesOf(branch, `${text.includes('\r\n') ? '\r\n' : '\n'}${' '.repeat(column)}`) };
}

function linesOf(branch: Branch, start: string): string {
  const lines = [...branch].map(([key, value]) => {
    const inner = value instanceof Map ? linesOf(value, `${start}  `) : ` ${valueText(value, 'block')}`;
    return `${start}${scalarText(key, 'block')}:${inner}`;
  });
  return lines.join('');
}

/** Members behind the last one, on lines of their own where that is. */
function newMembers(text: string, map: ParsedMap, branch: Branch, style: Style): Splice {
  const { key, value } = map.items.at(-1) as ParsedPair;
  const [, from] = (value ?? key).range;
  const [blank = ' '] = /\r?\n[ \t]*$/.exec(text.slice(0, key.range[0])) ?? [];
  return { from, to: from, its: ['', ...membersOf(branch, style)].join(`,${blank}`) };
}

function columnIn(text: string, { range: [from] }: ParsedNode): number {
  return from - text.lastIndexOf('\n', from - 1) - 1;
}

/** The end of the last value. The range of a block map also holds what follows it. */
function endOf(node: ParsedNode): number {
  const last = 'items' in node && !node.flow ? node.items.at(-1) : undefined;
  if (!last) return node.range[1];
  return endOf('key' in last ? (last.value ?? last.key) : last);
}

function membersOf(branch: Branch, style: Style): readonly string[] {
  return [...branch].map(([key, value]) => `${scalarText(key, style)}: ${valueText(value, style)}`);
}

function valueText(value: Branch | NewExpression, style: Style): string {
  const inner = style === 'block' ? 'flow' : style;
  if (value instanceof Map) return `{ ${membersOf(value, inner).join(', ')} }`;
  switch (value.kind) {
    case 'literal':
      return scalarText(value.value, style);
    case 'count':
      return scalarText(String(value.least), style);
    case 'tags':
      return `[ ${value.tags.map((tag) => scalarText(tag, inner)).join(', ')} ]`.replace('[  ]', '[]');
    default:
      return `{ ${scalarText(value.kind, inner)}: true }`;
  }
}

/** Words that YAML 1.1 or 1.2 reads as booleans or null, which would surprise readers. */
const notText = /^(?:y|n|yes|no|on|off|true|false|null|~)$/i;
const plainWords =
  /^[A-Za-z0-9_/](?:[\w./@+%=~:,-]*[\w./@+%=~,-])?(?: [\w./@+%=~-](?:[\w./@+%=~:,-]*[\w./@+%=~,-])?)*$/;

function scalarText(text: string, style: Style): string {
  const isPlain = style !== 'json' && plainWords.test(text) && !notText.test(text);
  return isPlain && !(style === 'flow' && text.includes(',')) ? text : JSON.stringify(text);
}
