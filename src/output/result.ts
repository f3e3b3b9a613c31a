import type { Presentation } from '../contract/command.ts';
import type { Reply } from '../contract/reply.ts';

export interface Result {
  /** The unwrapped reply, for JSON, YAML and jq. */
  readonly value: unknown;
  readonly reply?: Reply | undefined;
  /** The presentation for all other formats. */
  readonly presentation: Presentation;
  /** Secret fields that the command is called for, which are shown. */
  readonly revealed?: readonly string[] | undefined;
}
