import type { CallMore, Context } from '../../contract/command.ts';
import { pathNames } from '../../contract/operation.ts';
import { once } from '../../contract/values/once.ts';
import { CliError, readOrUndefined } from '../../errors/cli-error.ts';
import { liveIn } from '../../resources/deployment.ts';
import { healthText, type StackRow, stackStatuses, stacks } from '../../resources/stack.ts';
import { unreadText } from '../deployment/watching.ts';
import { busyWith, needsActions } from './busy.ts';
import type { StackStatus } from './record.ts';
import { sectionReader } from './section-reader.ts';
import { type Found, fieldOf, listedParts, partsFor, type Section, type StatusPart, statusParts } from './sections.ts';

export interface StatusOptions {
  readonly only: readonly Section[];
  /** Oldest good backup allowed, in seconds. */
  readonly maxAge: number;
  /** Sections that can show a problem and were not read, although they were not excluded by name. */
  readonly unchecked: readonly Section[];
  /** Ends all reads, which then have failed. */
  readonly deadline?: AbortSignal;
}

export interface StatusTarget {
  readonly uid: string;
  /** The stack, where a list has shown it. It is then not read again, and neither are its actions. */
  readonly row?: StackRow;
}

export interface Snapshot {
  readonly found: Found;
  /** Parts whose last read failed. */
  readonly errors: ReadonlyMap<StatusPart, CliError>;
  /** The time of the last good read of each part. */
  readonly goodAt: ReadonlyMap<StatusPart, Date>;
}

export const emptySnapshot: Snapshot = { found: {}, errors: new Map(), goodAt: new Map() };

/**
 * Reads these parts side by side. One that fails does not stop the others, and keeps its earlier value. Parts that are not
 * read by the `deadline` fail; `stop` ends all, and throws interrupted.
 */
export async function readParts(
  context: Context,
  target: StatusTarget,
  wanted: readonly StatusPart[],
  limits: { readonly before?: Snapshot; readonly deadline?: AbortSignal | undefined; readonly stop?: AbortSignal },
): Promise<Snapshot> {
  const { before = emptySnapshot, deadline, stop } = limits;
  const signals = [deadline, stop].filter((signal) => signal !== undefined);
  const readPart = partReader(context, target, signals.length === 0 ? {} : { signal: AbortSignal.any(signals) });
  const failed = new Map<StatusPart, CliError>();
  const read = sectionReader(failed, deadline);
  const results = await Promise.all(
    wanted.map(async (part) => {
      const rows = await read(part, () => readPart(part));
      return failed.has(part) ? {} : { [part]: rows };
    }),
  );
  const seen: Found = Object.assign({}, before.found, ...results);
  const found = { ...seen, stack: seen.stack ?? before.found.stack };
  const good = wanted.filter((part) => !failed.has(part)).map((part) => [part, context.now()] as const);
  const earlier = [...before.errors].filter(([part]) => !wanted.includes(part));
  const now = [...failed].map(([part, error]) => [part, ofPart(part, error, found)] as const);
  return { found, errors: new Map([...earlier, ...now]), goodAt: new Map([...before.goodAt, ...good]) };
}

function partReader(context: Context, { uid, row }: StatusTarget, more: CallMore) {
  const stack = once(async () => row ?? readOrUndefined(context.call(stacks.get, { id: uid }, more)));
  return async (part: StatusPart): Promise<unknown> => {
    if (part === 'stack') return stack();
    const { list, limit } = statusParts[part];
    const [name = ''] = pathNames(list.path);
    const rows = () => context.call(list, { [name]: uid }, limit === undefined ? more : { ...more, limit });
    if (part !== 'actions') return rows();
    // The actions of several stacks would be one more request each.
    if (row) return undefined;
    return needsActions(await stack().catch(() => undefined)) ? readOrUndefined(rows()) : undefined;
  };
}

function ofPart(part: StatusPart, error: CliError, found: Found): CliError {
  // A 404 is about the section alone where anything of the stack was read.
  if (error.details.status !== 404 || Object.values(found).every((rows) => rows === undefined)) return error;
  return new CliError('not_found', `${part} not found (404), though the stack exists`, { status: 404 });
}

export type StatusRead = ReturnType<typeof stackStatusOf>;

export async function readStackStatus(
  context: Context,
  target: StatusTarget,
  { deadline, ...options }: StatusOptions,
): Promise<StatusRead> {
  const snapshot = await readParts(context, target, partsFor(options.only), { deadline });
  return stackStatusOf(target.uid, snapshot, { ...options, now: context.now() });
}

/** The status of a stack as it was last read; `failure` is the first error, where no section could be read. */
export function stackStatusOf(
  uid: string,
  { found, errors: failed, goodAt }: Snapshot,
  { only, maxAge, unchecked, now }: Omit<StatusOptions, 'deadline'> & { readonly now: Date },
) {
  const { stack } = found;
  const errors = new Map(failed);
  const criteria = { found, now, maxAge, errors };
  const chosen = listedParts.filter((name) => name === 'actions' || only.includes(name));
  const shown = chosen.map((name) => {
    const part = statusParts[name];
    const rows = found[name];
    const value = rows && part.shown ? part.shown(rows, criteria) : rows;
    if (value instanceof CliError) errors.set(name, value);
    return { name, part, rows: value === undefined || value instanceof CliError ? null : value };
  });
  const rowsOf = new Map(shown.map(({ name, rows }) => [name, rows]));
  // The service may not show the record of the stack, whose states count in these sections.
  const isSilent = !stack && !errors.has('stack') && only.some((section) => statusParts[section].isSummedUp);
  const isBusyUnknown = !found.actions && only.includes('deployment') && needsActions(stack);
  const status: StackStatus = {
    uid,
    name: stack?.name ?? null,
    environment: stack?.environment ?? null,
    status: stack ? (stackStatuses[stack.status] ?? `status ${stack.status ?? 'unknown'}`) : null,
    health: stack ? healthText(stack.health ?? 0) : null,
    maintenance_mode: stack?.maintenance_mode ?? null,
    checked_at: now.toISOString(),
    busy: busyWith({ ...found, deployments: found.deployment }),
    problems: shown.flatMap(({ part, rows }) => part.problems?.(rows ?? [], criteria) ?? []),
    not_checked: [...(isSilent ? ['stack'] : []), ...(isBusyUnknown ? ['actions'] : []), ...unchecked],
    errors: (['stack', ...chosen] as const).flatMap((section) => {
      const error = errors.get(section);
      return error ? [{ section, code: error.kind, message: unreadText(error, goodAt.get(section)) }] : [];
    }),
    live: (only.includes('deployment') && liveIn(found.deployment)) || null,
    ...(Object.fromEntries(listedParts.map((name) => [fieldOf(name), rowsOf.get(name) ?? null])) as RowFields),
  };
  const failures = only.flatMap((section) => errors.get(section) ?? []);
  return { status, failure: failures.length === only.length ? failures[0] : undefined };
}

type RowFields = Pick<StackStatus, ReturnType<typeof fieldOf>>;
