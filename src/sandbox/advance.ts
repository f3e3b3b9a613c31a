import { deploymentTransition, type Transition } from './handlers/deployment.ts';
import { changeVariable } from './handlers/env.ts';
import { thirdWebServer } from './seed/machines.ts';
import { stamp } from './seed/made-up.ts';
import type { ActionState, ClusterState, DeploymentState, Effect, StackState, State } from './state.ts';

/** Milliseconds after being queued, at speed 1. */
const actionStartMs = 1000;
const actionEndMs = 3000;

interface Clockwork {
  readonly state: State;
  /** 10 is ten times as fast. */
  readonly speed: number;
  readonly operate: Operate;
}

export type Operate = (action: ActionState, effect: Effect, atMs: number) => void;

/** Applies all changes that are due at `now`, in order. */
export function advance(clockwork: Clockwork, now: Date): void {
  const { state } = clockwork;
  forgetFuture(state, now);
  autoscale(state, now, clockwork.speed);
  for (const owner of [...state.stacks, ...state.clusters]) {
    let next = nextTransition(clockwork, owner);
    while (next && next.dueMs <= now.getTime()) {
      next.apply();
      next = nextTransition(clockwork, owner);
    }
  }
}

/** Moves start times after `now` to `now`: the clock may have been set back. Returns true if there were any. */
export function forgetFuture({ stacks, clusters }: State, now: Date): boolean {
  const nowMs = now.getTime();
  const actions = [...stacks, ...clusters].flatMap((owner) => owner.actions);
  const entries: readonly (ActionState | DeploymentState)[] = [
    ...actions,
    ...stacks.flatMap((stack) => stack.deployments),
  ];
  const moved = entries.filter((one) => one.queuedMs > nowMs || ('startedMs' in one && one.startedMs > nowMs));
  for (const one of moved) Object.assign(one, { queuedMs: nowMs }, 'startedMs' in one && { startedMs: nowMs });
  const waiting = stacks.filter((stack) => stack.freeMs > nowMs);
  for (const stack of waiting) stack.freeMs = nowMs;
  return moved.length + waiting.length > 0;
}

function nextTransition(clockwork: Clockwork, owner: StackState | ClusterState): Transition | undefined {
  const due = [
    ...owner.actions.map((action) => actionTransition(clockwork, action)),
    'deployments' in owner ? deploymentTransition(owner, clockwork.speed) : undefined,
  ];
  return due.filter((transition) => transition !== undefined).toSorted((one, other) => one.dueMs - other.dueMs)[0];
}

function actionTransition({ speed, operate }: Clockwork, action: ActionState): Transition | undefined {
  const { effect, queuedMs, phase } = action;
  if (!effect || phase === 'finished') return undefined;
  const dueMs = queuedMs + (phase === 'queued' ? actionStartMs : actionEndMs) / speed;
  return { dueMs, apply: () => operate(action, effect, dueMs) };
}

/** The time between two changes of the autoscaler at speed 1. */
const intervalMs = 120_000;
/** The autoscaler stops after an hour, so the history has a limit. */
const mostChanges = 30;
/** The value of the variable with two and with three web servers. */
const concurrency = { two: '4', three: '3' };

function autoscale({ stacks, autoscaler }: State, now: Date, speed: number): void {
  const shop = stacks.find(({ row }) => row.name === 'shop');
  if (!autoscaler || !shop) return;
  const due = () => autoscaler.beganMs + ((autoscaler.changes + 1) * intervalMs) / speed;
  while (autoscaler.changes < mostChanges && due() <= now.getTime()) {
    scaleWeb(shop, stamp(due()));
    autoscaler.changes += 1;
  }
}

function scaleWeb(shop: StackState, at: string): void {
  const third = thirdWebServer(shop.row.uid, at);
  const others = shop.servers.filter(({ row }) => row.uid !== third.row.uid);
  const isThere = others.length < shop.servers.length;
  shop.servers = isThere ? others : [...others, third];
  const variable = shop.variables.find(({ key }) => key === 'WEB_CONCURRENCY');
  if (variable) changeVariable(variable, isThere ? concurrency.two : concurrency.three, at);
}
