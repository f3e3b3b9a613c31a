import { catchUp } from '../answer.ts';
import { stamp } from '../seed/made-up.ts';
import { seedState } from '../seed/seed.ts';
import type { CopiedState, State } from '../state.ts';
import { wellKnownTokens } from '../tokens.ts';
import type { CopySource } from './copied-state.ts';
import { createDisguisedState } from './disguise.ts';

interface CopyOptions {
  readonly now: Date;
  readonly address: string;
  /** If true, IP addresses, e-mail addresses and names of people are replaced, too. */
  readonly anonymous: boolean;
}

/** Returns a state with the stacks of `source`, without secrets. Users and clusters are those of a new sandbox. */
export function createCopy(source: CopySource, { now, address, anonymous }: CopyOptions): State {
  const { state: disguisedState, madeUp } = createDisguisedState(source, { now, anonymous });
  const copiedJson = JSON.stringify(disguisedState);
  const copiedState = JSON.parse(copiedJson) as CopiedState;
  const { stacks, accounts } = copiedState;
  const seed = seedState(now);
  const next = {
    ...seed.next,
    backup: nextIdAfter(stacks.flatMap(({ backups }) => backups.map(({ row }) => row.id))),
    deployment: nextIdAfter(stacks.flatMap(({ deployments }) => deployments.map(({ row }) => row.id))),
    gateway: nextIdAfter(accounts.flatMap(({ gateways }) => gateways.map(({ id }) => id))),
    variable: nextIdAfter(stacks.flatMap(({ variables }) => variables.map(({ id }) => id))),
  };
  const origin = { source: address, at: stamp(now), without: source.without, madeUp: [...madeUp], first: copiedJson };
  return { ...seed, ...copiedState, next, copy: origin };
}

const hourMs = 3_600_000;

/** Returns the state an hour later, when all actions and deployments in progress have ended. */
export function settleState(state: State, now: Date): State {
  const newState = structuredClone(state);
  catchUp({ state: newState, now: new Date(now.getTime() + hourMs), speed: 1, storage: '', tokens: wellKnownTokens });
  return newState;
}

function nextIdAfter(ids: readonly number[]): number {
  return ids.reduce((highest, id) => Math.max(highest, Number(id) || 0), 0) + 1;
}
