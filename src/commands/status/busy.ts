import type { Read } from '../../contract/observe.ts';
import { readOrUndefined } from '../../errors/cli-error.ts';
import { type Action, actionIdOf, actionState, actions, hasEnded } from '../../resources/action.ts';
import { type DeploymentRow, deployments, isInProgress, recentLimit, stateText } from '../../resources/deployment.ts';
import { type StackRow, stackStatuses, stacks } from '../../resources/stack.ts';

/** The rows that can show that a stack is busy. Rows that were not read are absent. */
export interface BusySigns {
  readonly deployments?: readonly DeploymentRow[] | undefined;
  readonly actions?: readonly Action[] | undefined;
  readonly stack?: StackRow | undefined;
}

/** Returns the first sign of a busy stack and its reasons, `deployment 1042 is pending`; undefined for a free stack. */
export function firstBusySign(rows: BusySigns) {
  return busySources.map((sign) => ({ sign, why: busyChecks[sign].why(rows) })).find(({ why }) => why.length > 0);
}

/** Returns the reasons of the first sign only, because a deployment and its action would be the same reason twice. */
export function busyReasons(rows: BusySigns): readonly string[] {
  return firstBusySign(rows)?.why ?? [];
}

/** The signs, the most informative first. Only the deployment list is documented, so only it must be readable. */
const busyChecks = {
  deployments: {
    read: (read: Read, stack_id: string) => read(deployments.list, { stack_id }, { limit: recentLimit }),
    why: ({ deployments }: BusySigns) =>
      (deployments ?? []).filter(isInProgress).map((row) => `deployment ${row.id ?? '-'} is ${stateText(row)}`),
  },
  actions: {
    read: (read: Read, stack_id: string) => readOrUndefined(read(actions.list, { stack_id }, { limit: recentLimit })),
    why: ({ actions }: BusySigns) =>
      (actions ?? []).filter((row) => !hasEnded(row)).map((row) => `action ${actionName(row)} is ${actionState(row)}`),
  },
  stack: {
    read: (read: Read, id: string) => readOrUndefined(read(stacks.get, { id })),
    why: ({ stack }: BusySigns) => {
      const state = stackStatuses[stack?.status ?? -1];
      if (state !== undefined && busyStatuses.includes(state)) return [`the stack is ${state}`];
      return stack?.is_busy ? ['the stack is busy'] : [];
    },
  },
};
type BusySource = keyof typeof busyChecks;

const busySources = Object.keys(busyChecks) as readonly BusySource[];

/** True if only the actions can show whether a stack is busy, or why it is. */
export function needsActions(stack: StackRow | undefined): boolean {
  return stack?.is_busy == null || busyReasons({ stack }).length > 0;
}

/** Returns the ID and the type of an action: `812 process_scale`. */
export function actionName(action: Action): string {
  return [actionIdOf(action), action.action ?? action.action_type].filter((part) => part != null).join(' ');
}

const busyStatuses = ['analysing', 'queued', 'deploying'];

export async function readBusySigns(read: Read, stack_id: string, sources = busySources): Promise<BusySigns> {
  const entries = sources.map(async (sign) => [sign, await busyChecks[sign].read(read, stack_id)]);
  return Object.fromEntries(await Promise.all(entries));
}

export function uncheckedSources(rows: BusySigns): readonly BusySource[] {
  return busySources.filter((sign) => rows[sign] === undefined);
}
