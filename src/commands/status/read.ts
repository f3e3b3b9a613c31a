import type { CallOptions, Context } from '../../contract/command.ts';
import { pathParamNames } from '../../contract/operation.ts';
import { once } from '../../contract/values/once.ts';
import { CliError, readOrUndefined } from '../../errors/cli-error.ts';
import { liveDeploymentIn } from '../../resources/deployment.ts';
import { healthText, type StackRow, stackStatuses, stacks } from '../../resources/stack.ts';
import { readFailureText } from '../deployment/watching.ts';
import { busyReasons, needsActions } from './busy.ts';
import type { StackStatus } from './record.ts';
import { sectionReader } from './section-reader.ts';
import {
  listedParts,
  partsFor,
  type RowsByPart,
  type StatusPart,
  type StatusSection,
  statusFieldOf,
  statusParts,
} from './sections.ts';

export interface StatusOptions {
  readonly only: readonly StatusSection[];
  /** Maximum age of the last good backup, in seconds. */
  readonly maxAge: number;
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
  readonly before?: StatusSnapshot;
  readonly deadline?: AbortSignal;
  readonly stop?: AbortSignal;
}

/**
 * Reads the given parts at the same time. A part that fails does not stop the other reads and keeps its earlier value.
 * `deadline` makes unread parts fail. `stop` ends all reads; then this function throws `interrupted`.
 */
export async function readParts(
  context: Context,
  target: StatusTarget,
  parts: readonly StatusPart[],
  { before = emptySnapshot, deadline, stop }: ReadPartsOptions,
): Promise<StatusSnapshot> {
  const signal = AbortSignal.any([deadline, stop].filter((one) => one !== undefined));
  const readPart = partReader(context, target, { signal });
  const failures = new Map<StatusPart, CliError>();
  const readSection = sectionReader(failures, deadline);
  const readings = parts.map(async (part) => [part, await readSection(part, () => readPart(part))] as const);
  const goodReadings = (await Promise.all(readings)).filter(([part]) => !failures.has(part));
  const rowsByPart: RowsByPart = { ...before.found, ...Object.fromEntries(goodReadings) };
  const found = { ...rowsByPart, stack: rowsByPart.stack ?? before.found.stack };
  const oldErrors = [...before.errors].filter(([part]) => !parts.includes(part));
  const newErrors = [...failures].map(([part, error]) => [part, partError(part, error, found)] as const);
  const goodTimes = goodReadings.map(([part]) => [part, context.now()] as const);
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

export type StatusRead = ReturnType<typeof stackStatusOf>;

export async function readStackStatus(context: Context, target: StatusTarget, options: StatusOptions) {
  const snapshot = await readParts(context, target, partsFor(options.only), options);
  return stackStatusOf(target.uid, snapshot, { ...options, now: context.now() });
}

/** Returns the status of a stack as it was last read. `failure` is the first error if no section could be read. */
export function stackStatusOf(
  uid: string,
  { found, errors: readErrors, goodAt }: StatusSnapshot,
  { only, maxAge, unchecked, now }: Omit<StatusOptions, 'deadline'> & { readonly now: Date },
) {
  const { stack } = found;
  const errors = new Map(readErrors);
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
