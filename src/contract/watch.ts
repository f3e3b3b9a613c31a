import { flag, integer, optional } from './field.ts';

/** A read that is repeated: `status --watch`. */
export interface Watched<V = any> {
  /** Reads what is due. Throws what ends the watch; `stop` ends all reads. */
  readonly read: (stop: AbortSignal) => Promise<WatchReading<V>>;
  /** Milliseconds until something is due. */
  readonly pauseMs: () => number;
  /** Milliseconds between two reads, and why it is slower than requested. */
  readonly pace: () => { readonly everyMs: number; readonly why?: string };
}

export interface WatchReading<V> {
  /** The value as it is now. */
  readonly value: V;
  /** The same as states, whose changes are printed where nothing can be redrawn. */
  readonly states: readonly WatchedState[];
  /** What the value does not say, below it where it is redrawn. */
  readonly notes?: readonly string[];
}

/** That fewer requests should be sent. */
export interface RateLimit {
  /** `less than 10 % of the rate limit left` */
  readonly why: string;
  /** Milliseconds for which the service wants to be left alone; 0 where it does not say. */
  readonly forMs: number;
}

/** The state of one resource: `{ section: 'servers', name: 'web-1', state: 'healthy' }`. */
export interface WatchedState {
  readonly section: string;
  readonly name: string;
  readonly state: string;
  /** It leaves the list when newer ones come, which is no change. */
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

/** In seconds. */
export const defaultEvery = 15;
