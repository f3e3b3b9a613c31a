import { CliError, exitCodes } from '../../errors/cli-error.ts';
import { type Action, actionState, hasEnded } from '../../resources/action.ts';
import { isSecret } from '../../resources/env.ts';
import { type Expression, type FileStack, pathOf, type SectionName, type StackEntry } from '../../state/entry.ts';
import { digestOf, type Lock, type LockLine, lineIn, lockKey, type Why, wasSetSince, whyOf } from '../../state/lock.ts';
import { actionName } from '../status/busy.ts';
import type { FileSection, Item, StackReader, Wanted } from './section.ts';

export const planActions = ['create', 'update', 'delete', 'unchanged', 'skip', 'busy'] as const;
export type PlanAction = (typeof planActions)[number];

/** An entry for one item, compared with the service. */
export interface Difference extends Wanted {
  readonly section: FileSection;
  readonly action: PlanAction;
  /** Null where nothing differs. */
  readonly why: Why | null;
  readonly reason: string | null;
  readonly isMasked: boolean;
  /** `reason` says why. */
  readonly isImpossible?: true;
}

/** The lock, the references and the options of a comparison. */
export interface Basis {
  readonly lock: Lock | undefined;
  readonly isIgnored: (path: string) => boolean;
  /** The text of each reference. */
  readonly values: ReadonlyMap<Expression, string>;
  /** Skips differences that no edit of the file caused. */
  readonly leaves: boolean;
}

/** Matches the entries of a section with the items of a stack. `faults` name missing servers. */
export async function placeEntries(
  section: FileSection,
  entries: readonly StackEntry[],
  { items, reader, values }: { items: readonly Item[]; reader: StackReader; values: Basis['values'] },
): Promise<{ readonly wanted: readonly Wanted[]; readonly faults: readonly string[] }> {
  const byPath = new Map(items.map((item) => [item.path, item]));
  const textFor = ({ expression }: StackEntry) =>
    expression.kind === 'literal' ? expression.value : values.get(expression);
  if (!section.serversOf) {
    const wanted = entries.map((entry) => {
      return { entry, path: entry.path, item: byPath.get(entry.path), value: textFor(entry) };
    });
    return { wanted, faults: [] };
  }
  const placed = new Map<string, Wanted>();
  const faults: string[] = [];
  for (const entry of entries) {
    const found = await section.serversOf(entry, reader).catch((error: unknown) => {
      if (!(error instanceof CliError) || exitCodes[error.kind] !== exitCodes.rejected) throw error;
      faults.push(faultOf(entry, error.message));
      return [];
    });
    for (const server of found) {
      const path = pathOf({ ...entry, server: server.name });
      const known = placed.get(path);
      if (known && rankOf(known.entry) === rankOf(entry)) refuseContradiction(known.entry, entry, server.name);
      if (known && rankOf(known.entry) >= rankOf(entry)) continue;
      placed.set(path, { entry, path, item: byPath.get(path), server, value: textFor(entry) });
    }
  }
  return { wanted: [...placed.values()], faults };
}

/** An overlay wins over its base, then a server named itself over its role. */
function rankOf({ server = '', source }: StackEntry): number {
  return (source.stack === null ? 0 : 2) + (server.startsWith('@') ? 0 : 1);
}

function refuseContradiction(one: StackEntry, other: StackEntry, server: string): void {
  if (JSON.stringify(one.expression) === JSON.stringify(other.expression)) return;
  const { file, line } = other.source;
  const message = `${file}:${line}: ${one.server} and ${other.server} differ for ${server}`;
  throw new CliError('usage', message);
}

/** `stackops.yaml:12: env.OLD: read-only` */
export function faultOf({ source: { file, line }, path }: StackEntry, reason: string): string {
  return `${file}:${line}: ${path}: ${reason}`;
}

interface CompareContext {
  readonly stack: FileStack;
  readonly actions: readonly Action[];
  readonly basis: Basis;
}

type Decision = Pick<Difference, 'action'> & Partial<Pick<Difference, 'why' | 'reason' | 'isImpossible'>>;

export function compareEntry(section: FileSection, wanted: Wanted, beside: CompareContext): Difference {
  const isMasked = isMaskedEntry(wanted);
  const line = lineIn(beside.basis.lock, lockKey(beside.stack.name, wanted.path));
  const decision =
    decideSettled(section, wanted, line) ?? decideDifference(section, wanted, { ...beside, line, isMasked });
  const wasReference = mayComeFromReference(line, wanted.item, wanted.entry.expression);
  return { ...wanted, section, isMasked, wasReference, why: null, reason: null, ...decision };
}

/** The decision for an entry that is equal, preserved or unresolved; undefined for a difference. */
function decideSettled(section: FileSection, wanted: Wanted, line: LockLine | undefined): Decision | undefined {
  const { entry, item } = wanted;
  const { expression } = entry;
  if (expression.kind === 'preserve') return decidePreserved(line, item);
  if (!isResolved(wanted)) return { action: 'skip', reason: 'not resolved here' };
  const isSettled = expression.kind === 'absent' ? !item : isReached(section, wanted);
  return isSettled ? { action: 'unchanged' } : undefined;
}

export function isReached(section: FileSection, wanted: Wanted): boolean {
  const { item, value } = wanted;
  return section.isReached?.(wanted) ?? (item !== undefined && item.value === value);
}

function decideDifference(
  section: FileSection,
  wanted: Wanted,
  { stack, basis, actions, line, isMasked }: CompareContext & { line: LockLine | undefined; isMasked: boolean },
): Decision {
  const { entry, item } = wanted;
  const { expression } = entry;
  const digest = digestOf(expression, isMasked);
  // The value is hidden, and neither the lock nor the service shows a change.
  const isHeld = item?.isHidden && line && !wasSetSince(line, item) && (digest === null || digest === line.digest);
  if (isHeld) return { action: 'unchanged' };
  const isNew = basis.lock?.has(lockKey(stack.name, wanted.path)) === false;
  const why = whyOf({ line, expression, digest, signs: item }, isNew);
  const skip = (reason: string) => ({ action: 'skip', why, reason }) as const;
  if (why === 'normalised') {
    return skip(`write ${isMasked ? 'the value of the service' : valueText(item)} in ${entry.source.file}`);
  }
  const refusal = section.refusal?.(wanted);
  if (refusal !== undefined) return { action: 'skip', why, reason: refusal, isImpossible: true };
  if (basis.leaves && why !== 'edited') return skip('left to the service');
  const busy = actions.find((action) => !hasEnded(action) && section.isBusy?.(wanted, action));
  if (busy) return { action: 'busy', why, reason: `action ${actionName(busy)} is ${actionState(busy)}` };
  if (expression.kind === 'absent') return { action: 'delete', why };
  return { action: item ? 'update' : 'create', why };
}

function decidePreserved(line: LockLine | undefined, item: Item | undefined): Decision {
  if (!item) {
    const reason = 'it is preserved and does not exist';
    return { action: 'skip', why: line ? 'drifted' : 'unknown', reason, isImpossible: true };
  }
  if (!line || !wasSetSince(line, item)) return { action: 'unchanged' };
  return { action: 'skip', why: 'drifted', reason: 'set at the service; its value is not managed' };
}

/** A reference without a value is not resolved, unless it may be empty. */
export function isResolved({ entry: { expression, allow_empty }, value }: Pick<Wanted, 'entry' | 'value'>): boolean {
  return Boolean(value) || allow_empty || !isReference(expression);
}

export function isReference({ kind }: Expression): boolean {
  return kind === 'env' || kind === 'file' || kind === 'secret';
}

function isMaskedEntry({ entry: { key, expression }, item, value }: Wanted): boolean {
  if (expression.kind === 'tags' || expression.kind === 'count') return false;
  const isKept = isReference(expression) || expression.kind === 'preserve';
  return isKept || item?.isSecret === true || isSecret({ key, value, is_password: false });
}

/** True where the lock has another expression than the present one and a literal of the value at the service. */
export function mayComeFromReference(
  line: LockLine | undefined,
  item: Item | undefined,
  present?: Expression,
): boolean {
  const isText = item && item.section !== 'tags' && item.section !== 'processes';
  if (!isText || item.value === null || !line?.digest) return false;
  const others: readonly Expression[] = [{ kind: 'literal', value: item.value }, { kind: 'absent' }];
  return [...others, ...(present ? [present] : [])].every((one) => digestOf(one, false) !== line.digest);
}

function valueText(item: Item | undefined): string {
  return item?.value === '' ? "''" : JSON.stringify(item?.value ?? '').slice(1, -1);
}

/** The value after the change, as text; null if it is removed. */
export function requestedText({ entry, item, value }: Wanted): string | null {
  const { expression } = entry;
  if (expression.kind === 'tags') return expression.tags.join(', ');
  if (expression.kind === 'count') return String(nearestCount(expression, item));
  if (expression.kind === 'preserve') return item?.value ?? null;
  return isResolved({ entry, value }) ? (value ?? null) : null;
}

/** The items of a section that people created and no entry names. */
export function unmanagedItems(items: readonly Item[], wanted: readonly Wanted[]): readonly Item[] {
  const named = new Set(wanted.map(({ path }) => path));
  return items.filter(({ path, left, isGenerated }) => !named.has(path) && left === undefined && !isGenerated);
}

/** The line of the lock for an entry whose value the service shows. */
export function lockLineOf(
  stack: string,
  { path, entry, item }: Pick<Wanted, 'path' | 'item'> & { readonly entry: Pick<StackEntry, 'expression'> },
  isMasked: boolean,
): LockLine {
  const { changed_at = null, count = null } = item ?? {};
  return { stack, path, changed_at, count, digest: digestOf(entry.expression, isMasked) };
}

/** The sections that a stack uses, in their order. */
export function sectionsOf(
  sections: readonly FileSection[],
  { entries }: Pick<FileStack, 'entries'>,
  only: readonly SectionName[] | undefined,
  strict: readonly SectionName[],
): readonly FileSection[] {
  const used = new Set([...entries.map(({ section }) => section), ...strict]);
  return sections.filter(({ name }) => used.has(name) && (only === undefined || only.includes(name)));
}

/** The count of the item, or the nearest bound of the range. */
export function nearestCount(
  { least, most }: { readonly least: number; readonly most: number },
  item: Pick<Item, 'count'> | undefined,
): number {
  return Math.min(most, Math.max(least, item?.count ?? 0));
}
