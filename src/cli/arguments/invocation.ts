import type { Command } from '../../contract/command.ts';
import type { Options } from './options.ts';

/** A command that is to be run, and what was given for it. */
export interface Run {
  readonly kind: 'run';
  readonly path: readonly string[];
  readonly command: Command;
  readonly words: readonly string[];
  readonly flags: Readonly<Record<string, unknown>>;
  readonly options: Options;
}

/** What a command line asks for. */
export type Invocation = { readonly kind: 'text'; readonly text: string } | Run;
