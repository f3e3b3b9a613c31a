import type { Read } from '../../contract/observe.ts';
import { readOrUndefined } from '../../errors/cli-error.ts';
import { type Action, actionState, actions, hasEnded, idOf } from '../../resources/action.ts';
import { type DeploymentRow, deployments, isInProgress, recentLimit, stateText } from '../../resources/deployment.ts';
import { type StackRow, stackStatuses, stacks } from '../../resources/stack.ts';

/** Signs of a busy stack; one that was not read is absent. */
export interface BusySigns {
  readonly deployments?: readonly DeploymentRow[] | undefined;
  readonly actions?: readonly Action[] | undefined;
  readonly stack?: StackRow | undefined;
}

/** The first sign that a stack is busy, and its sentences: `deployment 1042 is pending`. Undefined where it is free. */
export function busySign(seen: BusySigns): { readonly sign: BusySign; readonly why: readonly string[] } | undefined {
  return signNames.map((sign) => ({ sign, why: signs[sign].why(seen) })).find(({ why }) => why.length > 0);
}

/** The reasons why a stack is busy. A deployment hides its own action, so each cause appears once. */
export function busyWith(seen: BusySigns): readonly string[] {
  return busySign(seen)?.why ?? [];
}

/** The most informative sign comes first. Only the deployments must be readable: the others are outside the service's document. */
const signs = {
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
type BusySign = keyof typeof signs;
const signNames = Object.keys(signs) as readonly BusySign[];

/** True where only actions show whether a stack is busy, and why. */
export function needsActions(stack: StackRow | undefined): boolean {
  return stack?.is_busy == null || busyWith({ stack }).length > 0;
}

/** `812 process_scale` */
export function actionName(action: Action): string {
  return [idOf(action), action.action ?? action.action_type].filter((part) => part != null).join(' ');
}

const busyStatuses = ['analysing', 'queued', 'deploying'];

/** Reads signs in parallel, by default all. */
export async function readBusySigns(read: Read, stack_id: string, wanted = signNames): Promise<BusySigns> {
  const found = wanted.map(async (sign) => [sign, await signs[sign].read(read, stack_id)]);
  return Object.fromEntries(await Promise.all(found));
}

/** The signs that could not be looked at. */
export function uncheckedSources(seen: BusySigns): readonly BusySign[] {
  return signNames.filter((sign) => seen[sign] === undefined);
}
