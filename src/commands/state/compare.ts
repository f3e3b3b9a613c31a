import { groupBy } from '../../contract/values/group-by.ts';
import { type Action, actionState, hasEnded } from '../../resources/action.ts';
import { isSecretVariable } from '../../resources/env.ts';
import type { ServerRow } from '../../resources/server.ts';
import { type Expression, entryPathOf, isReference, type StackEntry } from '../../state/entry.ts';
import {
  type DifferenceReason,
  differenceReasonOf,
  digestOf,
  findLockLine,
  type LockLine,
  type LockLines,
  lockKey,
  wasSetSince,
} from '../../state/lock.ts';
import { actionName } from '../status/busy.ts';
import type { FileSection, StackItem, WantedItem } from './section.ts';

export const planActions = ['create', 'update', 'delete', 'unchanged', 'skip', 'busy'] as const;
export type PlanAction = (typeof planActions)[number];

export function isWrite({ action }: { readonly action: PlanAction }): boolean {
  return action === 'create' || action === 'update' || action === 'delete';
}

interface Decision {
  readonly action: PlanAction;
  /** Why the entry and the item differ; null if they are equal, or if a reference has no value on this machine. */
  readonly why: DifferenceReason | null;
  readonly reason: string | null;
  /** Set if the entry asks for something impossible; `reason` says why. */
  readonly isImpossible?: true;
}

/** An entry for one item, compared with the service. */
export interface Difference extends WantedItem, Decision {
  readonly isMasked: boolean;
}

/** An item that no entry names. */
export interface UnnamedItem extends Omit<Difference, 'entry' | 'value' | 'server'> {
  readonly entry?: undefined;
  readonly item: StackItem;
}

export interface ComparisonBasis {
  readonly lock: LockLines | undefined;
  readonly isIgnored: (path: string) => boolean;
  /** The text of each reference; an empty string for an unresolved reference. */
  readonly values: ReadonlyMap<Expression, string>;
  /** True if differences that no edit of the file caused are skipped. */
  readonly leavesDrift: boolean;
}

/** One stack in the file and at the service. */
interface StackState extends ComparisonBasis {
  readonly stackName: string;
  /** The sections that were read. */
  readonly sections: readonly FileSection[];
  /** The entries of these sections, in the order of the sections. */
  readonly entries: readonly StackEntry[];
  readonly items: readonly StackItem[];
  readonly serverRows: readonly ServerRow[];
  readonly actionRows: readonly Action[];
}

/** The items of one stack, compared with the file. Ignored items are left out. */
export interface Comparison {
  readonly items: readonly StackItem[];
  readonly unnamedItems: readonly UnnamedItem[];
  readonly differences: readonly Difference[];
  /** Messages about missing or ambiguous servers of entries: `stackops.yaml:3: servers.web.tags: server not found`. */
  readonly faults: readonly string[];
  /** Messages about roles that differ for a server: `stackops.yaml:5: @web and @app differ for shop-1`. */
  readonly contradictions: readonly string[];
}

export function compareItems(state: StackState): Comparison {
  const { wanted, ...messages } = matchEntries(state);
  const isManaged = ({ entry, path }: WantedItem) => entry.expression.kind !== 'unmanaged' && !state.isIgnored(path);
  const differences = wanted.filter(isManaged).map((one) => compareEntry(one, state));
  const entryPaths = new Set(wanted.map(({ path }) => path));
  const items = state.items.filter(({ path }) => !state.isIgnored(path));
  const unnamedItems = items.filter(({ path }) => !entryPaths.has(path)).map((item) => unnamedItemOf(item, state));
  return { items, unnamedItems, differences, ...messages };
}

/** Matches the entries with the items and servers of a stack. An entry may win over another one. */
function matchEntries({ sections, entries, items, serverRows, values }: StackState) {
  const itemsByPath = new Map(items.map((item) => [item.path, item]));
  const faults: string[] = [];
  const claims = entries.flatMap((entry): readonly WantedItem[] => {
    const { expression } = entry;
    const value = expression.kind === 'literal' ? expression.value : values.get(expression);
    const entryServers = findEntryServers(entry, serverRows);
    if (typeof entryServers === 'string') {
      faults.push(faultText(entry, entryServers));
      return [];
    }
    return entryServers.map((server) => {
      const path = entryPathOf({ ...entry, server: server?.name });
      return { section: findSection(sections, entry), entry, path, item: itemsByPath.get(path), server, value };
    });
  });
  const rankedClaims = [...groupBy(claims, ({ path }) => path).values()].map((claimsOfPath) =>
    claimsOfPath.toSorted((one, other) => entryRank(other.entry) - entryRank(one.entry)),
  );
  const wanted = rankedClaims.flatMap(([winner]) => winner ?? []);
  return { wanted, faults, contradictions: rankedClaims.flatMap((one) => findContradiction(one) ?? []) };
}

function findSection(sections: readonly FileSection[], { section }: Pick<StackItem, 'section'>): FileSection {
  return sections.find(({ name }) => name === section) as FileSection;
}

/** Returns one undefined server for an entry that names none, and a reason if none matches or several have the name. */
function findEntryServers({ server: name }: StackEntry, servers: readonly ServerRow[]) {
  if (name === undefined) return [undefined];
  const [isRole, role] = [name.startsWith('@'), name.slice(1)];
  const found = servers.filter((row) => (isRole ? row.server_roles?.includes(role) : row.name === name));
  if (found.length === 0) return isRole ? `no server has the role ${role}` : 'server not found';
  return isRole || found.length === 1 ? found : `${found.length} servers are called "${name}"`;
}

/** Returns the rank of an entry: an overlay outranks the base, and within each, a name outranks a role. */
function entryRank({ server = '', source }: StackEntry): number {
  return (source.stack === null ? 0 : 2) + (server.startsWith('@') ? 0 : 1);
}

function findContradiction([winner, ...others]: readonly WantedItem[]): string | undefined {
  const rival = others.find(({ entry }) => winner && contradicts(winner.entry, entry));
  if (!winner || !rival) return undefined;
  const { server, source } = rival.entry;
  return `${source.file}:${source.line}: ${winner.entry.server} and ${server} differ for ${rival.server?.name}`;
}

function contradicts(one: StackEntry, other: StackEntry): boolean {
  return entryRank(one) === entryRank(other) && JSON.stringify(one.expression) !== JSON.stringify(other.expression);
}

export function faultText({ source: { file, line }, path }: StackEntry, reason: string): string {
  return `${file}:${line}: ${path}: ${reason}`;
}

function unnamedItemOf(item: StackItem, { sections, lock, stackName }: StackState): UnnamedItem {
  const { path, isSecret: isMasked } = item;
  const wasReference = mayComeFromReference(findLockLine(lock, lockKey(stackName, path)), item);
  const decision = { action: 'skip', why: 'unmanaged', reason: 'no entry names it' } as const;
  return { section: findSection(sections, item), path, item, isMasked, wasReference, ...decision };
}

function compareEntry(wanted: WantedItem, state: StackState): Difference {
  const isMasked = isMaskedEntry(wanted);
  const line = findLockLine(state.lock, lockKey(state.stackName, wanted.path));
  const decision = decideSettled(wanted, line) ?? decideDifference(wanted, state, isMasked, line);
  const wasReference = mayComeFromReference(line, wanted.item, wanted.entry.expression);
  return { ...wanted, isMasked, wasReference, why: null, reason: null, ...decision };
}

type PartialDecision = Pick<Decision, 'action'> & Partial<Decision>;

/** Returns the decision for an entry that is equal, preserved or unresolved; undefined for a difference. */
function decideSettled(wanted: WantedItem, lockLine: LockLine | undefined): PartialDecision | undefined {
  const { entry, item } = wanted;
  const { expression } = entry;
  if (expression.kind === 'preserve') return decidePreserved(lockLine, item);
  if (!isEntryResolved(wanted)) return { action: 'skip', reason: 'not resolved here' };
  const isSettled = expression.kind === 'absent' ? !item : hasWantedValue(wanted);
  return isSettled ? { action: 'unchanged' } : undefined;
}

export function hasWantedValue(wanted: WantedItem): boolean {
  const { section, item } = wanted;
  return section.hasWantedValue?.(wanted) ?? (item !== undefined && item.value === requestedText(wanted));
}

function decideDifference(wanted: WantedItem, state: StackState, isMasked: boolean, line?: LockLine): PartialDecision {
  const { stackName, lock, leavesDrift, actionRows } = state;
  const { section, entry, item } = wanted;
  const { expression } = entry;
  const digest = digestOf(expression, isMasked);
  // A hidden value cannot be compared. It counts as unchanged if neither the file nor the service shows a change.
  const isUnchanged = item?.isHidden && line && !wasSetSince(line, item) && (digest === null || digest === line.digest);
  if (isUnchanged) return { action: 'unchanged' };
  const isNew = lock?.has(lockKey(stackName, wanted.path)) === false;
  const why = differenceReasonOf({ line, expression, digest, signs: item }, isNew);
  const skipBecause = (reason: string) => ({ action: 'skip', why, reason }) as const;
  if (why === 'normalised') {
    const shownValue = JSON.stringify(item?.value ?? '').slice(1, -1) || "''";
    return skipBecause(`write ${isMasked ? 'the value of the service' : shownValue} in ${entry.source.file}`);
  }
  const refusal = section.refusalReason?.(wanted);
  if (refusal !== undefined) return { ...skipBecause(refusal), isImpossible: true };
  if (leavesDrift && why !== 'edited') return skipBecause('left to the service');
  const blocker = actionRows.find((action) => !hasEnded(action) && section.mayBeChangedBy?.(wanted, action));
  if (blocker) return { action: 'busy', why, reason: `action ${actionName(blocker)} is ${actionState(blocker)}` };
  if (expression.kind === 'absent') return { action: 'delete', why };
  return { action: item ? 'update' : 'create', why };
}

function decidePreserved(lockLine: LockLine | undefined, item: StackItem | undefined): PartialDecision {
  if (!item) {
    const reason = 'it is preserved and does not exist';
    return { action: 'skip', why: lockLine ? 'drifted' : 'unknown', reason, isImpossible: true };
  }
  if (!lockLine || !wasSetSince(lockLine, item)) return { action: 'unchanged' };
  return { action: 'skip', why: 'drifted', reason: 'set at the service; its value is not managed' };
}

/** True unless the entry is a reference that has no value and may not be empty. */
export function isEntryResolved({ entry, value }: Pick<WantedItem, 'entry' | 'value'>): boolean {
  return Boolean(value || entry.allow_empty) || !isReference(entry.expression);
}

function isMaskedEntry({ entry: { key, expression }, item, value }: WantedItem): boolean {
  if (expression.kind === 'tags' || expression.kind === 'count') return false;
  const isOutsideFile = isReference(expression) || expression.kind === 'preserve';
  return isOutsideFile || item?.isSecret === true || isSecretVariable({ key, value, is_password: false });
}

/** True if the value may come from a former reference, because no known expression has the digest in the lock. */
export function mayComeFromReference(lockLine: LockLine | undefined, item?: StackItem, current?: Expression): boolean {
  const isText = item && item.section !== 'tags' && item.section !== 'processes';
  if (!isText || item.value === null || !lockLine?.digest) return false;
  const known = [{ kind: 'literal', value: item.value }, { kind: 'absent' }, ...(current ? [current] : [])] as const;
  return known.every((one) => digestOf(one, false) !== lockLine.digest);
}

/**
 * Returns the value that the entry requests, as text: for a range of counts, the number in it that is nearest to the
 * present count. Returns null if the entry requests no value, or if its reference is unresolved.
 */
export function requestedText(wanted: WantedItem): string | null {
  const { entry, item, value } = wanted;
  const { expression } = entry;
  if (expression.kind === 'tags') return expression.tags.join(', ');
  if (expression.kind === 'count')
    return String(Math.min(expression.most, Math.max(expression.least, item?.count ?? 0)));
  if (expression.kind === 'preserve') return item?.value ?? null;
  return isEntryResolved(wanted) ? (value ?? null) : null;
}

type LockedItem = Pick<WantedItem, 'path' | 'item'> & { readonly entry: Pick<StackEntry, 'expression'> };

export function lockLineOf(stack: string, { path, entry, item }: LockedItem, isMasked: boolean): LockLine {
  const { changed_at = null, count = null } = item ?? {};
  return { stack, path, changed_at, count, digest: digestOf(entry.expression, isMasked) };
}
