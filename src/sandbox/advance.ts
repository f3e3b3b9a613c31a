import { deploymentTransition, type Transition } from './handlers/deployment.ts';
import { changeVariable } from './handlers/env.ts';
import { isoStamp } from './seed/made-up.ts';
import { seedThirdWebServer } from './seed/rows.ts';
import type { ActionOwner, ActionState, DeploymentState, OperationCall, StackState, State } from './state.ts';

/** Times from the queueing of an action to its start and to its end, in milliseconds at speed 1. */
const actionStartDelayMs = 1000;
const actionEndDelayMs = 3000;

export interface AdvanceOptions {
  readonly state: State;
  readonly now: Date;
  /** Factor of speed: at 10, actions and deployments take a tenth of their time. Default: 1. */
  readonly speed?: number;
}

type AdvanceAction = (action: ActionState, effect: OperationCall, atMs: number) => void;

/** Applies the changes that are due by `now` to each stack and cluster, in the order of their times. */
export function advanceState({ state, now, speed = 1 }: AdvanceOptions, advanceAction: AdvanceAction): void {
  clampFutureTimes(state, now);
  autoscale(state, now, speed);
  for (const owner of [...state.stacks, ...state.clusters]) {
    let transition = nextTransition(owner, speed, advanceAction);
    while (transition && transition.dueMs <= now.getTime()) {
      transition.apply();
      transition = nextTransition(owner, speed, advanceAction);
    }
  }
}

/** Moves times after `now`, which exist if the clock was set back, to `now`. Returns true if there were any. */
export function clampFutureTimes({ stacks, clusters }: State, now: Date): boolean {
  const nowMs = now.getTime();
  const entries: readonly (ActionState | DeploymentState)[] = [
    ...stacks.flatMap(({ actions, deployments }) => [...actions, ...deployments]),
    ...clusters.flatMap(({ actions }) => actions),
  ];
  const futureEntries = entries.filter((one) => one.queuedMs > nowMs || ('startedMs' in one && one.startedMs > nowMs));
  for (const one of futureEntries) Object.assign(one, { queuedMs: nowMs }, 'startedMs' in one && { startedMs: nowMs });
  const waitingStacks = stacks.filter((stack) => stack.freeMs > nowMs);
  for (const stack of waitingStacks) stack.freeMs = nowMs;
  return futureEntries.length + waitingStacks.length > 0;
}

function nextTransition(owner: ActionOwner, speed: number, advanceAction: AdvanceAction): Transition | undefined {
  const transitions = [
    ...owner.actions.map((action) => actionTransition(action, speed, advanceAction)),
    'deployments' in owner ? deploymentTransition(owner, speed) : undefined,
  ];
  return transitions.filter((one) => one !== undefined).toSorted((one, other) => one.dueMs - other.dueMs)[0];
}

function actionTransition(action: ActionState, speed: number, advanceAction: AdvanceAction): Transition | undefined {
  const { effect, queuedMs, phase } = action;
  if (!effect || phase === 'finished') return undefined;
  const dueMs = queuedMs + (phase === 'queued' ? actionStartDelayMs : actionEndDelayMs) / speed;
  return { dueMs, apply: () => advanceAction(action, effect, dueMs) };
}

/** Time between two changes of the autoscaler, in milliseconds at speed 1. */
const autoscaleIntervalMs = 120_000;
/** Number of changes (an hour at speed 1) after which the autoscaler stops, so that histories stay short. */
const maxAutoscalerChanges = 30;
/** Value of `WEB_CONCURRENCY` with two and with three web servers. */
const webConcurrency = { two: '4', three: '3' };

function autoscale({ stacks, autoscaler }: State, now: Date, speed: number): void {
  const shop = stacks.find(({ row }) => row.name === 'shop');
  if (!autoscaler || !shop) return;
  const nextDueMs = () => autoscaler.beganMs + ((autoscaler.changes + 1) * autoscaleIntervalMs) / speed;
  while (autoscaler.changes < maxAutoscalerChanges && nextDueMs() <= now.getTime()) {
    scaleWeb(shop, isoStamp(nextDueMs()));
    autoscaler.changes += 1;
  }
}

function scaleWeb(shop: StackState, at: string): void {
  const thirdServer = seedThirdWebServer(shop.row.uid, at);
  const otherServers = shop.servers.filter(({ row }) => row.uid !== thirdServer.row.uid);
  const hasThirdServer = otherServers.length < shop.servers.length;
  shop.servers = hasThirdServer ? otherServers : [...otherServers, thirdServer];
  const variable = shop.variables.find(({ key }) => key === 'WEB_CONCURRENCY');
  if (variable) changeVariable(variable, hasThirdServer ? webConcurrency.two : webConcurrency.three, at);
}
