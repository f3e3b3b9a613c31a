import type { Command, Confirm } from '../contract/command.ts';
import type { Fields } from '../contract/field.ts';
import { type Declared, metadataOf } from '../contract/metadata.ts';

/** The declaration of a command without its handler. */
export interface CommandSpec<P extends Fields> extends Declared<P> {
  readonly about: string;
  readonly examples?: readonly string[];
  readonly confirm?: Confirm;
}

export function commandOf<P extends Fields, V>(spec: CommandSpec<P>, handler: Command<P, V>['handler']): Command<P, V> {
  const { about, params, positionals = [], examples = [], confirm = null } = spec;
  return { about, params, positionals, examples, ...metadataOf(spec as Declared), confirm, handler };
}
