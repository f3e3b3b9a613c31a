import type { Context } from '../contract/command.ts';
import { clockText } from '../contract/values/clock.ts';
import type { WatchPace } from '../contract/watch.ts';
import type { Problem } from '../problems/problem.ts';

const nearLimitFactor = 4;

/** A time between two reads; longer where the rate limit is nearly used up. */
export function sparedMs(ms: number, isNearLimit: boolean): number {
  return isNearLimit ? ms * nearLimitFactor : ms;
}

/** The pace of a watch. `everyMs`: `--every`, in milliseconds. */
export function watchPace(context: Pick<Context, 'isNearLimit'>, everyMs: number): WatchPace {
  const isNearLimit = context.isNearLimit();
  return {
    everyMs: sparedMs(everyMs, isNearLimit),
    ...(isNearLimit && { why: 'less than 10 % of the rate limit left' }),
  };
}

/** Of what changes while something deploys, in milliseconds. */
export const deployingMs = 5_000;

/** An error that no further read mends: the token or the stack is gone, or somebody ended the watch. */
export function isFinal({ kind }: Problem): boolean {
  return ['unauthenticated', 'forbidden', 'not_found', 'interrupted'].includes(kind);
}

/** Why a read failed; with the time where what was read before is still shown. */
export function unreadText({ message }: Problem, lastRead: Date | undefined): string {
  return lastRead ? `last read ${clockText(lastRead)}; ${message}` : message;
}
