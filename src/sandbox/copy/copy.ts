import { catchUp } from '../answer.ts';
import { stamp } from '../seed/made-up.ts';
import { seedState } from '../seed/seed.ts';
import type { CopiedState, State } from '../state.ts';
import { wellKnownTokens } from '../tokens.ts';
import type { CopySource } from './copied-state.ts';
import { disguise } from './disguise.ts';

interface CopyOptions {
  readonly now: Date;
  readonly address: string;
  /** Replaces IP addresses, e-mail addresses and names of people, too. */
  readonly anonymous: boolean;
}

/** A sandbox that holds these stacks alone, without their secrets. Users and clusters are those of the usual sandbox. */
export function copyOf(source: CopySource, { now, address, anonymous }: CopyOptions): State {
  const { state: disguised, madeUp } = disguise(source, { now, anonymous });
  const first = JSON.stringify(disguised);
  const copied = JSON.parse(first) as CopiedState;
  const { stacks, accounts } = copied;
  const seed = seedState(now);
  const next = {
    ...seed.next,
    backup: numberAfter(stacks.flatMap(({ backups }) => backups.map(({ row }) => row.id))),
    deployment: numberAfter(stacks.flatMap(({ deployments }) => deployments.map(({ row }) => row.id))),
    gateway: numberAfter(accounts.flatMap(({ gateways }) => gateways.map(({ id }) => id))),
    variable: numberAfter(stacks.flatMap(({ variables }) => variables.map(({ id }) => id))),
  };
  const origin = { source: address, at: stamp(now), without: source.without, madeUp: [...madeUp], first };
  return { ...seed, ...copied, next, copy: origin };
}

const hourMs = 3_600_000;

/** The state after everything that was begun has ended. */
export function settledState(state: State, now: Date): State {
  const settled = structuredClone(state);
  catchUp({ state: settled, now: new Date(now.getTime() + hourMs), speed: 1, storage: '', tokens: wellKnownTokens });
  return settled;
}

function numberAfter(ids: readonly number[]): number {
  return ids.reduce((highest, id) => Math.max(highest, Number(id) || 0), 0) + 1;
}
