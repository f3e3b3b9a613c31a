import { matchesPattern } from '../../contract/values/text.ts';
import { isValidKey } from '../../resources/env.ts';
import { type Expression, isReference, isTagsPath, type NewExpression } from '../../state/entry.ts';
import type { FileEdit } from '../../state/file/edit.ts';
import type { LockLine } from '../../state/lock.ts';
import { type Difference, lockLineOf, mayComeFromReference } from './compare.ts';
import type { ComparedStack } from './read.ts';
import type { FileSection, StackItem } from './section.ts';

export interface PullEdit extends FileEdit {
  readonly path: string;
  /** The expression that the entry replaces; undefined for an added entry. */
  readonly oldExpression: Expression | undefined;
  /** True if output must mask `oldExpression`. */
  readonly isMasked?: boolean;
}

interface PathReason {
  readonly path: string;
  readonly reason: string;
}

interface Adoption {
  readonly edits: readonly PullEdit[];
  readonly unwritable: readonly PathReason[];
}

interface LockChanges {
  readonly lockLines: readonly LockLine[];
  readonly isDroppedLine: (line: LockLine) => boolean;
  /** Entries that still differ from the service after the edits. */
  readonly differing: readonly PathReason[];
}

export interface StackPull extends Adoption, LockChanges {
  readonly stack: string;
}

export interface PullOptions {
  /** The pattern for variables to write; absent for all. */
  readonly keys?: string;
  /** True to write `absent`, not the value, for variables that no entry names and the service did not generate. */
  readonly absent?: boolean;
  readonly lock_only?: boolean;
}

export function planStackPull(compared: ComparedStack, options: PullOptions, hasOneStack: boolean): StackPull {
  const adoption = options.lock_only ? { edits: [], unwritable: [] } : planAdoption(compared, options, hasOneStack);
  return { stack: compared.stack.name, ...adoption, ...lockChangesOf(compared, adoption.edits) };
}

/** Plans the edits: differing entries get the value of the service, items without an entry get an entry. */
function planAdoption(
  { stack, sections, differences }: ComparedStack,
  options: PullOptions,
  hasOneStack: boolean,
): Adoption {
  const { keys = '*', absent = false } = options;
  const overlay = hasOneStack ? null : stack.name;
  const chosenItems = sections.flatMap(({ section, items, unnamedItems }) =>
    unnamedItems
      .filter(({ key }) => section.name !== 'env' || matchesPattern(key, keys))
      .map((item) => ({ section, item, reason: item.unmanagedReason ?? unwritableReason(item, items) })),
  );
  const newEdits = chosenItems.flatMap(({ section, item, reason }): readonly PullEdit[] => {
    if (reason !== undefined) return [];
    const writesAbsent = absent && section.name === 'env' && !item.isGenerated;
    const expression = writesAbsent ? ({ kind: 'absent' } as const) : expressionFor(section, item, item.wasReference);
    return [{ ...itemPlace(item), overlay, expression, oldExpression: undefined }];
  });
  return {
    edits: [...differences.flatMap((one) => editsForDifference(one, overlay)), ...newEdits],
    unwritable: chosenItems.flatMap(({ item: { path }, reason }) => (reason === undefined ? [] : { path, reason })),
  };
}

function unwritableReason({ key, server }: StackItem, items: readonly StackItem[]): string | undefined {
  if (!isValidKey(key) || key === '<<') return 'a file cannot spell its name';
  if (!server) return undefined;
  if (server.name === '' || server.name === '<<' || server.name.startsWith('@'))
    return 'a file cannot spell its server';
  const isSharedName = items.some((one) => one.server?.name === server.name && one.server.uid !== server.uid);
  return isSharedName ? 'several servers have this name' : undefined;
}

/** Returns `preserve` if the value may come from a reference: the file may be in git and must not get a secret. */
function expressionFor(section: FileSection, item: StackItem, wasReference: boolean | undefined): NewExpression {
  return wasReference ? { kind: 'preserve' } : section.newExpression(item);
}

function editsForDifference(difference: Difference, ownOverlay: string | null): readonly PullEdit[] {
  const { section, entry, item, action, isMasked, wasReference } = difference;
  const isManaged = ['literal', 'tags', 'count'].includes(entry.expression.kind);
  if (action === 'unchanged' || !isManaged || !item) return [];
  const overlay = entry.source.stack ?? ownOverlay;
  const oldExpression = entry.server?.startsWith('@') ? undefined : entry.expression;
  const expression = expressionFor(section, item, wasReference);
  return [{ ...itemPlace(item), overlay, expression, oldExpression, isMasked }];
}

function itemPlace({ section, key, server, path }: StackItem) {
  return { section, key, path, server: server?.name };
}

function lockChangesOf({ stack, differences, sections }: ComparedStack, edits: readonly PullEdit[]): LockChanges {
  const itemsByPath = new Map(sections.flatMap((one) => one.items.map((item) => [item.path, item])));
  const editedPaths = new Set(edits.map(({ path }) => path));
  const otherDifferences = differences.filter(({ path }) => !editedPaths.has(path));
  const entryPaths = new Set([...editedPaths, ...otherDifferences.map(({ path }) => path)]);
  const newLines = edits.map(({ path, expression }) => {
    const line = lockLineOf(stack.name, { path, entry: { expression }, item: itemsByPath.get(path) }, false);
    // The line of an `absent` entry gets no digest, so the entry counts as edited and `apply` deletes the variable.
    return expression.kind === 'absent' ? { ...line, digest: null } : line;
  });
  const absentEdits = edits.filter(({ expression }) => expression.kind === 'absent');
  return {
    lockLines: [
      ...otherDifferences.filter(getsLockLine).map((one) => lockLineOf(stack.name, one, one.isMasked)),
      ...newLines,
    ],
    isDroppedLine: (line) =>
      line.stack === stack.name &&
      sections.some(({ section }) => section.name === sectionOf(line.path)) &&
      !entryPaths.has(line.path) &&
      // The line of a former reference is kept, because without the line a later pull would write the value.
      !mayComeFromReference(line, itemsByPath.get(line.path)),
    differing: [
      ...otherDifferences.flatMap((one) => (getsLockLine(one) ? [] : { path: one.path, reason: whyDiffering(one) })),
      ...absentEdits.map(({ path }) => ({ path, reason: 'absent in the file' })),
    ],
  };
}

function getsLockLine({ action, entry: { expression }, item }: Difference): boolean {
  return action === 'unchanged' || (expression.kind === 'preserve' && item !== undefined);
}

function whyDiffering({ entry: { expression }, item }: Difference): string {
  if (!item) return 'the service has none';
  if (expression.kind === 'absent') return 'absent in the file';
  return isReference(expression) ? 'its reference has another value here' : 'the service has another value';
}

function sectionOf(path: string): string | undefined {
  return isTagsPath(path) ? 'tags' : path.split('.', 1)[0];
}
