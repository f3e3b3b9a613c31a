import { matchesPattern } from '../../contract/values/text.ts';
import { isValidKey } from '../../resources/env.ts';
import type { Expression, NewExpression, SectionName } from '../../state/entry.ts';
import type { FileEdit } from '../../state/file/edit.ts';
import { type Lock, type LockLine, lineIn, lockKey } from '../../state/lock.ts';
import { type Difference, isReference, lockLineOf, mayComeFromReference } from './compare.ts';
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
      .map((item) => ({ section, item, reason: item.left ?? whyNotWritten(item, items) }));
  });
  const added = unnamed.filter(({ reason }) => reason === undefined);
  const newEntry = ({ section, item }: (typeof added)[number]): PullEdit => {
    const isAbsent = options.absent === true && section.name === 'env' && !item.isGenerated;
    const wasReference = mayComeFromReference(lineIn(options.lock, lockKey(stack.name, item.path)), item);
    const expression = isAbsent ? ({ kind: 'absent' } as const) : render(section, item, wasReference);
    return { ...itemPlace(section.name, item), overlay: own, expression, old: undefined };
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

function whyNotWritten({ key, server }: Item, items: readonly Item[]): string | undefined {
  if (!isValidKey(key) || key === '<<') return 'a file cannot spell its name';
  if (!server) return undefined;
  if (server.name === '' || server.name === '<<' || server.name.startsWith('@'))
    return 'a file cannot spell its server';
  const isShared = items.some((one) => one.server?.name === server.name && one.server.uid !== server.uid);
  return isShared ? 'several servers have this name' : undefined;
}

/** The file is in git: no value that may be secret is written into it. */
function render(section: FileSection, item: Item, wasReference: boolean | undefined): NewExpression {
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
    { ...itemPlace(section.name, item), overlay, expression: render(section, item, wasReference), old, isMasked },
  ];
}

function itemPlace(section: SectionName, { key, server, path }: Item) {
  return { section, key, path, ...(server && { server: server.name }) };
}

export interface PulledLines {
  readonly lines: readonly LockLine[];
  readonly isDropped: (line: LockLine) => boolean;
  /** Entries that still differ from the service after the edits. */
  readonly differing: readonly { readonly path: string; readonly reason: string }[];
}

/** The lock lines of the file after `pull`. Lines of entries that the file no longer has are dropped. */
export function pulledLines(compared: readonly ComparedStack[], adopted: readonly Adopted[]): PulledLines {
  const all = compared.map((one, at) => linesIn(one, adopted[at]?.edits ?? []));
  return {
    lines: all.flatMap(({ lines }) => lines),
    isDropped: (line) => all.some(({ isDropped }) => isDropped(line)),
    differing: all.flatMap(({ differing }) => differing),
  };
}

function linesIn({ stack, differences, readings }: ComparedStack, edits: readonly PullEdit[]): PulledLines {
  const items = new Map(readings.flatMap((one) => one.items.map((item) => [item.path, item])));
  const edited = new Set(edits.map(({ path }) => path));
  const kept = differences.filter(({ path }) => !edited.has(path));
  const named = new Set([...edited, ...kept.map(({ path }) => path)]);
  const isRead = (path: string) => readings.some(({ section }) => section.name === sectionOf(path));
  const absent = edits.filter(({ expression }) => expression.kind === 'absent');
  const written = edits.map(({ path, expression }) => {
    const line = lockLineOf(stack.name, { path, entry: { expression }, item: items.get(path) }, false);
    // Without a digest the entry counts as edited, so `apply` makes the change.
    return expression.kind === 'absent' ? { ...line, digest: null } : line;
  });
  return {
    lines: [...kept.filter(isSettled).map((one) => lockLineOf(stack.name, one, one.isMasked)), ...written],
    isDropped: (line) =>
      line.stack === stack.name &&
      isRead(line.path) &&
      !named.has(line.path) &&
      // Without its line a later pull would write the value of a reference.
      !mayComeFromReference(line, items.get(line.path)),
    differing: [
      ...kept.filter((one) => !isSettled(one)).map((one) => ({ path: one.path, reason: whyDiffering(one) })),
      ...absent.map(({ path }) => ({ path, reason: 'absent in the file' })),
    ],
  };
}

/** After `pull` the lock also contains preserved values. */
function isSettled({ action, entry: { expression }, item }: Difference): boolean {
  return action === 'unchanged' || (expression.kind === 'preserve' && item !== undefined);
}

function whyDiffering({ entry: { expression }, item }: Wanted): string {
  if (!item) return 'the service has none';
  if (expression.kind === 'absent') return 'absent in the file';
  return isReference(expression) ? 'its reference has another value here' : 'the service has another value';
}

function sectionOf(path: string): string | undefined {
  return /^servers\..*\.tags$/s.test(path) ? 'tags' : path.split('.', 1)[0];
}
