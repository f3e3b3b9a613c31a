/** How many of a process shall run on which server. */
export interface WantedCounts {
  readonly name: string;
  /** Absolute, by server UID. */
  readonly counts: Readonly<Record<string, number>>;
  /** What the operator adds or overrides. */
  readonly fields: Readonly<Record<string, unknown>>;
}

/** The body of a scale request. The service's document does not show it: this is the one place that knows its shape. */
export function scalePayload({ name, counts, fields }: WantedCounts): Readonly<Record<string, unknown>> {
  return { process_name: name, server_count: counts, ...fields };
}
