import type { Context } from '../../contract/command.ts';
import { msOf } from '../../contract/values/moment.ts';
import { Problem } from '../../problems/problem.ts';
import { type DeploymentRow, newestFirst } from '../../resources/deployment.ts';
import type { ServerRow } from '../../resources/server.ts';
import { healthText, type StackRow, stackStatuses } from '../../resources/stack.ts';
import { newestBackups } from '../backup/newest.ts';
import { startUnknown } from '../env/variable/deployment-start.ts';
import { hasChangedSince, presentValue } from '../env/variable/value-at.ts';
import { unreadText } from '../watching.ts';
import { busyWith } from './busy.ts';
import { problemsOf } from './problems.ts';
import type { Section, StackStatus } from './record.ts';
import {
  type Found,
  parts,
  readParts,
  type Snapshot,
  type StatusPart,
  type StatusTarget,
  searched,
  statusParts,
} from './sections.ts';

const shownDeployments = 10;

export interface StatusOptions {
  readonly only: readonly Section[];
  /** Oldest good backup allowed, in seconds. */
  readonly maxAge: number;
  /** Sections that can show a problem and are not read, though nobody left them out by name. */
  readonly unchecked: readonly Section[];
  /** Ends all reads. */
  readonly deadline?: AbortSignal;
}

export interface StatusRead {
  readonly status: StackStatus;
  /** The first error, where no section could be read. */
  readonly failure: Problem | undefined;
}

/** Reads the sections side by side. One that fails does not stop the others. */
export async function readStackStatus(
  context: Context,
  target: StatusTarget,
  { deadline, ...options }: StatusOptions,
): Promise<StatusRead> {
  const snapshot = await readParts(context, target, statusParts(options.only), { deadline });
  return stackStatusOf(target.uid, snapshot, { ...options, now: context.now() });
}

/** The status of a stack as it was last read. */
export function stackStatusOf(
  uid: string,
  { found, errors: failed, goodAt }: Snapshot,
  options: Omit<StatusOptions, 'deadline'> & { readonly now: Date },
): StatusRead {
  const errors = new Map(failed);
  const { stack } = found;
  const shown = sectionsOf(found, options, errors);
  const failures = options.only.flatMap((section) => errors.get(section) ?? []);
  const isChosen = (part: StatusPart) => part === 'stack' || part === 'actions' || options.only.includes(part);
  const status = {
    uid,
    name: stack?.name ?? null,
    environment: stack?.environment ?? null,
    status: stack ? statusText(stack) : null,
    health: stack ? healthText(stack.health ?? 0) : null,
    maintenance_mode: stack?.maintenance_mode ?? null,
    checked_at: options.now.toISOString(),
    busy: busyWith(found),
    problems: problemsOf({ ...shown, stack }, options),
    not_checked: [...(isSilent(stack, options.only, errors) ? ['stack'] : []), ...options.unchecked],
    errors: parts.filter(isChosen).flatMap((section) => {
      const error = errors.get(section);
      return error ? [{ section, code: error.kind, message: unreadText(error, goodAt.get(section)) }] : [];
    }),
    ...shown,
  };
  return { status, failure: failures.length === options.only.length ? failures[0] : undefined };
}

/** A service need not offer or allow the stack itself, whose own words count in these sections. */
function isSilent(stack: StackRow | null, only: readonly Section[], errors: Errors): boolean {
  return !stack && !errors.has('stack') && (only.includes('deployment') || only.includes('servers'));
}

function statusText({ status }: StackRow): string {
  return stackStatuses[status] ?? `status ${status ?? 'unknown'}`;
}

/** The errors of one status. */
type Errors = Map<StatusPart, Problem>;
type Sections = Pick<
  StackStatus,
  'live' | 'deployments' | 'variants' | 'servers' | 'processes' | 'backups' | 'pending' | 'actions'
>;

function sectionsOf(
  found: Found,
  { only, maxAge, now }: Pick<StatusOptions, 'only' | 'maxAge'> & { readonly now: Date },
  errors: Errors,
): Sections {
  const known = found.deployments && newestFirst(found.deployments);
  const live = known?.find(({ is_live }) => is_live) ?? null;
  const isShown = only.includes('deployment');
  return {
    live: isShown ? live : null,
    deployments: isShown ? (known?.slice(0, shownDeployments) ?? null) : null,
    variants: found.variants,
    servers: found.servers?.toSorted((one, other) => rankOf(one) - rankOf(other)) ?? null,
    processes: found.processes,
    backups: found.backups && newestBackups(found.backups, { now, maxAge }),
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

interface Known {
  readonly known: readonly DeploymentRow[] | null;
  readonly live: DeploymentRow | null;
}

function pendingOf(variables: Found['variables'], { known, live }: Known, errors: Errors): StackStatus['pending'] {
  if (!variables) return null;
  const startMs = msOf(live?.started_at ?? null);
  if (startMs > 0) {
    const changed = variables.filter((row) => hasChangedSince(row, startMs));
    return changed.map((row) => ({ key: row.key, updated_at: presentValue(row).set_at ?? row.updated_at }));
  }
  const why = known ? startProblem(live) : errors.get('deployment');
  if (why) errors.set('pending', why);
  return null;
}

function startProblem(live: DeploymentRow | null): Problem {
  return live ? startUnknown(live) : new Problem('not_found', `none of the newest ${searched} deployments is live`);
}
