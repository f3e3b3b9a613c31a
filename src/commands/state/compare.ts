import { isSecret } from '../../resources/env.ts';
import { type Action, actionState, hasEnded } from '../../resources/action.ts';
import type { Entry, Expression, FileStack, SectionName } from '../../state/entry.ts';
import { digestOf, type Lock, type LockLine, lockKey, type Why, wasSetSince, whyOf } from '../../state/lock.ts';
import { CliError, exitCodes } from '../../errors/cli-error.ts';
import { actionName } from '../status/busy.ts';
import type { Item, Section, StackReader, Wanted } from './section.ts';

export const planActions = ['create', 'update', 'delete', 'unchanged', 'skip', 'busy'] as const;
export type PlanAction = (typeof planActions)[number];

/** An entry on one thing, compared with the service. */
export interface Difference extends Wanted {
  readonly section: Section;
  readonly action: PlanAction;
  /** Null where nothing differs. */
  readonly why: Why | null;
  readonly reason: string | null;
  /** Its values are masked. */
  readonly isMasked: boolean;
  /** Why it cannot be made. */
  readonly refusal?: string | undefined;
}

/** What the entries of one stack are compared with. */
export interface Basis {
  readonly lock: Lock | undefined;
  readonly isIgnored: (path: string) => boolean;
  /** The text of each reference. */
  readonly values: ReadonlyMap<Expression, string>;
  /** Left to the service: the differences that nobody made in the file. */
  readonly leaves: boolean;
}

/** The entries of a section on the things of a stack; `faults` are the servers that are missing. */
export async function placeEntries(
  section: Section,
  entries: readonly Entry[],
  { items, reader, values }: { items: readonly Item[]; reader: StackReader; values: Basis['values'] },
): Promise<{ readonly wanted: readonly Wanted[]; readonly faults: readonly string[] }> {
  const byPath = new Map(items.map((item) => [item.path, item]));
  const valueOf = ({ expression }: Entry) =>
    expression.kind === 'literal' ? expression.value : values.get(expression);
  if (!section.serversOf) {
    const wanted = entries.map((entry) => {
      return { entry, path: entry.path, item: byPath.get(entry.path), value: valueOf(entry) };
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
      const path = entry.path.replace(String(entry.server), () => server.name);
      const known = placed.get(path);
      if (known && rankOf(known.entry) === rankOf(entry)) refuseContradiction(known.entry, entry, server.name);
      if (known && rankOf(known.entry) >= rankOf(entry)) continue;
      placed.set(path, { entry, path, item: byPath.get(path), server, value: valueOf(entry) });
    }
  }
  return { wanted: [...placed.values()], faults };
}

/** An overlay wins over its base, then a server named itself over its role. */
function rankOf({ server = '', source }: Entry): number {
  return (source.stack === null ? 0 : 2) + (server.startsWith('@') ? 0 : 1);
}

function refuseContradiction(one: Entry, other: Entry, server: string): void {
  if (JSON.stringify(one.expression) === JSON.stringify(other.expression)) return;
  const { file, line } = other.source;
  const message = `${file}:${line}: ${one.server} and ${other.server} say different things of ${server}`;
  throw new CliError('usage', message);
}

/** `stackops.yaml:12: env.OLD: read-only` */
export function faultOf({ source: { file, line }, path }: Entry, reason: string): string {
  return `${file}:${line}: ${path}: ${reason}`;
}

export function compareEntry(
  section: Section,
  wanted: Wanted,
  { stack, actions, basis }: { stack: FileStack; actions: readonly Action[]; basis: Basis },
): Difference {
  const { entry, item, value } = wanted;
  const { expression } = entry;
  const isMasked = isMaskedEntry(wanted);
  const line = basis.lock?.get(lockKey(stack.name, wanted.path));
  const row = (action: PlanAction, why: Why | null = null, reason: string | null = null): Difference => {
    return { ...wanted, section, action, why, reason, isMasked };
  };
  if (expression.kind === 'preserve') return preserved(row, line, item);
  if (isReference(expression) && !value && !entry.allow_empty) return row('skip', null, 'not resolved here');
  if (expression.kind === 'absent' ? !item : section.isReached(wanted)) return row('unchanged');
  const digest = digestOf(expression, isMasked);
  const why = whyOf({ line, expression, digest, seen: item }, basis.lock !== undefined);
  // The service hides the value, and nothing tells of a change.
  if (item?.isHidden && line && !wasSetSince(line, item) && (digest === null || digest === line.digest)) {
    return row('unchanged');
  }
  if (why === 'normalised') return row('skip', why, `write ${isMasked ? 'the value of the service' : textOf(item)} in ${entry.source.file}`);
  const refusal = section.refusal(wanted);
  if (refusal !== undefined) return { ...row('skip', why, refusal), refusal };
  if (basis.leaves && why !== 'edited') return row('skip', why, 'left to the service');
  const busy = actions.find((action) => !hasEnded(action) && section.isBusy(wanted, action));
  if (busy) return row('busy', why, `action ${actionName(busy)} is ${actionState(busy)}`);
  if (expression.kind === 'absent') return row('delete', why);
  return row(item ? 'update' : 'create', why);
}

function preserved(
  row: (action: PlanAction, why?: Why | null, reason?: string | null) => Difference,
  line: LockLine | undefined,
  item: Item | undefined,
): Difference {
  if (!item) {
    const refusal = 'it is preserved and does not exist';
    return { ...row('skip', line ? 'drifted' : 'unknown', refusal), refusal };
  }
  if (!line || !wasSetSince(line, item)) return row('unchanged');
  return row('skip', 'drifted', 'set at the service; its value is not managed');
}

export function isReference({ kind }: Expression): boolean {
  return kind === 'env' || kind === 'file' || kind === 'secret';
}

function isMaskedEntry({ entry: { key, expression }, item, value }: Wanted): boolean {
  if (expression.kind === 'tags' || expression.kind === 'count') return false;
  return isReference(expression) || item?.isSecret === true || isSecret({ key, value, is_password: false });
}

function textOf(item: Item | undefined): string {
  return item?.value === '' ? "''" : JSON.stringify(item?.value ?? '').slice(1, -1);
}

/** The text that the service is to show; null for none. */
export function requestedText({ entry: { expression }, item, value }: Wanted): string | null {
  switch (expression.kind) {
    case 'tags':
      return expression.tags.join(', ');
    case 'count': {
      const now = Number(item?.value ?? 0);
      return String(Math.min(expression.most, Math.max(expression.least, now)));
    }
    case 'preserve':
      return item?.value ?? null;
    default:
      return value ?? null;
  }
}

/** The things of a section that no entry names and that people made. */
export function unmanagedItems(items: readonly Item[], wanted: readonly Wanted[]): readonly Item[] {
  const named = new Set(wanted.map(({ path }) => path));
  return items.filter(({ path, left, isGenerated }) => !named.has(path) && left === undefined && !isGenerated);
}

/** The line of the lock for an entry whose value the service shows. */
export function lockLineOf(stack: string, { path, entry, item }: Wanted, isMasked: boolean): LockLine {
  const { changed_at = null, count = null } = item ?? {};
  return { stack, path, changed_at, count, digest: digestOf(entry.expression, isMasked) };
}

/** The sections that a stack uses, in their order. */
export function sectionsOf(
  sections: readonly Section[],
  { entries }: Pick<FileStack, 'entries'>,
  only: readonly SectionName[] | undefined,
  strict: readonly SectionName[],
): readonly Section[] {
  const used = new Set([...entries.map(({ section }) => section), ...strict]);
  return sections.filter(({ name }) => used.has(name) && (only === undefined || only.includes(name)));
}
