import { catchUpState } from '../answer.ts';
import { isoStamp } from '../seed/made-up.ts';
import { seedState } from '../seed/seed.ts';
import type { CopiedState, State } from '../state.ts';
import type { CopySource } from './copied-state.ts';
import { createDisguisedState, type DisguiseOptions } from './disguise.ts';

interface CopyOptions extends DisguiseOptions {
  readonly address: string;
}

/** Returns a state with the stacks of `source`, without secrets. Users and clusters are those of a new sandbox. */
export function createCopy(source: CopySource, options: CopyOptions): State {
  const { now, address } = options;
  const { state, madeUp } = createDisguisedState(source, options);
  const firstStateJson = JSON.stringify(state);
  const copiedState: CopiedState = JSON.parse(firstStateJson);
  const { stacks, accounts } = copiedState;
  const seed = seedState(now);
  const nextIds = {
    ...seed.next,
    backup: nextIdAfter(stacks.flatMap(({ backups }) => backups.map(({ row }) => row.id))),
    deployment: nextIdAfter(stacks.flatMap(({ deployments }) => deployments.map(({ row }) => row.id))),
    gateway: nextIdAfter(accounts.flatMap(({ gateways }) => gateways.map(({ id }) => id))),
    variable: nextIdAfter(stacks.flatMap(({ variables }) => variables.map(({ id }) => id))),
  };
  const copy = {
    source: address,
    at: isoStamp(now),
    without: source.without,
    madeUp: [...madeUp],
    first: firstStateJson,
  };
  return { ...seed, ...copiedState, next: nextIds, copy };
}

const hourMs = 3_600_000;

/** Returns the state an hour later, when all actions and deployments in progress have ended. */
export function settleState(state: State, now: Date): State {
  const newState = structuredClone(state);
  catchUpState({ state: newState, now: new Date(now.getTime() + hourMs) });
  return newState;
}

function nextIdAfter(ids: readonly number[]): number {
  return ids.reduce((highest, id) => Math.max(highest, Number(id) || 0), 0) + 1;
}
