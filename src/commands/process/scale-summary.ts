import type { Context } from '../../contract/command.ts';
import { type CommandLine, flagWords } from '../../contract/command-line.ts';
import type { Change, Question } from '../../contract/plan.ts';
import { isUnderWay, undoAfter } from '../../kinds/perform/summary.ts';
import { describeStack } from '../../resources/stack.ts';
import { type Counts, runs, type Scaling } from './scale-plan.ts';

/** The record of one process. */
export type Scaled = Change & Pick<Scaling, 'name' | 'before' | 'after'>;

/** Asks before a decrease on several servers, a count of 0, and more than ten times as many. */
export function askAboutCounts(context: Context, stack_id: string, scalings: readonly Scaling[]): Question | undefined {
  const asked = scalings.filter(isGrave);
  if (asked.length === 0) return undefined;
  return {
    name: asked.map(({ name }) => name).join(', '),
    facts: async () => [`of ${await describeStack(context, stack_id)}`, ...asked.map(totalText)],
    ...(asked.some(({ after }) => Object.keys(after).length > 1) && { warning: 'The number is per server.' }),
  };
}

function isGrave({ before, after }: Scaling): boolean {
  const counts = Object.entries(after).map(([where, count]) => ({ was: before[where] ?? 0, count }));
  const fewer = counts.filter(({ was, count }) => count < was);
  return fewer.length > 1 || fewer.some(({ count }) => count === 0) || total(after) > 10 * Math.max(1, total(before));
}

/** `worker 4 -> 200 in all: 1 -> 100 on shop-web-1, 3 -> 100 on shop-worker-1` */
function totalText({ name, before, after }: Scaling): string {
  const servers = Object.keys(after);
  const all = servers.length > 1 ? `${total(before)} -> ${total(after)} in all: ` : '';
  return `${name} ${all}${transition({ before, after }, servers)}`;
}

function total(counts: Counts): number {
  return Object.values(counts).reduce((sum, count) => sum + count, 0);
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
