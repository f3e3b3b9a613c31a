import type { Context } from '../../contract/command.ts';
import { type CommandLine, flagWords } from '../../contract/command-line.ts';
import type { Change, Question } from '../../contract/plan.ts';
import { isUnderWay, undoAfter } from '../../kinds/perform/summary.ts';
import { describeStack } from '../../resources/stack.ts';
import { runs, type Scaling } from './scale-plan.ts';

/** The record of one process. */
export type Scaled = Change & Pick<Scaling, 'name' | 'before' | 'after'>;

/** Asks before a decrease on several servers. */
export function askAboutDecrease(
  context: Context,
  stack_id: string,
  scalings: readonly Scaling[],
): Question | undefined {
  const fewerOf = ({ before, after }: Scaling) =>
    Object.keys(after).filter((where) => (after[where] ?? 0) < (before[where] ?? 0));
  const stopping = scalings.filter((scaling) => fewerOf(scaling).length > 1);
  if (stopping.length === 0) return undefined;
  return {
    name: stopping.map(({ name }) => name).join(', '),
    facts: async () => [
      `of ${await describeStack(context, stack_id)}`,
      ...stopping.map((scaling) => `${scaling.name} ${transition(scaling, fewerOf(scaling))}`),
    ],
  };
}

/** Counts before and after; unchanged ones are shown once. */
export function countsText({ change, before, after }: Scaled): string {
  if (change !== 'unchanged' && change !== 'accepted') return transition({ before, after }, Object.keys(after));
  return Object.entries(before)
    .map(([server, count]) => `${count} on ${server}`)
    .join(', ');
}

/** `2 -> 3 on shop-web-1, 1 -> 3 on shop-web-2`. */
function transition({ before, after }: Pick<Scaling, 'before' | 'after'>, where: readonly string[]): string {
  return where.map((server) => `${before[server]} -> ${after[server]} on ${server}`).join(', ');
}

interface Scope {
  readonly stack_id: string;
  /** Whether all servers of a process were scaled, so the undo can use one number for all. */
  readonly isEverywhere: boolean;
}

/** The commands that restore the counts: one for all servers where the counts were equal, else one for each server. */
export function scaleUndo(changes: readonly Scaled[], { stack_id, isEverywhere }: Scope): readonly CommandLine[] {
  const scaled = changes.filter((change) => isUnderWay(change) && !runs(change.before, change.after));
  const isEven = ({ before }: Scaled) => isEverywhere && new Set(Object.values(before)).size === 1;
  const even = scaled.filter(isEven).map(({ name, before }) => `${name}=${Object.values(before)[0]}`);
  const uneven = scaled.filter((one) => !isEven(one));
  const servers = [...new Set(uneven.flatMap(({ before }) => Object.keys(before)))];
  const undo = [
    ...(even.length > 0 ? [{ operands: even }] : []),
    ...servers.map((server) => {
      const there = uneven.filter(({ before }) => Object.hasOwn(before, server));
      const operands = there.map(({ name, before }) => `${name}=${before[server]}`);
      return { operands, flags: flagWords('--server', server) };
    }),
  ];
  const commands = undo.map((one) => ({ path: 'process scale', stack_id, ...one }));
  return undoAfter(scaled, stack_id, commands);
}
