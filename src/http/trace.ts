interface Traced {
  readonly method: string;
  readonly path: string;
  readonly ms: number;
  readonly attempt: number;
  readonly requestId: string;
}

/** What happened on the wire, for `--verbose`: no bodies, no queries, no secrets. */
export type TraceEvent =
  | (Traced & {
      readonly kind: 'response';
      readonly status: number;
      readonly bytes: number;
      /** The rate limit headers: `x-ratelimit-remaining 3597`. */
      readonly limits: readonly string[];
    })
  | (Traced & { readonly kind: 'failure'; readonly reason: string; readonly sent: boolean })
  | { readonly kind: 'retry'; readonly reason: string; readonly delayMs: number; readonly attempt: number };
