import { matchesPattern } from '../../contract/values/text.ts';
import { isKey } from '../../resources/env.ts';
import { type Expression, type NewExpression, pathOf, type SectionName, type StackFile } from '../../state/entry.ts';
import type { FileEdit } from '../../state/file/edit.ts';
import { type Lock, type LockLine, lineIn, lockKey } from '../../state/lock.ts';
import {
  compareEntry,
  type Difference,
  isReference,
  lockLineOf,
  mayComeFromReference,
  placeEntries,
} from './compare.ts';
import type { ComparedStack } from './read.ts';
import type { FileSection, Item, Wanted } from './section.ts';

/** An entry that `pull` writes, and the one that it replaces. */
export interface PullEdit extends FileEdit {
  readonly path: string;
  readonly old: Expression | undefined;
  /** `old` is masked when it is shown. */
  readonly isMasked?: boolean;
}

/** The entries of one stack that `pull` writes. */
export interface Adopted {
  readonly stack: string;
  readonly edits: readonly PullEdit[];
  /** Items that a file cannot hold, each with the reason. */
  readonly left: readonly { readonly path: string; readonly reason: string }[];
}

interface AdoptOptions {
  /** Pattern of the variables that are adopted. */
  readonly keys?: string;
  /** Writes `absent` for variables that people created, instead of their value. */
  readonly absent?: boolean;
  readonly isSingle: boolean;
  readonly lock: Lock | undefined;
}

/** The edits of `pull`: literals that differ take the value of the service, and items without an entry get one. */
export function pullEdits({ stack, differences, readings }: ComparedStack, options: AdoptOptions): Adopted {
  const own = options.isSingle ? null : stack.name;
  const changed = differences.flatMap((one) => changedEntry(one, own));
  const unnamed = readings.flatMap(({ section, items, wanted }) => {
    const named = new Set(wanted.map(({ path }) => path));
    return items
      .filter(({ path, key }) => !named.has(path) && isAdopted(section, key, options.keys))
      .map((item) => ({ section, item, reason: item.left ?? unwritable(item, items) }));
  });
  const added = unnamed.filter(({ reason }) => reason === undefined);
  const newEntry = ({ section, item }: (typeof added)[number]): PullEdit => {
    const isAbsent = options.absent === true && section.name === 'env' && !item.isGenerated;
    const wasReference = mayComeFromReference(lineIn(options.lock, lockKey(stack.name, item.path)), item);
    const expression = isAbsent ? ({ kind: 'absent' } as const) : rendered(section, item, wasReference);
    return { ...placeOf(section.name, item), overlay: own, expression, old: undefined };
  };
  return {
    stack: stack.name,
    edits: [...changed, ...added.map(newEntry)],
    left: unnamed.flatMap(({ item: { path }, reason }) => (reason === undefined ? [] : [{ path, reason }])),
  };
}

function isAdopted({ name }: FileSection, key: string, keys: string | undefined): boolean {
  return keys === undefined || name !== 'env' || matchesPattern(key, keys);
}

function unwritable({ key, server }: Item, items: readonly Item[]): string | undefined {
  if (!isKey(key) || key === '<<') return 'a file cannot spell its name';
  if (!server) return undefined;
  if (server.name === '' || server.name === '<<' || server.name.startsWith('@'))
    return 'a file cannot spell its server';
  const isShared = items.some((one) => one.server?.name === server.name && one.server.uid !== server.uid);
  return isShared ? 'several servers have this name' : undefined;
}

/** The file is in git: no value that may be secret is written into it. */
function rendered(section: FileSection, item: Item, wasReference: boolean | undefined): NewExpression {
  return wasReference ? { kind: 'preserve' } : section.render(item);
}

function changedEntry(difference: Difference, own: string | null): readonly PullEdit[] {
  const { section, entry, item, action, isMasked, wasReference } = difference;
  const { kind } = entry.expression;
  const isManaged = kind === 'literal' || kind === 'tags' || kind === 'count';
  if (action === 'unchanged' || !isManaged || !item) return [];
  const overlay = entry.source.stack ?? own;
  const old = entry.server?.startsWith('@') ? undefined : entry.expression;
  return [
    { ...placeOf(section.name, item), overlay, expression: rendered(section, item, wasReference), old, isMasked },
  ];
}

function placeOf(section: SectionName, { key, server, path }: Item) {
  return { section, key, path, ...(server && { server: server.name }) };
}

export interface PulledLines {
  readonly lines: readonly LockLine[];
  readonly isDropped: (line: LockLine) => boolean;
  /** Entries that still differ from the service after the edits. */
  readonly differing: readonly { readonly path: string; readonly reason: string }[];
}

/** The lock lines of the file after `pull`. Lines of entries that the file no longer has are dropped. */
export async function pulledLines(
  compared: readonly ComparedStack[],
  file: StackFile,
  adopted: readonly Adopted[],
): Promise<PulledLines> {
  const placed = await Promise.all(compared.map((one) => differencesIn(one, file)));
  const all = placed.flat();
  const settled = all.filter(({ action }) => action === 'unchanged');
  const absent = new Set(
    adopted.flatMap(({ stack, edits }) =>
      edits.filter(({ expression }) => expression.kind === 'absent').map(({ path }) => `${stack} ${path}`),
    ),
  );
  const isMadeAbsent = ({ stack, path }: (typeof all)[number]) => absent.has(`${stack} ${path}`);
  const named = new Set(all.map(({ stack, path }) => `${stack} ${path}`));
  const read = new Set(
    compared.flatMap(({ stack, readings }) => readings.map(({ section }) => `${stack.name} ${section.name}`)),
  );
  const items = new Map(
    compared.flatMap(({ stack, readings }) =>
      readings.flatMap((one) => one.items.map((item) => [`${stack.name} ${item.path}`, item] as const)),
    ),
  );
  const isUnnamed = ({ stack, path }: LockLine) =>
    read.has(`${stack} ${sectionOf(path)}`) && !named.has(`${stack} ${path}`);
  return {
    lines: [
      ...settled.map((one) => lockLineOf(one.stack, one, one.isMasked)),
      // Without a digest the entry counts as edited, so `apply` makes the change.
      ...all.filter(isMadeAbsent).map((one) => ({ ...lockLineOf(one.stack, one, true), digest: null })),
    ],
    // Without its line a later pull would write the value of a reference.
    isDropped: (line) => isUnnamed(line) && !mayComeFromReference(line, items.get(`${line.stack} ${line.path}`)),
    differing: all
      .filter(({ action }) => action !== 'unchanged')
      .map((one) => ({ path: one.path, reason: whyDiffering(one) })),
  };
}

/** Compares the edited file with the earlier reads of the service. */
async function differencesIn(
  { stack, reader, readings }: ComparedStack,
  file: StackFile,
): Promise<readonly (Difference & { readonly stack: string })[]> {
  const entries = file.stacks.find(({ name }) => name === stack.name)?.entries ?? [];
  const texts = new Map(
    readings.flatMap(({ wanted }) => wanted.map((one) => [keyOf(one.entry.expression), one.value])),
  );
  const values = new Map(entries.map(({ expression }) => [expression, texts.get(keyOf(expression)) ?? '']));
  const basis = { lock: undefined, isIgnored: () => false, values, leaves: false };
  const of = readings.map(async ({ section, items }) => {
    const own = entries.filter((entry) => entry.section === section.name);
    const { wanted } = await placeEntries(section, own, { items, reader, values });
    return wanted
      .filter(({ entry }) => entry.expression.kind !== 'unmanaged')
      .map((one) => ({ ...compareEntry(section, one, { stack, actions: [], basis }), stack: stack.name }));
  });
  return (await Promise.all(of)).flat();
}

function keyOf(expression: Expression): string {
  return JSON.stringify(expression);
}

function whyDiffering({ entry: { expression }, item }: Wanted): string {
  if (!item) return 'the service has none';
  if (expression.kind === 'absent') return 'absent in the file';
  return isReference(expression) ? 'its reference has another value here' : 'the service has another value';
}

function sectionOf(path: string): SectionName {
  const [first] = path.split('.', 1);
  if (first === 'servers')
    return path === pathOf({ section: 'tags', key: 'tags', server: path.slice(8, -5) }) ? 'tags' : 'servers';
  return first === 'env' || first === 'settings' ? first : 'processes';
}
