import type { Context } from '../../contract/command.ts';
import type { Question } from '../../contract/plan.ts';
import { describeStack } from '../../resources/stack.ts';
import type { Counts, Scaling } from './scale-plan.ts';
import type { Scaled } from './scale-undo.ts';

/** Asks before fewer run on several servers. */
export function askAboutDecrease(
  context: Context,
  stack_id: string,
  scalings: readonly Scaling[],
): Question | undefined {
  const stopping = scalings
    .map((scaling) => ({ ...scaling, fewer: Object.keys(scaling.after).filter((where) => isFewer(scaling, where)) }))
    .filter(({ fewer }) => fewer.length > 1);
  if (stopping.length === 0) return undefined;
  return {
    name: stopping.map(({ name }) => name).join(', '),
    facts: async () => [
      `of ${await describeStack(context, stack_id)}`,
      ...stopping.map((scaling) => `${scaling.name} ${transition(scaling, scaling.fewer)}`),
    ],
  };
}

function isFewer({ before, after }: Scaling, server: string): boolean {
  return (after[server] ?? 0) < (before[server] ?? 0);
}

/** The counts as they were and are; what has not changed has one. */
export function countsText({ change, before, after }: Scaled): string {
  if (change !== 'unchanged') return transition({ before, after }, Object.keys(after));
  return Object.entries(before)
    .map(([server, count]) => `${count} on ${server}`)
    .join(', ');
}

/** `2 -> 3 on shop-web-1, 1 -> 3 on shop-web-2`. */
function transition(
  { before, after }: { readonly before: Counts; readonly after: Counts },
  where: readonly string[],
): string {
  return where.map((server) => `${before[server]} -> ${after[server]} on ${server}`).join(', ');
}
