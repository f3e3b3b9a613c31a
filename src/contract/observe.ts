import type { CommandLine } from './command-line.ts';
import type { CallOperation } from './operation.ts';

/** Sends a read and returns its unwrapped reply; throws a Problem. */
export type Read = CallOperation;

/** The result of one check of a running operation. */
export interface Status {
  /** `unseen`: the service never shows how it ended. */
  readonly state: 'running' | 'good' | 'failed' | 'unseen';
  /** As text: `deploying`, `finished: Process worker scaled.` */
  readonly text: string;
  /** The record that showed it. */
  readonly value: unknown;
}

/** An operation that is watched until it ends. */
export interface Watch {
  /** `deployment 1042` */
  readonly name: string;
  /** The command that watches it in another run; undefined if there is none. */
  readonly resume: CommandLine | undefined;
  /** The answer itself shows its end: it is checked with --wait or without. */
  readonly isOver?: true;
  readonly check: () => Promise<Status>;
}

/** What a check found where it may come from somebody else: without --wait the run ends as still pending. */
export class ProbableMatch<Answer> {
  readonly answer: Answer;

  constructor(answer: Answer) {
    this.answer = answer;
  }
}

/** How the outcome of one write is checked: most answers say no more than "queued", and some never arrive. */
export interface Observer<Input = any, Snapshot = any, Answer = any> {
  /** Read before the write is sent, where only a difference shows that it was made. */
  readonly snapshot?: (read: Read, input: Input) => Promise<Snapshot>;
  /** Without an answer: the reply that takes its place once the service shows what was asked for, else undefined. */
  readonly check?: (
    read: Read,
    input: Input,
    snapshot: Snapshot | undefined,
  ) => Promise<Answer | ProbableMatch<Answer> | undefined>;
  /** How long a lost answer is checked for, in milliseconds, since a change may take a moment to show; absent: once. */
  readonly checkForMs?: number;
  /** After an answer that names no action: what --wait watches; absent: the answer is the result. */
  readonly watch?: (
    read: Read,
    input: Input,
    answered: { readonly snapshot: Snapshot | undefined; readonly answer: Answer },
  ) => Watch;
  /** What it watches shows more than the action that an answer names. */
  readonly watchesActions?: true;
}
