import type { Presentation } from '../contract/command.ts';
import type { Reply } from '../contract/reply.ts';

export interface Result {
  /** What the service sent, unwrapped: what JSON, YAML and jq show. */
  readonly value: unknown;
  readonly reply?: Reply | undefined;
  /** What everything else shows. */
  readonly presentation: Presentation;
  /** Secret fields that the command is called for, which are shown. */
  readonly revealed?: readonly string[] | undefined;
}
