import type { Read } from '../../contract/observe.ts';
import { readOrUndefined } from '../../problems/unreadable.ts';
import { type Action, actionState, actions, hasEnded, idOf } from '../../resources/action.ts';
import { type DeploymentRow, deployments, isInProgress, recent, stateText } from '../../resources/deployment.ts';
import { type StackRow, stackStatuses, stacks } from '../../resources/stack.ts';

/** What can show that a stack is busy; null or absent where it was not read. */
export interface BusySigns {
  readonly deployments?: readonly DeploymentRow[] | null | undefined;
  readonly actions?: readonly Action[] | null | undefined;
  readonly stack?: StackRow | null | undefined;
}

/** In the order of how much they tell. */
const signs = ['deployments', 'actions', 'stack'] as const;
type BusySign = (typeof signs)[number];

/** The first sign that a stack is busy, and its sentences: `deployment 1042 is pending`. Undefined where it is free. */
export function busySign(seen: BusySigns): { readonly sign: BusySign; readonly why: readonly string[] } | undefined {
  const whys = signs.map((sign) => ({ sign, why: sentences[sign](seen) }));
  return whys.find(({ why }) => why.length > 0);
}

/** What keeps a stack busy; one cause is told once, so a deployment hides its own action. */
export function busyWith(seen: BusySigns): readonly string[] {
  return busySign(seen)?.why ?? [];
}

const sentences: Readonly<Record<BusySign, (seen: BusySigns) => readonly string[]>> = {
  deployments: ({ deployments }) =>
    (deployments ?? []).filter(isInProgress).map((row) => `deployment ${row.id ?? '-'} is ${stateText(row)}`),
  actions: ({ actions }) =>
    (actions ?? []).filter((row) => !hasEnded(row)).map((row) => `action ${actionName(row)} is ${actionState(row)}`),
  stack: ({ stack }) => {
    const state = stackStatuses[stack?.status ?? -1];
    if (state !== undefined && busyStatuses.includes(state)) return [`the stack is ${state}`];
    return stack?.is_busy ? ['the stack is busy'] : [];
  },
};

/** `812 process_scale` */
export function actionName(action: Action): string {
  return [idOf(action), action.action ?? action.action_type].filter((part) => part != null).join(' ');
}

const busyStatuses = ['analysing', 'queued', 'deploying'];

/** All signs, read side by side. Only the deployments must be readable: the others are outside the service's document. */
export async function readBusySigns(read: Read, stack_id: string): Promise<BusySigns> {
  const found = await Promise.all(signs.map((sign) => readSign(read, stack_id, sign)));
  return Object.assign({}, ...found);
}

export async function readSign(read: Read, stack_id: string, sign: BusySign): Promise<BusySigns> {
  switch (sign) {
    case 'deployments':
      return { deployments: await read(deployments.list, { stack_id }, { limit: recent }) };
    case 'actions':
      return { actions: await readOrUndefined(read(actions.list, { stack_id }, { limit: recent })) };
    default:
      return { stack: await readOrUndefined(read(stacks.get, { id: stack_id })) };
  }
}

/** The signs that could not be looked at. */
export function unseenSigns(seen: BusySigns): readonly BusySign[] {
  return signs.filter((sign) => seen[sign] === undefined);
}
