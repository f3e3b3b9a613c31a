import { type CommandLine, flagWords } from '../../contract/command-line.ts';
import type { Change } from '../../contract/plan.ts';
import { isUnderWay, undoAfter } from '../../kinds/say.ts';
import { type Counts, runs } from './scale-plan.ts';

/** The record of one process. */
export interface Scaled extends Change {
  readonly name: string;
  readonly before: Counts;
  readonly after: Counts;
}

interface Scope {
  readonly stack_id: string;
  /** Whether every server of a process was meant, so that one number can mean them all again. */
  readonly isEverywhere: boolean;
}

/** The commands that give every process its counts back: one for all servers where they agreed, else one for each. */
export function scaleUndo(changes: readonly Scaled[], { stack_id, isEverywhere }: Scope): readonly CommandLine[] {
  const scaled = changes.filter((change) => isUnderWay(change) && !runs(change.before, change.after));
  const isEven = ({ before }: Scaled) => isEverywhere && new Set(Object.values(before)).size === 1;
  const even = scaled.filter(isEven).map(({ name, before }) => `${name}=${Object.values(before)[0]}`);
  const uneven = scaled.filter((one) => !isEven(one));
  const servers = [...new Set(uneven.flatMap(({ before }) => Object.keys(before)))];
  const path = 'process scale';
  const undo = [
    ...(even.length > 0 ? [{ path, operands: even, stack_id }] : []),
    ...servers.map((server) => {
      return { path, operands: wordsFor(server, uneven), flags: flagWords('--server', server), stack_id };
    }),
  ];
  return undoAfter(scaled, stack_id, undo);
}

function wordsFor(server: string, scaled: readonly Scaled[]): readonly string[] {
  return scaled
    .filter(({ before }) => Object.hasOwn(before, server))
    .map(({ name, before }) => `${name}=${before[server]}`);
}
