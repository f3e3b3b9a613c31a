/** What happened on the wire, for `--verbose`: no bodies, no queries, no secrets. */
export type TraceEvent =
  | {
      readonly kind: 'response';
      readonly method: string;
      readonly path: string;
      readonly status: number;
      readonly ms: number;
      readonly bytes: number;
      /** The rate limit headers: `x-ratelimit-remaining 3597`. */
      readonly limits: readonly string[];
      readonly attempt: number;
      readonly requestId: string;
    }
  | { readonly kind: 'retry'; readonly reason: string; readonly delayMs: number; readonly attempt: number }
  | {
      readonly kind: 'failure';
      readonly method: string;
      readonly path: string;
      readonly reason: string;
      readonly sent: boolean;
      readonly ms: number;
      readonly attempt: number;
      readonly requestId: string;
    };
