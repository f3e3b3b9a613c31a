import type { Context } from '../../contract/command.ts';
import { Problem } from '../../problems/problem.ts';
import { unlessUnreadable } from '../../problems/unreadable.ts';
import { actions, hasEnded } from '../../resources/action.ts';
import { backups } from '../../resources/backup.ts';
import { type DeploymentRow, deployments, newestFirst } from '../../resources/deployment.ts';
import { environments, type Variable } from '../../resources/env.ts';
import { processes } from '../../resources/process.ts';
import { type ServerRow, servers } from '../../resources/server.ts';
import { type StackRow, stackStatuses, stacks } from '../../resources/stack.ts';
import { variants } from '../../resources/variant.ts';
import { newestBackups } from '../backup/newest.ts';
import { msOf } from '../env/variable/earlier-value.ts';
import { changedAfter } from '../env/variable/since-deployment.ts';
import { sectionReader } from '../section-reader.ts';
import { problemsOf } from './problems.ts';
import { type Section, type StackStatus, sections } from './record.ts';

/** Deployments of the first page; among them is the live one. */
const searched = 30;
const shownDeployments = 10;

export interface StatusOptions {
  readonly only: readonly Section[];
  /** Oldest good backup allowed, in seconds. */
  readonly maxAge: number;
  /** Ends all reads. */
  readonly deadline?: AbortSignal;
}

export interface StatusTarget {
  readonly uid: string;
  /** The stack, where a list has shown it. It is then not read again, and neither are its actions. */
  readonly row?: StackRow;
}

const parts = ['stack', ...sections, 'actions'] as const;
type Part = (typeof parts)[number];
/** The errors of one status. */
type Errors = Map<Part, Problem>;

export interface StatusRead {
  readonly status: StackStatus;
  /** The first error, where no section could be read. */
  readonly failure: Problem | undefined;
}

/** Reads the sections side by side. One that fails does not stop the others. */
export async function readStackStatus(
  context: Context,
  target: StatusTarget,
  options: StatusOptions,
): Promise<StatusRead> {
  const errors: Errors = new Map();
  const found = await readSections(context, target, { ...options, errors });
  const { stack, ...rest } = statusOf(found, { ...options, now: context.now() }, errors);
  const failures = options.only.flatMap((section) => errors.get(section) ?? []);
  const status = {
    uid: target.uid,
    name: stack?.name ?? null,
    environment: stack?.environment ?? null,
    status: stack ? statusText(stack) : null,
    checked_at: context.now().toISOString(),
    problems: problemsOf(rest, options.maxAge),
    errors: parts.flatMap((section) => {
      const error = errors.get(section);
      return error ? [{ section, message: error.message }] : [];
    }),
    ...rest,
  };
  return { status, failure: failures.length === options.only.length ? failures[0] : undefined };
}

function statusText({ status }: StackRow): string {
  return stackStatuses[status] ?? `status ${status ?? 'unknown'}`;
}

interface Found {
  readonly stack: StackRow | null | undefined;
  readonly deployments: readonly DeploymentRow[] | null;
  readonly variants: StackStatus['variants'];
  readonly servers: readonly ServerRow[] | null;
  readonly processes: StackStatus['processes'];
  readonly backups: Parameters<typeof newestBackups>[0] | null;
  readonly variables: readonly Variable[] | null;
  readonly actions: StackStatus['actions'];
}

async function readSections(
  context: Context,
  { uid, row }: StatusTarget,
  { only, deadline, errors }: StatusOptions & { readonly errors: Errors },
): Promise<Found> {
  const more = deadline ? { signal: deadline } : {};
  const within = { stack_id: uid };
  const attempt = sectionReader(errors, deadline);
  const section = <Value>(name: Section, read: () => Promise<Value>) =>
    only.includes(name) ? attempt(name, read) : Promise.resolve(null);
  const readDeployments = () => context.call(deployments.list, within, { ...more, limit: searched });
  const stack = row
    ? Promise.resolve(row)
    : attempt('stack', () => unlessUnreadable(context.call(stacks.get, { id: uid }, more)));
  const underWay = stack.then(async (found) => {
    if (row || !found?.is_busy) return null;
    return attempt('actions', () => unlessUnreadable(context.call(actions.list, within, { ...more, limit: searched })));
  });
  const [shown, known, listed, machines, running, saved, variables, begun] = await Promise.all([
    stack,
    section(only.includes('deployment') ? 'deployment' : 'pending', readDeployments),
    section('variants', () => context.call(variants.list, within, more)),
    section('servers', () => context.call(servers.list, within, more)),
    section('processes', () => context.call(processes.list, within, more)),
    section('backups', () => context.call(backups.list, { id: uid }, more)),
    section('pending', () => context.call(environments.list, within, more)),
    underWay,
  ]);
  return {
    stack: shown,
    deployments: known,
    variants: listed,
    servers: machines,
    processes: running,
    backups: saved,
    variables,
    actions: begun?.filter((action) => !hasEnded(action)) ?? null,
  };
}

type Sections = Omit<StackStatus, 'uid' | 'name' | 'environment' | 'status' | 'checked_at' | 'problems' | 'errors'>;

function statusOf(
  found: Found,
  { only, maxAge, now }: StatusOptions & { readonly now: Date },
  errors: Errors,
): Sections & { readonly stack: Found['stack'] } {
  const known = found.deployments && newestFirst(found.deployments);
  const live = known?.find(({ is_live }) => is_live) ?? null;
  const isShown = only.includes('deployment');
  return {
    stack: found.stack,
    live: isShown ? live : null,
    deployments: isShown ? (known?.slice(0, shownDeployments) ?? null) : null,
    variants: found.variants,
    servers: found.servers?.toSorted((one, other) => rankOf(one) - rankOf(other)) ?? null,
    processes: found.processes,
    backups: found.backups?.length === 0 ? [] : backupsOf(found.backups, { now, maxAge }),
    pending: only.includes('pending') ? pendingOf(found.variables, { known, live }, errors) : null,
    actions: found.actions,
  };
}

/** Codes of health, worst first: failed, impaired, unknown, building, healthy. */
const worstFirst = [4, 2, 0, 1, 3];

function rankOf({ health_state }: ServerRow): number {
  const rank = worstFirst.indexOf(health_state);
  // A code that is not known is as good as unknown.
  return rank < 0 ? 2 : rank;
}

function backupsOf(
  rows: Found['backups'],
  limits: { readonly now: Date; readonly maxAge: number },
): StackStatus['backups'] {
  if (!rows) return null;
  return newestBackups(rows, limits).map(({ good, age: _, ...rest }) => ({
    ...rest,
    backup_date_iso: good?.backup_date_iso ?? null,
    backup_size: good?.backup_size ?? null,
    id: good?.id ?? null,
  }));
}

interface Known {
  readonly known: readonly DeploymentRow[] | null;
  readonly live: DeploymentRow | null;
}

function pendingOf(variables: Found['variables'], { known, live }: Known, errors: Errors): StackStatus['pending'] {
  if (!variables) return null;
  if (!live) {
    const none = new Problem('not_found', `none of the newest ${searched} deployments is live`);
    const why = known ? none : errors.get('deployment');
    if (why) errors.set('pending', why);
    return null;
  }
  return changedAfter(variables, msOf(live.started_at)).map(({ key, updated_at }) => ({ key, updated_at }));
}
