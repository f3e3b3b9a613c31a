import type { CommandLine, Hint } from '../contract/command-line.ts';

/** The closed list of what can go wrong; the word is the `code` of the JSON error. */
export const problemKinds = [
  'usage',
  'not_found',
  'ambiguous',
  'unauthenticated',
  'forbidden',
  'rejected',
  'unavailable',
  'pending',
  'operation_failed',
  'outcome_unknown',
  'interrupted',
  'internal',
] as const;
export type ProblemKind = (typeof problemKinds)[number];

export interface ProblemDetails {
  /** What helps, without secrets. */
  readonly hint?: Hint;
  /** Instead of a hint: how the same command works; the hint becomes that command. */
  readonly retry?: Retry;
  readonly status?: number;
  /** The operation as the service's document names it, such as `PUT /stacks/:stack_id/application_variants/:id`. */
  readonly operation?: string;
  readonly requestId?: string;
  /** Set where the answer may be that of another place than the service. */
  readonly doubtsAddress?: boolean;
  /** Overrides the code of the kind: 1 for an answered No or a run that failed in part. */
  readonly exitCode?: number;
  /** Facts for the JSON error of an unknown outcome: request_sent, attempts, started_at. */
  readonly facts?: Readonly<Record<string, unknown>>;
  /** The command that shows whether the change took effect, for the same error; null where there is none. */
  readonly check?: CommandLine | null;
  /** What was done before it went wrong, for stdout: the items of a run that failed in part. */
  readonly partial?: { readonly value: unknown };
  /** The message without what it says of this one request, for a message about something larger. */
  readonly why?: string;
  readonly cause?: unknown;
}

/** What to change about a command so that it works. */
export interface Retry {
  /** Flags that are missing: `['-y']`. */
  readonly with?: readonly string[];
  /** Flags that are in the way, by their long spelling. */
  readonly without?: readonly string[];
  /** An argument, or the value of a flag, and what was probably meant; without that it is left out. */
  readonly meant?: { readonly given: string; readonly by?: string };
}

/** The one error class of the tool: everything expected to go wrong is thrown as this. */
export class Problem extends Error {
  readonly kind: ProblemKind;
  readonly details: ProblemDetails;

  constructor(kind: ProblemKind, message: string, details: ProblemDetails = {}) {
    super(message, 'cause' in details ? { cause: details.cause } : undefined);
    this.name = 'Problem';
    this.kind = kind;
    this.details = details;
  }

  /** The same problem with more details, or others in the place of its own. */
  with(details: ProblemDetails): Problem {
    return new Problem(this.kind, this.message, { ...this.details, ...details });
  }
}

/** A signal came before the first change. */
export function interrupted(): Problem {
  return new Problem('interrupted', 'interrupted; nothing was changed');
}
