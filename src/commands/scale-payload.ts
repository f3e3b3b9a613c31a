/** How many of a process shall run on which server. */
export interface WantedCounts {
  readonly process: string;
  /** Absolute, by server UID. */
  readonly counts: Readonly<Record<string, number>>;
  /** What the operator adds or overrides. */
  readonly fields: Readonly<Record<string, unknown>>;
}

/** The body of a scale request. The service's document does not show it: this is the one place that knows its shape. */
export function scalePayload({ process, counts, fields }: WantedCounts): Readonly<Record<string, unknown>> {
  return { process_name: process, server_count: counts, ...fields };
}
