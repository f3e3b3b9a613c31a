import type { CommandLine } from './command-line.ts';
import type { CallOperation } from './operation.ts';

/** Sends a read and returns its unwrapped reply; throws a Problem. */
export type Read = CallOperation;

/** What one look at something under way showed. */
export interface Sight {
  /** `unseen`: nothing the service shows can tell, now or later. */
  readonly state: 'running' | 'good' | 'failed' | 'unseen';
  /** In words: `deploying`, `finished: Process worker scaled.` */
  readonly words: string;
  /** The record it was seen in. */
  readonly value: unknown;
}

/** Something that is watched until it ends. */
export interface Watch {
  /** `deployment 1042` */
  readonly name: string;
  /** The command that goes on watching; undefined where no other run can. */
  readonly resume: CommandLine | undefined;
  /** The answer itself tells its end: it is to be looked at, with --wait or without. */
  readonly isOver?: true;
  readonly look: () => Promise<Sight>;
}

/** What a look found where it may be somebody else's doing: without --wait the run ends as still pending. */
export class Likely<Answer> {
  readonly answer: Answer;

  constructor(answer: Answer) {
    this.answer = answer;
  }
}

/** How what became of one write is seen: most answers say no more than "queued", and some never arrive. */
export interface Observer<Input = any, Note = any, Answer = any> {
  /** Read before the write leaves, where afterwards only the difference tells. */
  readonly note?: (read: Read, input: Input) => Promise<Note>;
  /** Without an answer: the reply that takes its place once the service shows what was asked for, else undefined. */
  readonly look?: (read: Read, input: Input, note: Note | undefined) => Promise<Answer | Likely<Answer> | undefined>;
  /** How long what was asked for may take to show, in milliseconds; absent: one look. */
  readonly patienceMs?: number;
  /** After an answer that names no action: what --wait watches; absent: the answer is the result. */
  readonly watch?: (
    read: Read,
    input: Input,
    told: { readonly note: Note | undefined; readonly answer: Answer },
  ) => Watch;
  /** What it watches tells more than the action that an answer names. */
  readonly watchesActions?: true;
}
