import type { Context } from '../contract/command.ts';
import type { Watch } from '../contract/observe.ts';
import { clockText } from '../contract/values/time.ts';
import type { Slowdown, Watched } from '../contract/watch.ts';
import { Problem } from '../errors/cli-error.ts';
import { unlessBug } from '../errors/unreadable.ts';

const slowFactor = 4;

/** A time between two reads; longer where the service wants fewer requests. */
export function sparedMs(ms: number, slowdown: Slowdown | undefined): number {
  return slowdown ? Math.max(ms * slowFactor, slowdown.forMs) : ms;
}

/** The pace of a watch. `everyMs`: `--every`, in milliseconds. */
export function watchPace(context: Pick<Context, 'slowdown'>, everyMs: number): ReturnType<Watched['pace']> {
  const slowdown = context.slowdown();
  return { everyMs: sparedMs(everyMs, slowdown), ...(slowdown && { why: slowdown.why }) };
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

/** Waits for what is in the way of a change, however that ends. Nothing was sent: an error keeps no facts about a request. */
export async function waitFirst(context: Context, watch: Watch, undone: string): Promise<void> {
  const problem = await context.follow(watch).then(() => undefined, unlessBug);
  if (!problem || problem.kind === 'operation_failed') return;
  throw new Problem(problem.kind, `${undone}: ${problem.message}`, { hint: problem.details.hint });
}
