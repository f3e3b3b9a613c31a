import type { HeldAction, HeldDeployment, State } from '../state.ts';

/**
 * Moves start times after `now` to `now`: the clock was set back, and nothing would finish before it catches up. True
 * when there were any.
 */
export function forgetFuture({ stacks, clusters }: State, now: Date): boolean {
  const nowMs = now.getTime();
  const actions = [...stacks, ...clusters].flatMap((holder) => holder.actions);
  const held: readonly (HeldAction | HeldDeployment)[] = [...actions, ...stacks.flatMap((stack) => stack.deployments)];
  const moved = held.filter((one) => one.queuedMs > nowMs || ('startedMs' in one && one.startedMs > nowMs));
  for (const one of moved) Object.assign(one, { queuedMs: nowMs }, 'startedMs' in one && { startedMs: nowMs });
  const waiting = stacks.filter((stack) => stack.freeMs > nowMs);
  for (const stack of waiting) stack.freeMs = nowMs;
  return moved.length + waiting.length > 0;
}
