import type { Command } from '../../contract/command.ts';
import type { Options } from './options.ts';

/** A command as it was typed: read, but with its words and flags still unchecked. */
export interface TypedCommand {
  readonly kind: 'run';
  /** All that was typed after `stackops`. */
  readonly argv: readonly string[];
  /** Its name: `variant weight`. */
  readonly path: string;
  readonly command: Command;
  /** Words after its name, then those after `--`. */
  readonly words: readonly string[];
  /** What Commander collected for the command's own flags, by its attribute names. */
  readonly flags: Readonly<Record<string, unknown>>;
  readonly options: Options;
}

export type Invocation = { readonly kind: 'text'; readonly text: string } | TypedCommand;
