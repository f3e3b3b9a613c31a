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
  'differs',
  'outcome_unknown',
  'interrupted',
  'internal',
] as const;
export type ProblemKind = (typeof problemKinds)[number];

export interface ProblemDetails {
  /** A command or sentence that helps, working as printed, without secrets. */
  readonly hint?: string;
  /** Instead of a hint: the flags that make the same command work, such as `-y`; the hint becomes that command. */
  readonly again?: string;
  /** Instead of a hint: flags, by their long spelling, without which the same command works; with `again`, in favour of that. */
  readonly without?: readonly string[];
  /** Instead of a hint: a word of the command and the one that would work; the flag brings it where the word was not typed. */
  readonly instead?: { readonly word: string; readonly by: string };
  readonly status?: number;
  /** The operation as the service's document names it, such as `PUT /stacks/:stack_id/application_variants/:id`. */
  readonly operation?: string;
  readonly requestId?: string;
  /** Overrides the code of the kind: 1 for an answered No or a run that failed in part. */
  readonly exitCode?: number;
  /** Facts for the JSON error of an unknown outcome: request_sent, attempts, started_at, check. */
  readonly facts?: Readonly<Record<string, unknown>>;
  /** What was done before it went wrong, for stdout: the items of a run that failed in part. */
  readonly partial?: { readonly value: unknown };
  readonly cause?: unknown;
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
