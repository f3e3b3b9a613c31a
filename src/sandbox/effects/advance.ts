import { stamp } from '../seed/made-up.ts';
import type { Effect, HeldAction, HeldDeployment, HeldStack, OperationEffect, State } from '../state.ts';
import { autoscale } from './autoscale.ts';
import { forgetFuture } from './clock.ts';
import { type ActionOwner, applyEffect, beginEffect, failEffect } from './effects.ts';
import type { Ending } from './ending.ts';
import { addRollout, replaceLive } from './rollout.ts';

/** Durations at speed 1, in milliseconds from being queued. */
const actionStartMs = 1000;
const actionEndMs = 3000;
const deploymentStartMs = 1000;
/** Counted from the start of the deployment, which may have waited for another one. */
const deploymentRunMs = 4000;
const slowRunMs = 600_000;

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

export interface Clockwork {
  readonly state: State;
  /** 10 is ten times as fast. */
  readonly speed: number;
  /** Runs an operation that is due. */
  readonly operate: (effect: OperationEffect, atMs: number) => Ending;
}

/** Applies everything that is due at `now`, in order. */
export function advance(clockwork: Clockwork, now: Date): void {
  const { state } = clockwork;
  forgetFuture(state, now);
  autoscale(state, now, clockwork.speed);
  for (const holder of [...state.stacks, ...state.clusters]) {
    let next = nextTransition(clockwork, holder);
    while (next && next.dueMs <= now.getTime()) {
      next.apply();
      next = nextTransition(clockwork, holder);
    }
  }
}

function nextTransition(clockwork: Clockwork, holder: ActionOwner): Transition | undefined {
  const due = [
    ...holder.actions.map((action) => actionTransition(clockwork, holder, action)),
    'deployments' in holder ? deploymentTransition(holder, clockwork.speed) : undefined,
  ];
  return due
    .filter((transition) => transition !== undefined)
    .reduce<Transition | undefined>((first, other) => (first && first.dueMs <= other.dueMs ? first : other), undefined);
}

function actionTransition(clockwork: Clockwork, holder: ActionOwner, action: HeldAction): Transition | undefined {
  const { effect, queuedMs, phase } = action;
  const { speed } = clockwork;
  if (!effect || phase === 'finished') return undefined;
  if (phase === 'queued') {
    const dueMs = queuedMs + actionStartMs / speed;
    return { dueMs, apply: () => beginAction(holder, action, dueMs) };
  }
  const dueMs = queuedMs + actionEndMs / speed;
  return { dueMs, apply: () => finishAction(action, dueMs, endingOf(clockwork, holder, { action, effect, dueMs })) };
}

interface Due {
  readonly action: HeldAction;
  readonly effect: Effect;
  readonly dueMs: number;
}

function endingOf({ state, operate }: Clockwork, holder: ActionOwner, { action, effect, dueMs }: Due): Ending {
  if (action.fails) return failEffect(holder, effect);
  if (effect.kind === 'operation') return operate(effect, dueMs);
  return applyEffect(state, holder, { effect, atMs: dueMs });
}

function beginAction(holder: ActionOwner, action: HeldAction, atMs: number): void {
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

/** One deployment of a stack runs at a time; the others are queued. */
function deploymentTransition(stack: HeldStack, speed: number): Transition | undefined {
  const running = stack.deployments.find(({ phase }) => phase === 'deploying');
  if (running) {
    const dueMs = running.startedMs + (running.isSlow ? slowRunMs : deploymentRunMs) / speed;
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

/** Ends a deployment. A successful one becomes head, and live unless it is a rollout. */
export function endDeployment(
  stack: HeldStack,
  deployment: HeldDeployment,
  { atMs, how }: { readonly atMs: number; readonly how: keyof typeof endMessages },
): void {
  const success = how === 'success';
  deployment.phase = 'done';
  stack.freeMs = atMs;
  Object.assign(deployment.row, { outcome: outcomes[how], finished_at: stamp(atMs), is_deploying: false });
  if (success) {
    for (const { row } of stack.deployments) row.is_head = row === deployment.row;
    if (deployment.rollout) addRollout(stack, deployment.row, deployment.rollout);
    else replaceLive(stack, deployment.row);
  }
  stack.row.last_activity = stamp(atMs);
  const action = actionOf(stack, deployment);
  if (action) finishAction(action, atMs, { success, message: endMessages[how] });
}

function actionOf(stack: HeldStack, { action }: HeldDeployment): HeldAction | undefined {
  return stack.actions.find(({ row }) => row.id === action);
}
