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

/** An entry for one item, compared with the service. */
export interface Difference extends WantedItem {
  readonly section: FileSection;
  readonly action: PlanAction;
  /** Why the entry and the item differ; null if they are equal, or if a reference has no value on this machine. */
  readonly why: DifferenceReason | null;
  readonly reason: string | null;
  readonly isMasked: boolean;
  /** Set if the entry asks for something impossible; `reason` says why. */
  readonly isImpossible?: true;
}

export interface ComparisonBasis {
  readonly lock: LockLines | undefined;
  readonly isIgnored: (path: string) => boolean;
  /** The text of each reference; an empty string for an unresolved reference. */
  readonly values: ReadonlyMap<Expression, string>;
  /** True if differences that no edit of the file caused are skipped. */
  readonly leavesDrift: boolean;
}

/** An item that no entry names. */
export interface UnnamedItem extends StackItem {
  /** True if the value may come from a reference that the file had before. */
  readonly wasReference: boolean;
}

/** A section of one stack, compared with the file. Ignored items are left out. */
export interface ComparedSection {
  readonly section: FileSection;
  readonly items: readonly StackItem[];
  readonly unnamedItems: readonly UnnamedItem[];
  readonly differences: readonly Difference[];
  /** Messages about missing or ambiguous servers of entries: `stackops.yaml:3: servers.web.tags: server not found`. */
  readonly faults: readonly string[];
  /** Messages about roles that differ for a server: `stackops.yaml:5: @web and @app differ for shop-1`. */
  readonly contradictions: readonly string[];
}

interface CompareContext {
  readonly stackName: string;
  readonly entries: readonly StackEntry[];
  readonly servers: readonly ServerRow[];
  readonly actions: readonly Action[];
  readonly basis: ComparisonBasis;
}

export function compareSection(
  section: FileSection,
  allItems: readonly StackItem[],
  compareContext: CompareContext,
): ComparedSection {
  const { stackName, entries, basis } = compareContext;
  const sectionEntries = entries.filter((entry) => entry.section === section.name);
  const { wanted, ...messages } = matchEntries(sectionEntries, allItems, compareContext);
  const managed = wanted.filter(({ path, entry }) => entry.expression.kind !== 'unmanaged' && !basis.isIgnored(path));
  const entryPaths = new Set(wanted.map(({ path }) => path));
  const items = allItems.filter(({ path }) => !basis.isIgnored(path));
  const unnamedItems = items
    .filter(({ path }) => !entryPaths.has(path))
    .map((item) => {
      const lockLine = findLockLine(basis.lock, lockKey(stackName, item.path));
      return { ...item, wasReference: mayComeFromReference(lockLine, item) };
    });
  const differences = managed.map((one) => compareEntry(section, one, compareContext));
  return { section, items, unnamedItems, differences, ...messages };
}

/** Matches the entries of a section with the items and servers of a stack. An entry may win over another one. */
function matchEntries(entries: readonly StackEntry[], items: readonly StackItem[], compareContext: CompareContext) {
  const { servers, basis } = compareContext;
  const itemsByPath = new Map(items.map((item) => [item.path, item]));
  const faults: string[] = [];
  const claims = entries.flatMap((entry): readonly WantedItem[] => {
    const { expression } = entry;
    const value = expression.kind === 'literal' ? expression.value : basis.values.get(expression);
    const makeClaim = (path: string, server?: ServerRow) => ({
      entry,
      path,
      item: itemsByPath.get(path),
      server,
      value,
    });
    if (entry.server === undefined) return [makeClaim(entry.path)];
    const entryServers = findEntryServers(entry.server, servers);
    if (typeof entryServers !== 'string')
      return entryServers.map((server) => makeClaim(entryPathOf({ ...entry, server: server.name }), server));
    faults.push(faultText(entry, entryServers));
    return [];
  });
  const rankedClaims = [...groupBy(claims, ({ path }) => path).values()].map((claimsOfPath) =>
    claimsOfPath.toSorted((one, other) => entryRank(other.entry) - entryRank(one.entry)),
  );
  const wanted = rankedClaims.flatMap(([winner]) => winner ?? []);
  return { wanted, faults, contradictions: rankedClaims.flatMap((one) => findContradiction(one) ?? []) };
}

/** Finds the servers of an entry, by name or `@role`. Returns the reason if none matches, or several have the name. */
function findEntryServers(name: string, servers: readonly ServerRow[]): readonly ServerRow[] | string {
  if (name.startsWith('@')) {
    const role = name.slice(1);
    const roleServers = servers.filter(({ server_roles }) => server_roles?.includes(role));
    return roleServers.length > 0 ? roleServers : `no server has the role ${role}`;
  }
  const namedServers = servers.filter((row) => row.name === name);
  if (namedServers.length > 1) return `${namedServers.length} servers are called "${name}"`;
  return namedServers.length > 0 ? namedServers : 'server not found';
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

/** Returns a message such as `stackops.yaml:12: env.OLD: read-only`. */
export function faultText({ source: { file, line }, path }: StackEntry, reason: string): string {
  return `${file}:${line}: ${path}: ${reason}`;
}

type Decision = Pick<Difference, 'action'> & Partial<Pick<Difference, 'why' | 'reason' | 'isImpossible'>>;

function compareEntry(section: FileSection, wanted: WantedItem, compareContext: CompareContext): Difference {
  const isMasked = isMaskedEntry(wanted);
  const line = findLockLine(compareContext.basis.lock, lockKey(compareContext.stackName, wanted.path));
  const decision =
    decideSettled(section, wanted, line) ?? decideDifference(section, wanted, { ...compareContext, line, isMasked });
  const wasReference = mayComeFromReference(line, wanted.item, wanted.entry.expression);
  return { ...wanted, section, isMasked, wasReference, why: null, reason: null, ...decision };
}

/** Returns the decision for an entry that is equal, preserved or unresolved; undefined for a difference. */
function decideSettled(section: FileSection, wanted: WantedItem, lockLine: LockLine | undefined): Decision | undefined {
  const { entry, item } = wanted;
  const { expression } = entry;
  if (expression.kind === 'preserve') return decidePreserved(lockLine, item);
  if (!isEntryResolved(wanted)) return { action: 'skip', reason: 'not resolved here' };
  const isSettled = expression.kind === 'absent' ? !item : hasWantedValue(section, wanted);
  return isSettled ? { action: 'unchanged' } : undefined;
}

export function hasWantedValue(section: FileSection, wanted: WantedItem): boolean {
  const { item, value } = wanted;
  return section.hasWantedValue?.(wanted) ?? (item !== undefined && item.value === value);
}

function decideDifference(
  section: FileSection,
  wanted: WantedItem,
  { stackName, basis, actions, line, isMasked }: CompareContext & { line: LockLine | undefined; isMasked: boolean },
): Decision {
  const { entry, item } = wanted;
  const { expression } = entry;
  const digest = digestOf(expression, isMasked);
  // A hidden value cannot be compared. It counts as unchanged if neither the file nor the service shows a change.
  const isUnchanged = item?.isHidden && line && !wasSetSince(line, item) && (digest === null || digest === line.digest);
  if (isUnchanged) return { action: 'unchanged' };
  const isNew = basis.lock?.has(lockKey(stackName, wanted.path)) === false;
  const why = differenceReasonOf({ line, expression, digest, signs: item }, isNew);
  const skipBecause = (reason: string) => ({ action: 'skip', why, reason }) as const;
  if (why === 'normalised') {
    return skipBecause(`write ${isMasked ? 'the value of the service' : valueText(item)} in ${entry.source.file}`);
  }
  const refusal = section.refusalReason?.(wanted);
  if (refusal !== undefined) return { action: 'skip', why, reason: refusal, isImpossible: true };
  if (basis.leavesDrift && why !== 'edited') return skipBecause('left to the service');
  const blocker = actions.find((action) => !hasEnded(action) && section.mayBeChangedBy?.(wanted, action));
  if (blocker) return { action: 'busy', why, reason: `action ${actionName(blocker)} is ${actionState(blocker)}` };
  if (expression.kind === 'absent') return { action: 'delete', why };
  return { action: item ? 'update' : 'create', why };
}

function decidePreserved(lockLine: LockLine | undefined, item: StackItem | undefined): Decision {
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

function valueText(item: StackItem | undefined): string {
  return item?.value === '' ? "''" : JSON.stringify(item?.value ?? '').slice(1, -1);
}

/** Returns the value that the entry requests, as text; null if it requests none, or if its reference is unresolved. */
export function requestedText(wanted: WantedItem): string | null {
  const { entry, item, value } = wanted;
  const { expression } = entry;
  if (expression.kind === 'tags') return expression.tags.join(', ');
  if (expression.kind === 'count') return String(nearestCount(expression, item));
  if (expression.kind === 'preserve') return item?.value ?? null;
  return isEntryResolved(wanted) ? (value ?? null) : null;
}

interface LockedItem extends Pick<WantedItem, 'path' | 'item'> {
  readonly entry: Pick<StackEntry, 'expression'>;
}

export function lockLineOf(stack: string, { path, entry, item }: LockedItem, isMasked: boolean): LockLine {
  const { changed_at = null, count = null } = item ?? {};
  return { stack, path, changed_at, count, digest: digestOf(entry.expression, isMasked) };
}

type CountExpression = Extract<Expression, { readonly kind: 'count' }>;

/** Returns the count of the item if it is in the range, else the nearest bound of the range. */
export function nearestCount({ least, most }: CountExpression, item: StackItem | undefined): number {
  return Math.min(most, Math.max(least, item?.count ?? 0));
}
