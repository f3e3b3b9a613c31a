import type { Command } from '../contract/command.ts';
import type { Fields } from '../contract/field.ts';
import { commandOf, type Spec } from './command.ts';
import type { Script } from './script.ts';

interface Local<P extends Fields, V> extends Omit<Script<P, V>, 'calls' | 'changes' | 'wait' | 'severalStacks'> {
  /** With --sandbox it shows or keeps something else. */
  readonly knowsSandbox?: true;
}

/** A command that calls no operation of the service. Write `run` before `present`, or its value is not inferred. */
export function local<const P extends Fields, V>({ knowsSandbox, run, present, ...spec }: Local<P, V>): Command<P, V> {
  const command = commandOf<P, V>({ ...spec, calls: [] } as Spec<P>, { kind: 'runs', run, present });
  return knowsSandbox ? command : { ...command, service: 'local' };
}
