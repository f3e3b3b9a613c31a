import { applyEffect, beginEffect, type Holder } from './effects.ts';
import type { Ending } from './ending.ts';
import { stamp } from './made-up.ts';
import type { HeldAction, HeldDeployment, HeldStack, State } from './state.ts';

/** How long things take at speed 1, in milliseconds since they were put in line. */
const actionStartMs = 1000;
const actionEndMs = 3000;
const deploymentStartMs = 1000;
/** Counted from the start of the deployment, since it may have waited for another one. */
const deploymentRunMs = 4000;

export const outcomes = {
  pending: { code: 0, meaning: 'pending' },
  success: { code: 1, meaning: 'success' },
  failed: { code: 2, meaning: 'failed' },
  // service.md does not say what a cancelled deployment shows; the sandbox picks the next free code.
  cancelled: { code: 3, meaning: 'cancelled' },
} as const;

interface Transition {
  readonly dueMs: number;
  apply(): void;
}

/** Lets everything happen that is due at `now`, in the order in which it was due. `speed` 10 is ten times as fast. */
export function advance(state: State, now: Date, speed: number): void {
  for (const holder of [...state.stacks, ...state.clusters]) {
    let next = nextTransition(state, holder, speed);
    while (next && next.dueMs <= now.getTime()) {
      next.apply();
      next = nextTransition(state, holder, speed);
    }
  }
}

function nextTransition(state: State, holder: Holder, speed: number): Transition | undefined {
  const due = [
    ...holder.actions.map((action) => actionTransition(state, holder, { action, speed })),
    'deployments' in holder ? deploymentTransition(holder, speed) : undefined,
  ];
  return due
    .filter((transition) => transition !== undefined)
    .reduce<Transition | undefined>((first, other) => (first && first.dueMs <= other.dueMs ? first : other), undefined);
}

function actionTransition(
  state: State,
  holder: Holder,
  { action, speed }: { readonly action: HeldAction; readonly speed: number },
): Transition | undefined {
  const { effect, queuedMs, phase } = action;
  if (!effect || phase === 'finished') return undefined;
  if (phase === 'queued') {
    const dueMs = queuedMs + actionStartMs / speed;
    return { dueMs, apply: () => beginAction(holder, action, dueMs) };
  }
  const dueMs = queuedMs + actionEndMs / speed;
  return { dueMs, apply: () => finishAction(action, dueMs, applyEffect(state, holder, { effect, atMs: dueMs })) };
}

function beginAction(holder: Holder, action: HeldAction, atMs: number): void {
  if (action.effect) beginEffect(holder, action.effect);
  startAction(action, atMs);
}

function startAction(action: HeldAction, atMs: number): void {
  action.phase = 'started';
  Object.assign(action.row, { started_at: stamp(atMs) }, shapeB(action, 'started', atMs));
}

function finishAction(action: HeldAction, atMs: number, { success, message, resourceId }: Ending): void {
  action.phase = 'finished';
  Object.assign(
    action.row,
    { finished_at: stamp(atMs), finished_success: success, finished_message: message },
    resourceId !== undefined && { resource_id: resourceId },
    shapeB(action, 'finished', atMs),
  );
}

/** Only shape B carries a status and its own timestamps. */
function shapeB({ row }: HeldAction, status: string, atMs: number): object {
  return row.status === undefined ? {} : { status, updated_at: stamp(atMs) };
}

/** One deployment of a stack runs at a time; the others wait in line. */
function deploymentTransition(stack: HeldStack, speed: number): Transition | undefined {
  const running = stack.deployments.find(({ phase }) => phase === 'deploying');
  if (running) {
    const dueMs = running.startedMs + deploymentRunMs / speed;
    return {
      dueMs,
      apply: () => endDeployment(stack, running, { atMs: dueMs, how: running.fails ? 'failed' : 'success' }),
    };
  }
  const first = stack.deployments.find(({ phase }) => phase === 'queued');
  if (!first) return undefined;
  const dueMs = Math.max(first.queuedMs + deploymentStartMs / speed, stack.freeMs);
  return { dueMs, apply: () => startDeployment(stack, first, dueMs) };
}

function startDeployment(stack: HeldStack, deployment: HeldDeployment, atMs: number): void {
  deployment.phase = 'deploying';
  deployment.startedMs = atMs;
  Object.assign(deployment.row, { is_deploying: true, started_at: stamp(atMs) });
  const action = actionOf(stack, deployment);
  if (action) startAction(action, atMs);
}

const endMessages = { success: 'Deployed.', failed: 'The build failed.', cancelled: 'Cancelled.' } as const;

/** Ends a deployment; one that succeeded becomes live and head, and the active variant shows its commit. */
export function endDeployment(
  stack: HeldStack,
  deployment: HeldDeployment,
  { atMs, how }: { readonly atMs: number; readonly how: keyof typeof endMessages },
): void {
  const success = how === 'success';
  deployment.phase = 'done';
  stack.freeMs = atMs;
  if (success) {
    for (const { row } of stack.deployments) Object.assign(row, { is_live: false, is_head: false });
    for (const variant of stack.variants) {
      if (variant.variant_type === 'active') variant.git_hash = deployment.row.git_hash;
    }
  }
  Object.assign(deployment.row, {
    outcome: outcomes[how],
    finished_at: stamp(atMs),
    is_deploying: false,
    is_live: success,
    is_head: success,
  });
  stack.row.last_activity = stamp(atMs);
  const action = actionOf(stack, deployment);
  if (action) finishAction(action, atMs, { success, message: endMessages[how] });
}

function actionOf(stack: HeldStack, { action }: HeldDeployment): HeldAction | undefined {
  return stack.actions.find(({ row }) => row.id === action);
}
