import { matchesPattern } from '../../contract/values/text.ts';
import { isValidKey } from '../../resources/env.ts';
import type { Expression, NewExpression, SectionName } from '../../state/entry.ts';
import type { FileEdit } from '../../state/file/edit.ts';
import { type Lock, type LockLine, lineIn, lockKey } from '../../state/lock.ts';
import { type Difference, isReference, lockLineOf, mayComeFromReference } from './compare.ts';
import type { ComparedStack } from './read.ts';
import type { FileSection, StackItem, WantedItem } from './section.ts';

export interface PullEdit extends FileEdit {
  readonly path: string;
  /** The expression that the entry replaces; undefined for an added entry. */
  readonly oldExpression: Expression | undefined;
  /** True if output must mask `oldExpression`. */
  readonly isMasked?: boolean;
}

export interface StackEdits {
  readonly stack: string;
  readonly edits: readonly PullEdit[];
  /** Items that the file cannot hold, each with the reason. */
  readonly unwritable: readonly { readonly path: string; readonly reason: string }[];
}

interface PullOptions {
  /** The pattern for variables to write; absent for all. */
  readonly keys?: string;
  /** True to write `absent`, not the value, for variables that no entry names and the service did not generate. */
  readonly absent?: boolean;
  readonly hasOneStack: boolean;
  readonly lock: Lock | undefined;
}

/** Returns the edits of `pull`: differing entries get the value of the service, items without an entry get an entry. */
export function pullEdits({ stack, differences, readings }: ComparedStack, options: PullOptions): StackEdits {
  const ownOverlay = options.hasOneStack ? null : stack.name;
  const changedEntryEdits = differences.flatMap((one) => editsForDifference(one, ownOverlay));
  const unnamedItems = readings.flatMap(({ section, items, wanted }) => {
    const entryPaths = new Set(wanted.map(({ path }) => path));
    return items
      .filter(({ path, key }) => !entryPaths.has(path) && isKeyChosen(section, key, options.keys))
      .map((item) => ({ section, item, reason: item.unmanagedReason ?? unwritableReason(item, items) }));
  });
  const newItems = unnamedItems.filter(({ reason }) => reason === undefined);
  const newEdit = ({ section, item }: (typeof newItems)[number]): PullEdit => {
    const writesAbsent = options.absent === true && section.name === 'env' && !item.isGenerated;
    const wasReference = mayComeFromReference(lineIn(options.lock, lockKey(stack.name, item.path)), item);
    const expression = writesAbsent ? ({ kind: 'absent' } as const) : expressionFor(section, item, wasReference);
    return { ...itemPlace(section.name, item), overlay: ownOverlay, expression, oldExpression: undefined };
  };
  return {
    stack: stack.name,
    edits: [...changedEntryEdits, ...newItems.map(newEdit)],
    unwritable: unnamedItems.flatMap(({ item: { path }, reason }) => (reason === undefined ? [] : [{ path, reason }])),
  };
}

function isKeyChosen({ name }: FileSection, key: string, keys: string | undefined): boolean {
  return keys === undefined || name !== 'env' || matchesPattern(key, keys);
}

function unwritableReason({ key, server }: StackItem, items: readonly StackItem[]): string | undefined {
  if (!isValidKey(key) || key === '<<') return 'a file cannot spell its name';
  if (!server) return undefined;
  if (server.name === '' || server.name === '<<' || server.name.startsWith('@'))
    return 'a file cannot spell its server';
  const isSharedName = items.some((one) => one.server?.name === server.name && one.server.uid !== server.uid);
  return isSharedName ? 'several servers have this name' : undefined;
}

/**
 * Returns the expression for an item. It is `preserve` if the value may come from a reference, because the file may be
 * in git and must not get a secret.
 */
function expressionFor(section: FileSection, item: StackItem, wasReference: boolean | undefined): NewExpression {
  return wasReference ? { kind: 'preserve' } : section.newExpression(item);
}

function editsForDifference(difference: Difference, ownOverlay: string | null): readonly PullEdit[] {
  const { section, entry, item, action, isMasked, wasReference } = difference;
  const { kind } = entry.expression;
  const isManaged = kind === 'literal' || kind === 'tags' || kind === 'count';
  if (action === 'unchanged' || !isManaged || !item) return [];
  const overlay = entry.source.stack ?? ownOverlay;
  const oldExpression = entry.server?.startsWith('@') ? undefined : entry.expression;
  const expression = expressionFor(section, item, wasReference);
  return [{ ...itemPlace(section.name, item), overlay, expression, oldExpression, isMasked }];
}

function itemPlace(section: SectionName, { key, server, path }: StackItem) {
  return { section, key, path, ...(server && { server: server.name }) };
}

export interface LockChanges {
  readonly lines: readonly LockLine[];
  readonly isDroppedLine: (line: LockLine) => boolean;
  /** Entries that still differ from the service after the edits. */
  readonly differing: readonly { readonly path: string; readonly reason: string }[];
}

/** Returns the lock lines that `pull` writes and drops, and the entries that still differ from the service. */
export function lockChangesOf(compared: readonly ComparedStack[], stackEdits: readonly StackEdits[]): LockChanges {
  const changes = compared.map((one, at) => lockChangesOfStack(one, stackEdits[at]?.edits ?? []));
  return {
    lines: changes.flatMap(({ lines }) => lines),
    isDroppedLine: (line) => changes.some(({ isDroppedLine }) => isDroppedLine(line)),
    differing: changes.flatMap(({ differing }) => differing),
  };
}

function lockChangesOfStack({ stack, differences, readings }: ComparedStack, edits: readonly PullEdit[]): LockChanges {
  const items = new Map(readings.flatMap((one) => one.items.map((item) => [item.path, item])));
  const editedPaths = new Set(edits.map(({ path }) => path));
  const otherDifferences = differences.filter(({ path }) => !editedPaths.has(path));
  const entryPaths = new Set([...editedPaths, ...otherDifferences.map(({ path }) => path)]);
  const isSectionRead = (path: string) => readings.some(({ section }) => section.name === sectionOf(path));
  const absentEdits = edits.filter(({ expression }) => expression.kind === 'absent');
  const newLines = edits.map(({ path, expression }) => {
    const line = lockLineOf(stack.name, { path, entry: { expression }, item: items.get(path) }, false);
    // The line of an `absent` entry gets no digest, so the entry counts as edited and `apply` deletes the variable.
    return expression.kind === 'absent' ? { ...line, digest: null } : line;
  });
  return {
    lines: [...otherDifferences.filter(isSettled).map((one) => lockLineOf(stack.name, one, one.isMasked)), ...newLines],
    isDroppedLine: (line) =>
      line.stack === stack.name &&
      isSectionRead(line.path) &&
      !entryPaths.has(line.path) &&
      // The line of a former reference is kept, because without the line a later pull would write the value.
      !mayComeFromReference(line, items.get(line.path)),
    differing: [
      ...otherDifferences.flatMap((one) => (isSettled(one) ? [] : [{ path: one.path, reason: whyDiffering(one) }])),
      ...absentEdits.map(({ path }) => ({ path, reason: 'absent in the file' })),
    ],
  };
}

/** True if the lock gets a line for the entry: nothing differs, or the value is preserved. */
function isSettled({ action, entry: { expression }, item }: Difference): boolean {
  return action === 'unchanged' || (expression.kind === 'preserve' && item !== undefined);
}

function whyDiffering({ entry: { expression }, item }: WantedItem): string {
  if (!item) return 'the service has none';
  if (expression.kind === 'absent') return 'absent in the file';
  return isReference(expression) ? 'its reference has another value here' : 'the service has another value';
}

function sectionOf(path: string): string | undefined {
  return /^servers\..*\.tags$/s.test(path) ? 'tags' : path.split('.', 1)[0];
}
