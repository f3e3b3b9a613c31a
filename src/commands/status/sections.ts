import type { Context } from '../../contract/command.ts';
import { Problem } from '../../problems/problem.ts';
import { unlessUnreadable } from '../../problems/unreadable.ts';
import { type Action, actions, hasEnded } from '../../resources/action.ts';
import { type BackupRow, backups } from '../../resources/backup.ts';
import { type DeploymentRow, deployments } from '../../resources/deployment.ts';
import { environments, type Variable } from '../../resources/env.ts';
import { type ProcessRow, processes } from '../../resources/process.ts';
import { type ServerRow, servers } from '../../resources/server.ts';
import { type StackRow, stacks } from '../../resources/stack.ts';
import { type VariantRow, variants } from '../../resources/variant.ts';
import { sectionReader } from '../section-reader.ts';
import { busySign } from './busy.ts';
import { type Section, sections } from './record.ts';

/** Deployments of the first page; among them is the live one. */
export const searched = 30;

/** What is read by itself: the stack, its actions, or one section. */
export const parts = ['stack', ...sections, 'actions'] as const;
export type StatusPart = (typeof parts)[number];

/** The parts that these sections need: which variables are pending depends on the live deployment. */
export function statusParts(only: readonly Section[]): readonly StatusPart[] {
  return parts.filter(
    (part) =>
      part === 'stack' ||
      part === 'actions' ||
      only.includes(part) ||
      (part === 'deployment' && only.includes('pending')),
  );
}

export interface StatusTarget {
  readonly uid: string;
  /** The stack, where a list has shown it. It is then not read again, and neither are its actions. */
  readonly row?: StackRow;
}

/** What was read of a stack; null where nothing was. */
export interface Found {
  readonly stack: StackRow | null;
  readonly actions: readonly Action[] | null;
  readonly deployments: readonly DeploymentRow[] | null;
  readonly variants: readonly VariantRow[] | null;
  readonly servers: readonly ServerRow[] | null;
  readonly processes: readonly ProcessRow[] | null;
  readonly backups: readonly BackupRow[] | null;
  readonly variables: readonly Variable[] | null;
}

/** A stack as it was last read. */
export interface Snapshot {
  readonly found: Found;
  /** Parts whose last read failed. */
  readonly errors: ReadonlyMap<StatusPart, Problem>;
  /** When each part was last read well. */
  readonly goodAt: ReadonlyMap<StatusPart, Date>;
}

export const unread: Snapshot = {
  found: {
    stack: null,
    actions: null,
    deployments: null,
    variants: null,
    servers: null,
    processes: null,
    backups: null,
    variables: null,
  },
  errors: new Map(),
  goodAt: new Map(),
};

export interface ReadLimits {
  /** Ends all reads, which then have failed. */
  readonly deadline?: AbortSignal | undefined;
  /** Ends all reads, and throws interrupted. */
  readonly stop?: AbortSignal | undefined;
}

/** Reads these parts side by side. One that fails does not stop the others, and keeps what was read of it before. */
export async function readParts(
  context: Context,
  target: StatusTarget,
  wanted: readonly StatusPart[],
  { before = unread, ...limits }: ReadLimits & { readonly before?: Snapshot } = {},
): Promise<Snapshot> {
  const readers = readersOf(context, target, signalOf(limits));
  const failed = new Map<StatusPart, Problem>();
  const read = sectionReader(failed, limits.deadline);
  const results = await Promise.all(wanted.map((part) => read(part, readers[part])));
  const earlier = [...before.errors].filter(([part]) => !wanted.includes(part));
  const found: Found = Object.assign({}, before.found, ...results);
  const good = wanted.filter((part) => !failed.has(part)).map((part) => [part, context.now()] as const);
  return {
    found,
    errors: new Map([...earlier, ...[...failed].map(([part, error]) => [part, ofPart(part, error, found)] as const)]),
    goodAt: new Map([...before.goodAt, ...good]),
  };
}

/** Where anything of the stack was read, a 404 is about the section alone. */
function ofPart(part: StatusPart, error: Problem, found: Found): Problem {
  if (error.details.status !== 404 || Object.values(found).every((rows) => rows === null)) return error;
  return new Problem('not_found', `${part} not found (404), though the stack exists`, { status: 404 });
}

function signalOf({ deadline, stop }: ReadLimits): { readonly signal?: AbortSignal } {
  const signals = [deadline, stop].filter((signal) => signal !== undefined);
  return signals.length === 0 ? {} : { signal: AbortSignal.any(signals) };
}

/** The scope that each part needs. */
export const scopes: ReadonlyMap<string, string> = new Map(
  Object.entries({
    deployment: deployments.list,
    variants: variants.list,
    servers: servers.list,
    processes: processes.list,
    backups: backups.list,
    pending: environments.list,
  }).map(([part, { scope }]) => [part, scope]),
);

type Readers = Readonly<Record<StatusPart, () => Promise<Partial<Found>>>>;

function readersOf(context: Context, { uid, row }: StatusTarget, more: { readonly signal?: AbortSignal }): Readers {
  const within = { stack_id: uid };
  let reading: Promise<StackRow | undefined> | undefined;
  const stack = () => {
    reading ??= row ? Promise.resolve(row) : unlessUnreadable(context.call(stacks.get, { id: uid }, more));
    return reading;
  };
  return {
    stack: async () => {
      const found = await stack();
      return found ? { stack: found } : {};
    },
    deployment: async () => ({
      deployments: await context.call(deployments.list, within, { ...more, limit: searched }),
    }),
    variants: async () => ({ variants: await context.call(variants.list, within, more) }),
    servers: async () => ({ servers: await context.call(servers.list, within, more) }),
    processes: async () => ({ processes: await context.call(processes.list, within, more) }),
    backups: async () => ({ backups: await context.call(backups.list, { id: uid }, more) }),
    pending: async () => ({ variables: await context.call(environments.list, within, more) }),
    actions: async () => {
      const found = row ? undefined : await stack().catch(() => undefined);
      if (!busySign({ stack: found })) return { actions: null };
      const begun = await unlessUnreadable(context.call(actions.list, within, { ...more, limit: searched }));
      return { actions: begun?.filter((action) => !hasEnded(action)) ?? null };
    },
  };
}
