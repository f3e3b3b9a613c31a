import type { CallOptions, Context, FindStacks } from '../../contract/command.ts';
import { pathParamNames } from '../../contract/operation.ts';
import { once } from '../../contract/values/once.ts';
import { CliError, readOrUndefined } from '../../errors/cli-error.ts';
import { liveDeploymentIn } from '../../resources/deployment.ts';
import { healthText, type StackRow, stackStatuses, stacks } from '../../resources/stack.ts';
import { type ListStacks, noListText } from '../../targets/stack.ts';
import type { BackupLimits } from '../backup/check.ts';
import { readFailureText } from '../deployment/watching.ts';
import { busyReasons, needsActions } from './busy.ts';
import { readSections } from './read-sections.ts';
import type { StackStatus } from './record.ts';
import {
  listedParts,
  partsFor,
  type RowsByPart,
  type StatusPart,
  type StatusSection,
  sections,
  statusFieldOf,
  statusParts,
} from './sections.ts';

export interface StatusOptions extends Pick<BackupLimits, 'maxAge'> {
  readonly only: readonly StatusSection[];
  /** Sections that can show a problem and are not read, although `--only` does not exclude them. */
  readonly unchecked: readonly StatusSection[];
  /** Aborted to end all reads, which then count as failed. */
  readonly deadline?: AbortSignal;
}

export interface StatusTarget {
  readonly uid: string;
  /** The stack, if a list has shown it. Then neither the stack nor its actions are read. */
  readonly row?: StackRow;
}

export interface StatusSnapshot {
  readonly found: RowsByPart;
  /** The error of each part whose last read failed. */
  readonly errors: ReadonlyMap<StatusPart, CliError>;
  /** The time of the last successful read of each part. */
  readonly goodAt: ReadonlyMap<StatusPart, Date>;
}

export const emptySnapshot: StatusSnapshot = { found: {}, errors: new Map(), goodAt: new Map() };

interface ReadPartsOptions {
  readonly parts: readonly StatusPart[];
  readonly before?: StatusSnapshot;
  readonly deadline?: AbortSignal;
  readonly stop?: AbortSignal;
}

/** A part that fails keeps its earlier value. `deadline` makes unread parts fail. `stop` throws `interrupted`. */
export async function readParts(context: Context, target: StatusTarget, options: ReadPartsOptions) {
  const { parts, before = emptySnapshot, deadline, stop } = options;
  const signal = AbortSignal.any([deadline, stop].filter((one) => one !== undefined));
  const { values, errors } = await readSections(parts, partReader(context, target, { signal }), deadline);
  const rowsByPart: RowsByPart = { ...before.found, ...Object.fromEntries(values) };
  const found = { ...rowsByPart, stack: rowsByPart.stack ?? before.found.stack };
  const oldErrors = [...before.errors].filter(([part]) => !parts.includes(part));
  const newErrors = [...errors].map(([part, error]) => [part, partError(part, error, found)] as const);
  const goodTimes = [...values.keys()].map((part) => [part, context.now()] as const);
  return {
    found,
    errors: new Map([...oldErrors, ...newErrors]),
    goodAt: new Map([...before.goodAt, ...goodTimes]),
  };
}

function partReader(context: Context, { uid, row }: StatusTarget, options: CallOptions) {
  const readStack = once(async () => row ?? readOrUndefined(context.call(stacks.get, { id: uid }, options)));
  return async (part: StatusPart): Promise<unknown> => {
    if (part === 'stack') return readStack();
    const { list, limit } = statusParts[part];
    const [name = ''] = pathParamNames(list.path);
    const readRows = () => context.call(list, { [name]: uid }, { ...options, limit });
    if (part !== 'actions') return readRows();
    // A row means that many stacks are read. Their actions would take one more request each, so none are read.
    if (row) return undefined;
    return needsActions(await readStack().catch(() => undefined)) ? readOrUndefined(readRows()) : undefined;
  };
}

function partError(part: StatusPart, error: CliError, found: RowsByPart): CliError {
  // A 404 is about the part alone if another part of the stack was read.
  if (error.details.status !== 404 || Object.values(found).every((rows) => rows === undefined)) return error;
  return new CliError('not_found', `${part} not found (404), though the stack exists`, { status: 404 });
}

type StatusRead = ReturnType<typeof stackStatusOf>;

export async function readStackStatus(context: Context, target: StatusTarget, options: StatusOptions) {
  const snapshot = await readParts(context, target, { ...options, parts: partsFor(options.only) });
  return stackStatusOf(context, target.uid, snapshot, options);
}

/** Returns the status of a stack as it was last read. `failure` is the first error if no section could be read. */
export function stackStatusOf(context: Context, uid: string, snapshot: StatusSnapshot, options: StatusOptions) {
  const { found, goodAt } = snapshot;
  const { stack } = found;
  const { only, maxAge, unchecked } = options;
  const now = context.now();
  const errors = new Map(snapshot.errors);
  const criteria = { found, now, maxAge, errors };
  const shownNames = listedParts.filter((name) => name === 'actions' || only.includes(name));
  const shownItems = shownNames.map((name) => {
    const rows = found[name];
    const part = statusParts[name];
    const value = rows && part.itemsOf ? part.itemsOf(rows, criteria) : rows;
    if (value instanceof CliError) errors.set(name, value);
    return [name, value instanceof CliError ? undefined : value] as const;
  });
  const itemsByPart = new Map(shownItems);
  // `isInStackSummary` sections are judged by the record of the stack too. Without that record `stack` is not checked.
  const isStackUnknown =
    !stack && !errors.has('stack') && only.some((section) => statusParts[section].isInStackSummary);
  const isBusyUnknown = !found.actions && only.includes('deployment') && needsActions(stack);
  const status: StackStatus = {
    uid,
    name: stack?.name ?? null,
    environment: stack?.environment ?? null,
    status: stack ? (stackStatuses[stack.status] ?? `status ${stack.status ?? 'unknown'}`) : null,
    health: stack ? healthText(stack.health ?? 0) : null,
    maintenance_mode: stack?.maintenance_mode ?? null,
    checked_at: now.toISOString(),
    busy: busyReasons({ ...found, deployments: found.deployment }),
    problems: shownNames.flatMap((name) => statusParts[name].problemsOf?.(itemsByPart.get(name) ?? [], criteria) ?? []),
    not_checked: [...(isStackUnknown ? ['stack'] : []), ...(isBusyUnknown ? ['actions'] : []), ...unchecked],
    errors: (['stack', ...shownNames] as const).flatMap((section) => {
      const error = errors.get(section);
      return error ? [{ section, code: error.kind, message: readFailureText(error, goodAt.get(section)) }] : [];
    }),
    live: (only.includes('deployment') && liveDeploymentIn(found.deployment)) || null,
    ...(Object.fromEntries(
      listedParts.map((name) => [statusFieldOf(name), itemsByPart.get(name) ?? null]),
    ) as RowFields),
  };
  const failures = only.flatMap((section) => errors.get(section) ?? []);
  return { status, failure: failures.length === only.length ? failures[0] : undefined };
}

type RowFields = Pick<StackStatus, ReturnType<typeof statusFieldOf>>;

/** The sections that are read by default of each of several stacks. Each takes one request. */
export const sectionsForSeveralStacks = sections.filter((section) => statusParts[section].isInStackSummary);

/**
 * `rows` are the stacks that the service lists; undefined if it does not list stacks. `chooseFrom` returns the chosen
 * stacks. Throws `not_found` for a chosen stack that is not listed, or if all stacks are chosen and none are listed.
 */
export type StackChoice = Awaited<ReturnType<typeof chooseAllStacks>>;
export type ChooseStacks = () => Promise<StackChoice>;

export async function chooseAllStacks(context: Context) {
  return {
    rows: await readOrUndefined(context.call(stacks.list, {})),
    chooseFrom: (rows: readonly StackRow[] | undefined): readonly StatusTarget[] => {
      if (rows) return rows.map((row) => ({ uid: row.uid, row }));
      const hint = 'give the UID of a stack with -s';
      throw new CliError('not_found', noListText(context.host.settings.get('account').value), { hint });
    },
  };
}

/** Returns the choice of the stacks that `-s` names. All names are resolved before a stack is read. */
export async function chooseNamedStacks(find: FindStacks, listStacks: ListStacks): Promise<StackChoice> {
  const uids = await find();
  return {
    rows: await listStacks(),
    chooseFrom: (rows) =>
      uids.map((uid) => {
        const row = rows?.find((one) => one.uid === uid);
        if (row) return { uid, row };
        if (rows) throw new CliError('not_found', `stack "${uid}" not found`, { hint: { path: 'stack list' } });
        return { uid };
      }),
  };
}

export async function statusOfStacks(context: Context, chooseStacks: ChooseStacks, options: StatusOptions) {
  const { rows, chooseFrom } = await chooseStacks();
  const reads = await Promise.all(chooseFrom(rows).map((target) => readStackStatus(context, target, options)));
  throwIfAllFailed(reads);
  return sortProblemsFirst(reads);
}

export function throwIfAllFailed(reads: readonly StatusRead[]): void {
  const failures = reads.flatMap(({ failure }) => failure ?? []);
  if (failures[0] && failures.length === reads.length) throw failures[0];
}

/** Returns the stacks with problems, then the stacks with unread sections, then all other stacks. */
export function sortProblemsFirst(reads: readonly StatusRead[]): readonly StackStatus[] {
  return reads.map(({ status }) => status).toSorted((one, other) => problemRank(one) - problemRank(other));
}

function problemRank({ problems, errors }: StackStatus): number {
  if (problems.length > 0) return 0;
  return errors.length > 0 ? 1 : 2;
}
