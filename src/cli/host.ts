import type { Clock } from '../contract/command.ts';
import type { Redactor } from '../contract/redactor.ts';
import type { AskOptions, RawStream, Stderr, Stdout } from '../output/safe/create-output.ts';
import type { Behaviour } from '../sandbox/answer.ts';

/** A terminal that is redrawn until somebody quits. */
export interface Screen {
  /** Lines; 0 when unknown. */
  readonly height: number;
  readonly hasKeys: boolean;
  /** Hands over what happens until the returned function is called, which restores the terminal. */
  listen(take: (event: ScreenEvent) => void): () => void;
}

export type ScreenEvent = 'quit' | 'resized';

/** The process as it is; main.ts hands in the real one, tests another. */
export interface RawHost extends Clock {
  readonly version: string;
  readonly argv: readonly string[];
  readonly env: Readonly<Record<string, string | undefined>>;
  /** Such as `linux; node v20.20.2`, for the User-Agent. */
  readonly platform: string;
  /** `process.versions.v8`, for a speed-up that only one of them needs. */
  readonly v8Version: string;
  readonly out: RawStream;
  readonly err: RawStream;
  readonly stdinTerminal: boolean;
  /** All of stdin, or more than so many bytes of it. */
  readonly readStdin: (mostBytes: number) => Promise<Uint8Array>;
  readonly screen: Screen;
  /** Asks on stderr and reads one line; undefined at the end of input. */
  readonly ask: (question: string, options?: AskOptions) => Promise<string | undefined>;
  /** Aborted by the first Ctrl-C or SIGTERM; the reason is the name of the signal. */
  readonly signal: AbortSignal;
  /** What a second Ctrl-C does, once, instead of ending the process at once. */
  readonly onSecondInterrupt: (work: () => void) => void;
  /** From here on a signal ends the process at once; false when one has come already. */
  readonly releaseSignals: () => Promise<boolean>;
  /**
   * While this takes, signals are for a program that it runs: each is handed over, and none stops the run. Throws
   * interrupted where one has come before.
   */
  readonly withSignalHandler: <Value>(
    take: (signal: NodeJS.Signals) => void,
    work: () => Promise<Value>,
  ) => Promise<Value>;
  /** Sends a signal to all processes of a group; throws when there are none. Undefined where groups are unknown: on Windows. */
  readonly signalGroup: ((leader: number, signal: NodeJS.Signals) => void) | undefined;
  /** The process ends with the run, whatever is still under way: for work that nobody waits for and nothing calls off. */
  readonly forceExit: () => void;
  /** Another one each time: `stackops-` and a UUID. */
  readonly reference: () => string;
  /** Rejects when the signal is aborted. */
  readonly sleep: (ms: number, signal: AbortSignal) => Promise<void>;
  /** How the sandbox of --sandbox behaves; only tests choose. */
  readonly sandbox?: Behaviour;
}

/** A copy with its getters and other parts: Node builds a stream or signal only when it is used. */
export function mergeLazily<Base extends object, More extends object>(
  base: Base,
  more: More,
): Omit<Base, keyof More> & More {
  const parts = { ...Object.getOwnPropertyDescriptors(base), ...Object.getOwnPropertyDescriptors(more) };
  return Object.defineProperties({} as Omit<Base, keyof More> & More, parts);
}

/** The process as the program sees it: what people read goes through the gate. */
export interface Host extends Omit<RawHost, 'out' | 'err'> {
  readonly out: Stdout;
  readonly err: Stderr;
  readonly redactor: Redactor;
}
