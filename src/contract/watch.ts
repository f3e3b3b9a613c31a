import { flag, integer, optional } from './field.ts';

/** A read that is repeated: `status --watch`. */
export interface WatchedRead<V = any> {
  /** Reads the parts that are due. An error ends the watch; `stopSignal` ends all reads. */
  readonly read: (stopSignal: AbortSignal) => Promise<WatchReading<V>>;
  /** Returns the milliseconds until the next part is due. */
  readonly msUntilDue: () => number;
  /** Returns the milliseconds between two reads, and the reason if these are more than requested. */
  readonly pace: () => { readonly everyMs: number; readonly why?: string };
}

interface WatchReading<V> {
  readonly value: V;
  /** The states in the value. If stdout is not redrawn, only changes of these states are printed. */
  readonly states: readonly WatchedState[];
  /** Lines below the redrawn value. */
  readonly notes?: readonly string[];
}

export interface RateLimit {
  /** The reason in messages: `less than 10 % of the rate limit left` */
  readonly why: string;
  /** Milliseconds to wait; 0 if the service names no time. */
  readonly forMs: number;
}

/** The state of one resource: `{ section: 'servers', name: 'web-1', state: 'healthy' }`. */
export interface WatchedState {
  readonly section: string;
  readonly name: string;
  readonly state: string;
  /** True if newer resources may push the resource out of the list. The absence of the resource is then no change. */
  readonly isPassing?: boolean;
}

export const watchFlags = {
  watch: optional(flag('Redraw until q is pressed; piped, print changes.')),
  every: optional(
    integer('Time between two reads with --watch (default 15s).', {
      unit: 'seconds',
      bareUnit: 's',
      range: [10, 604_800],
      placeholder: 'time',
    }),
  ),
};

export const defaultEverySeconds = 15;
