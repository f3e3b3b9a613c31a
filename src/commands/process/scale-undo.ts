import { type CommandLine, flagWords } from '../../contract/command-line.ts';
import type { Action } from '../../resources/action.ts';
import { type changeStates, isUnderWay, undoAfter } from '../queued-change.ts';

interface Scaled {
  readonly name: string;
  readonly change: (typeof changeStates)[number];
  /** By server name. */
  readonly before: Readonly<Record<string, number>>;
  readonly after: Readonly<Record<string, number>>;
  readonly action: Action | null;
}

interface Scope {
  readonly stack_id: string;
  /** Whether every server of a process was meant, so that one number can mean them all again. */
  readonly isEverywhere: boolean;
}

/** The commands that give every process its counts back: one for all servers where they agreed, else one for each. */
export function scaleUndo(changes: readonly Scaled[], { stack_id, isEverywhere }: Scope): readonly CommandLine[] {
  const scaled = changes.filter(({ change, before, after }) => isUnderWay(change) && differ(before, after));
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
  const actions = scaled.map(({ action }) => action);
  return undoAfter(actions, stack_id, undo);
}

function wordsFor(server: string, scaled: readonly Scaled[]): readonly string[] {
  return scaled
    .filter(({ before }) => Object.hasOwn(before, server))
    .map(({ name, before }) => `${name}=${before[server]}`);
}

function differ(before: Scaled['before'], after: Scaled['after']): boolean {
  return Object.entries(after).some(([server, count]) => before[server] !== count);
}
