import type { CommandLine } from './command-line.ts';
import type { Calls } from './operation.ts';

/** Sends a read and returns its unwrapped reply; throws a CliError. */
export type Read = Calls['call'];

/** The result of one check of a running operation. */
export interface Status {
  /** `unseen`: the service never shows how it ended. `unknown`: it ended, and its effect is not shown. */
  readonly state: 'running' | 'good' | 'failed' | 'unseen' | 'unknown';
  /** `deploying`, `succeeded: Process worker scaled.` */
  readonly text: string;
  /** The error message of a bad or unknown end; the default is made of name and text. */
  readonly fault?: string;
  /** The record that shows the state. */
  readonly value: unknown;
  /** Replaces the `resume` of the watch. */
  readonly resume?: CommandLine;
}

/** An operation that is watched until it ends. */
export interface Watch {
  /** `deployment 1042` */
  readonly name: string;
  /** The command that continues the watch in another run. */
  readonly resume: CommandLine | undefined;
  /** The response already shows the result: it is checked with and without --wait. */
  readonly isOver?: true;
  /** False until the watched resource exists. Absent: it exists from the start. */
  readonly exists?: () => boolean;
  readonly check: () => Promise<Status>;
}

/** A match that may belong to a change of another user: without --wait the run ends as pending. */
export class ProbableMatch<Answer> {
  readonly answer: Answer;

  constructor(answer: Answer) {
    this.answer = answer;
  }
}

/** The check of one write: most responses only say "queued", and some are lost. */
export interface Observer<Input = any, Snapshot = any, Answer = any> {
  /** Reads the state before the write, when only a difference proves the change. */
  readonly snapshot?: (read: Read, input: Input) => Promise<Snapshot>;
  /** After a lost response: the reply, once the service shows the change, else undefined. */
  readonly check?: (
    read: Read,
    input: Input,
    snapshot: Snapshot | undefined,
  ) => Promise<Answer | ProbableMatch<Answer> | undefined>;
  /** Milliseconds to check after a lost response, because a change may take a moment to show. Absent: check once. */
  readonly checkForMs?: number;
  /** The watch of --wait after a response without an action. Absent: the response is the result. */
  readonly watch?: (
    read: Read,
    input: Input,
    answered: { readonly snapshot: Snapshot | undefined; readonly answer: Answer },
  ) => Watch;
  /** True when `watch` shows more than the action in the response. */
  readonly watchesActions?: true;
}
