import type { Document, Node, Pair, Scalar, YAMLMap } from 'yaml';
import type { Expression, StackEntry } from '../entry.ts';

/** An entry to write: in the overlay of a stack, or in the base. */
export interface FileEdit extends Pick<StackEntry, 'section' | 'key' | 'server'> {
  readonly overlay: string | null;
  readonly expression: Expression;
}

/** The text of a file without entries. */
export function newStackFile(stacks: readonly string[]): string {
  const [only] = stacks;
  if (stacks.length === 1 && only !== undefined) return `version: 1\nstack: ${plainOrQuoted(only)}\n`;
  return ['version: 1', 'stacks:', ...stacks.map((name) => `  ${plainOrQuoted(name)}: {}`), ''].join('\n');
}

/** Writes entries into a file that `parseStackFile` accepts; its comments, its order and other entries stay. */
export async function editStackFile(text: string, edits: readonly FileEdit[]): Promise<string> {
  const yaml = await import('yaml');
  const document: Document = yaml.parseDocument(text, { schema: 'failsafe', uniqueKeys: false });
  const root = document.contents as YAMLMap;
  const isQuoted = root.flow === true;
  const { scalar, nodeOf } = nodesOf(yaml, isQuoted);
  // The pairs by key: a search in a long map would take quadratic time.
  const indexes = new Map<YAMLMap, Map<unknown, Pair>>();
  const indexOf = (map: YAMLMap) => {
    const known =
      indexes.get(map) ?? new Map(map.items.map((pair) => [yaml.isScalar(pair.key) && pair.key.value, pair]));
    indexes.set(map, known);
    return known;
  };
  const put = (map: YAMLMap, key: string, value: Node) => {
    const pair = indexOf(map).get(key) ?? new yaml.Pair(scalar(key));
    if (!indexOf(map).has(key)) map.items.push(pair);
    indexOf(map).set(key, pair);
    pair.value = value;
  };
  const mapIn = (map: YAMLMap, key: string): YAMLMap => {
    const known = indexOf(map).get(key)?.value;
    const inner = yaml.isMap(known) ? (known as YAMLMap) : new yaml.YAMLMap();
    // An empty map is written as `{}`, which would become one long line.
    if (inner.items.length === 0) inner.flow = isQuoted;
    if (inner !== known) put(map, key, inner);
    return inner;
  };
  for (const { overlay, expression, ...place } of edits) {
    const layer = overlay === null ? root : mapIn(mapIn(root, 'stacks'), overlay);
    const [key = '', ...parents] = placeOf(place).toReversed();
    const map = parents.toReversed().reduce(mapIn, layer);
    const old = indexOf(map).get(key)?.value;
    const node = nodeOf(expression);
    // The comment behind a value stays.
    if (yaml.isNode(old)) Object.assign(node, { comment: old.comment, commentBefore: old.commentBefore });
    put(map, key, node);
  }
  const written = document.toString({ lineWidth: 0, doubleQuotedAsJSON: true });
  return asEncoded(text, written);
}

/** With the byte-order mark and the line ends of `text`. */
function asEncoded(text: string, written: string): string {
  const lines = text.includes('\r\n') ? written.replaceAll('\n', '\r\n') : written;
  return text.startsWith('\ufeff') ? `\ufeff${lines}` : lines;
}

/** Makes the nodes of expressions; `isQuoted` in a file of JSON. */
function nodesOf(yaml: typeof import('yaml'), isQuoted: boolean) {
  const scalar = (value: string): Scalar => {
    const type = isQuoted || !isPlain(value) ? 'QUOTE_DOUBLE' : 'PLAIN';
    return Object.assign(new yaml.Scalar(value), { type });
  };
  const marked = (key: string, value: Scalar): Node => {
    const map = new yaml.YAMLMap();
    map.items.push(new yaml.Pair(scalar(key), value));
    return Object.assign(map, { flow: true });
  };
  const nodeOf = (expression: Expression): Node => {
    switch (expression.kind) {
      case 'literal':
        return scalar(expression.value);
      case 'tags': {
        const list = new yaml.YAMLSeq();
        list.items.push(...expression.tags.map(scalar));
        return Object.assign(list, { flow: true });
      }
      case 'count':
        return scalar(String(expression.least));
      case 'env':
      case 'file':
      case 'secret':
        return marked(expression.kind, scalar(expression.from));
      default:
        return marked(expression.kind, Object.assign(new yaml.Scalar('true'), { type: 'PLAIN' }));
    }
  };
  return { scalar, nodeOf };
}

function placeOf({ section, key, server = '' }: Pick<FileEdit, 'section' | 'key' | 'server'>): readonly string[] {
  switch (section) {
    case 'servers':
      return ['servers', server, 'settings', key];
    case 'tags':
      return ['servers', server, 'tags'];
    case 'processes':
      return ['processes', key, server];
    default:
      return [section, key];
  }
}

/** Words that YAML 1.1 or 1.2 reads as booleans or null, which would surprise readers. */
const notText = /^(?:y|n|yes|no|on|off|true|false|null|~)$/i;
const plainWords =
  /^[A-Za-z0-9_/](?:[\w./@+%=~:,-]*[\w./@+%=~,-])?(?: [\w./@+%=~-](?:[\w./@+%=~:,-]*[\w./@+%=~,-])?)*$/;

function isPlain(value: string): boolean {
  return plainWords.test(value) && !notText.test(value);
}

function plainOrQuoted(name: string): string {
  return isPlain(name) ? name : JSON.stringify(name);
}
