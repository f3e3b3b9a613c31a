import type { CommandLine } from './command-line.ts';
import type { Calls } from './operation.ts';

/** Sends a read and returns its unwrapped reply. Every error is a CliError. */
export type Read = Calls['call'];

/** The result of one check of a running operation. */
export interface WatchStatus {
  /** `unseen`: the service never shows how the operation ended. `unknown`: it ended, but its effect is not shown. */
  readonly state: 'running' | 'good' | 'failed' | 'unseen' | 'unknown';
  /** The state in messages: `deploying`, `succeeded: Process worker scaled.` */
  readonly text: string;
  /** The error message for `failed` and `unknown`. The default is made of the watch's name and `text`. */
  readonly fault?: string;
  /** The record that shows the state. */
  readonly value: unknown;
  /** Replaces the `resume` of the watch. */
  readonly resume?: CommandLine;
}

/** An operation that is watched until it ends. */
export interface Watch {
  /** The operation in messages: `deployment 1042` */
  readonly name: string;
  /** The command that continues the watch in another run. */
  readonly resume: CommandLine | undefined;
  /** True when the response already shows the result, so `check` runs even without --wait. */
  readonly hasResult?: true;
  /** Returns false until the watched resource exists. Without this function it exists from the start. */
  readonly exists?: () => boolean;
  readonly check: () => Promise<WatchStatus>;
}

/** An answer that may show another user's change, so without --wait the run ends as pending. */
export class ProbableMatch<Answer> {
  readonly answer: Answer;

  constructor(answer: Answer) {
    this.answer = answer;
  }
}

type Found<Answer> = Answer | ProbableMatch<Answer> | undefined;

/** Finds the outcome of one write: most responses only say "queued", and some are lost. */
export interface Observer<Input = any, Snapshot = any, Answer = any> {
  /** Reads the state before the write, when only a difference proves the change. */
  readonly snapshot?: (read: Read, input: Input) => Promise<Snapshot>;
  /** Called after a lost response. Returns the reply once the service shows the change, else undefined. */
  readonly check?: (read: Read, input: Input, snapshot: Snapshot | undefined) => Promise<Found<Answer>>;
  /** How long `check` is repeated in milliseconds, as a change may take a moment to show. Absent: it is called once. */
  readonly checkForMs?: number;
  /** Returns the watch of --wait after a response without an action. Absent: the response is the result. */
  readonly watch?: (
    read: Read,
    input: Input,
    exchange: { readonly snapshot: Snapshot | undefined; readonly answer: Answer },
  ) => Watch;
  /** True when `watch` is used even after a response with an action, because it shows more than that action. */
  readonly watchesActions?: true;
}
