import { CliError, exitCodes } from '../../errors/cli-error.ts';
import { type Action, actionState, hasEnded } from '../../resources/action.ts';
import { isSecret } from '../../resources/env.ts';
import {
  type Expression,
  entryPathOf,
  type SectionName,
  type StackEntry,
  type StackInFile,
} from '../../state/entry.ts';
import { digestOf, type Lock, type LockLine, lineIn, lockKey, type Why, wasSetSince, whyOf } from '../../state/lock.ts';
import { actionName } from '../status/busy.ts';
import type { FileSection, StackItem, StackReader, WantedItem } from './section.ts';

export const planActions = ['create', 'update', 'delete', 'unchanged', 'skip', 'busy'] as const;
export type PlanAction = (typeof planActions)[number];

/** An entry for one item, compared with the service. */
export interface Difference extends WantedItem {
  readonly section: FileSection;
  readonly action: PlanAction;
  /** Why the entry and the item differ; null if they are equal, or if a reference has no value on this machine. */
  readonly why: Why | null;
  readonly reason: string | null;
  readonly isMasked: boolean;
  /** Set if the entry asks for something impossible; `reason` says why. */
  readonly isImpossible?: true;
}

/** The lock, the references and the options of a comparison. */
export interface Basis {
  readonly lock: Lock | undefined;
  readonly isIgnored: (path: string) => boolean;
  /** The text of each reference; an empty string for an unresolved reference. */
  readonly values: ReadonlyMap<Expression, string>;
  /** True if differences that no edit of the file caused are skipped. */
  readonly leavesDrift: boolean;
}

interface MatchedEntries {
  readonly wanted: readonly WantedItem[];
  readonly faults: readonly string[];
  readonly contradictions: readonly string[];
}

/**
 * Matches the entries of a section with the items of a stack. `faults` has a message for each entry whose server is
 * missing or ambiguous, `contradictions` one for two entries of the highest rank that differ for a server.
 */
export async function matchEntries(
  section: FileSection,
  entries: readonly StackEntry[],
  { items, reader, values }: { items: readonly StackItem[]; reader: StackReader; values: Basis['values'] },
): Promise<MatchedEntries> {
  const itemsByPath = new Map(items.map((item) => [item.path, item]));
  const textFor = ({ expression }: StackEntry) =>
    expression.kind === 'literal' ? expression.value : values.get(expression);
  if (!section.serversOf) {
    const wanted = entries.map((entry) => {
      return { entry, path: entry.path, item: itemsByPath.get(entry.path), value: textFor(entry) };
    });
    return { wanted, faults: [], contradictions: [] };
  }
  const claimsByPath = new Map<string, WantedItem[]>();
  const faults: string[] = [];
  for (const entry of entries) {
    const entryServers = await section.serversOf(entry, reader).catch((error: unknown) => {
      if (!(error instanceof CliError) || exitCodes[error.kind] !== exitCodes.rejected) throw error;
      faults.push(faultText(entry, error.message));
      return [];
    });
    for (const server of entryServers) {
      const path = entryPathOf({ ...entry, server: server.name });
      const claim = { entry, path, item: itemsByPath.get(path), server, value: textFor(entry) };
      claimsByPath.set(path, [...(claimsByPath.get(path) ?? []), claim]);
    }
  }
  const rankedClaims = [...claimsByPath.values()].map((claims) =>
    claims.toSorted((one, other) => entryRank(other.entry) - entryRank(one.entry)),
  );
  const wanted = rankedClaims.flatMap(([winner]) => winner ?? []);
  return { wanted, faults, contradictions: rankedClaims.flatMap((claims) => findContradiction(claims) ?? []) };
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

interface CompareContext {
  readonly stack: StackInFile;
  readonly actions: readonly Action[];
  readonly basis: Basis;
}

type Decision = Pick<Difference, 'action'> & Partial<Pick<Difference, 'why' | 'reason' | 'isImpossible'>>;

export function compareEntry(section: FileSection, wanted: WantedItem, compareContext: CompareContext): Difference {
  const isMasked = isMaskedEntry(wanted);
  const line = lineIn(compareContext.basis.lock, lockKey(compareContext.stack.name, wanted.path));
  const decision =
    decideSettled(section, wanted, line) ?? decideDifference(section, wanted, { ...compareContext, line, isMasked });
  const wasReference = mayComeFromReference(line, wanted.item, wanted.entry.expression);
  return { ...wanted, section, isMasked, wasReference, why: null, reason: null, ...decision };
}

/** Returns the decision for an entry that is equal, preserved or unresolved; undefined for a difference. */
function decideSettled(section: FileSection, wanted: WantedItem, line: LockLine | undefined): Decision | undefined {
  const { entry, item } = wanted;
  const { expression } = entry;
  if (expression.kind === 'preserve') return decidePreserved(line, item);
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
  { stack, basis, actions, line, isMasked }: CompareContext & { line: LockLine | undefined; isMasked: boolean },
): Decision {
  const { entry, item } = wanted;
  const { expression } = entry;
  const digest = digestOf(expression, isMasked);
  // A hidden value cannot be compared. It counts as unchanged if neither the file nor the service shows a change.
  const isUnchanged = item?.isHidden && line && !wasSetSince(line, item) && (digest === null || digest === line.digest);
  if (isUnchanged) return { action: 'unchanged' };
  const isNew = basis.lock?.has(lockKey(stack.name, wanted.path)) === false;
  const why = whyOf({ line, expression, digest, signs: item }, isNew);
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

function decidePreserved(line: LockLine | undefined, item: StackItem | undefined): Decision {
  if (!item) {
    const reason = 'it is preserved and does not exist';
    return { action: 'skip', why: line ? 'drifted' : 'unknown', reason, isImpossible: true };
  }
  if (!line || !wasSetSince(line, item)) return { action: 'unchanged' };
  return { action: 'skip', why: 'drifted', reason: 'set at the service; its value is not managed' };
}

/** True unless the entry is a reference that has no value and may not be empty. */
export function isEntryResolved({ entry, value }: Pick<WantedItem, 'entry' | 'value'>): boolean {
  return Boolean(value) || entry.allow_empty || !isReference(entry.expression);
}

export function isReference({ kind }: Expression): boolean {
  return kind === 'env' || kind === 'file' || kind === 'secret';
}

function isMaskedEntry({ entry: { key, expression }, item, value }: WantedItem): boolean {
  if (expression.kind === 'tags' || expression.kind === 'count') return false;
  const isOutsideFile = isReference(expression) || expression.kind === 'preserve';
  return isOutsideFile || item?.isSecret === true || isSecret({ key, value, is_password: false });
}

/** True if the value may come from a former reference, because no known expression has the digest in the lock. */
export function mayComeFromReference(
  line: LockLine | undefined,
  item: StackItem | undefined,
  current?: Expression,
): boolean {
  const isText = item && item.section !== 'tags' && item.section !== 'processes';
  if (!isText || item.value === null || !line?.digest) return false;
  const knownExpressions: readonly Expression[] = [{ kind: 'literal', value: item.value }, { kind: 'absent' }];
  return [...knownExpressions, ...(current ? [current] : [])].every((one) => digestOf(one, false) !== line.digest);
}

function valueText(item: StackItem | undefined): string {
  return item?.value === '' ? "''" : JSON.stringify(item?.value ?? '').slice(1, -1);
}

/** Returns the value that the entry requests, as text; null if it requests none, or if its reference is unresolved. */
export function requestedText({ entry, item, value }: WantedItem): string | null {
  const { expression } = entry;
  if (expression.kind === 'tags') return expression.tags.join(', ');
  if (expression.kind === 'count') return String(nearestCount(expression, item));
  if (expression.kind === 'preserve') return item?.value ?? null;
  return isEntryResolved({ entry, value }) ? (value ?? null) : null;
}

/** Returns the items that a file can manage, that the service did not generate and that no entry names. */
export function unmanagedItems(items: readonly StackItem[], wanted: readonly WantedItem[]): readonly StackItem[] {
  const entryPaths = new Set(wanted.map(({ path }) => path));
  return items.filter((item) => !entryPaths.has(item.path) && !item.unmanagedReason && !item.isGenerated);
}

export function lockLineOf(
  stack: string,
  { path, entry, item }: Pick<WantedItem, 'path' | 'item'> & { readonly entry: Pick<StackEntry, 'expression'> },
  isMasked: boolean,
): LockLine {
  const { changed_at = null, count = null } = item ?? {};
  return { stack, path, changed_at, count, digest: digestOf(entry.expression, isMasked) };
}

/** Returns the sections to read for a stack: those of its entries and those in `strict`, limited to `only`. */
export function sectionsToRead(
  sections: readonly FileSection[],
  { entries }: Pick<StackInFile, 'entries'>,
  only: readonly SectionName[] | undefined,
  strict: readonly SectionName[],
): readonly FileSection[] {
  const usedNames = new Set([...entries.map(({ section }) => section), ...strict]);
  return sections.filter(({ name }) => usedNames.has(name) && (only === undefined || only.includes(name)));
}

/** Returns the count of the item if it is in the range, else the nearest bound of the range. */
export function nearestCount(
  { least, most }: { readonly least: number; readonly most: number },
  item: Pick<StackItem, 'count'> | undefined,
): number {
  return Math.min(most, Math.max(least, item?.count ?? 0));
}
