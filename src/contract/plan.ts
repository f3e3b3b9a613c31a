import type { CommandLine } from './command-line.ts';
import type { Row } from './record.ts';

/** What can have happened to one resource, and what that means. */
export const changeMeanings = {
  created: 'The resource was created.',
  updated: 'The resource was changed.',
  unchanged: 'It was already in this state; nothing was sent.',
  deleted: 'The resource was deleted.',
  rolled_back: 'An earlier value was restored.',
  committed: 'The variant is now the active version.',
  cancelled: 'The operation was cancelled.',
  deployed: 'The deployment is live.',
  rebooted: 'The server or cluster was rebooted.',
  password_changed: 'The database user has a new password.',
  imported: 'The data was imported.',
  queued: 'The service accepted the change; it is not finished yet.',
  failed: 'The change failed.',
  unknown: 'Outcome unknown: there was no response.',
  not_tried: 'Not sent: an earlier change failed.',
} as const;
export type ChangeState = keyof typeof changeMeanings;
export const changeStates = Object.keys(changeMeanings) as readonly ChangeState[];

/** The record of every write: the fields that identify the resource, then these. */
export interface Change {
  readonly [id: string]: unknown;
  readonly change: ChangeState;
  readonly before: unknown;
  /** As the service shows it now; where that was not seen, as it was asked for. */
  readonly after: unknown;
  /** The action that carries it out, where the service named one. */
  readonly action: unknown;
  /** What the service said. */
  readonly message: string | null;
  readonly error: { readonly code: string; readonly message: string } | null;
}

/** What is known of a change once it is done, where that is not what was asked for. */
export type ObservedChange = Partial<Pick<Change, 'change' | 'before' | 'after' | 'message'>> & {
  /** Fields that identify it and were not known before. */
  readonly id?: Row;
};

/** One resource that is to be changed. */
export interface Step {
  /** The fields that identify it in its record. */
  readonly id: Row;
  /** In messages: `database shop_prod`, `LOG_LEVEL`. */
  readonly name: string;
  /** What it is once the service has answered. */
  readonly change: ChangeState;
  readonly before: unknown;
  /** As asked for. */
  readonly after: unknown;
  /** It is like that already: nothing is asked, nothing is sent. */
  readonly isIdle?: boolean;
  /** What the answer to a question was given for, besides the question itself. */
  readonly basis?: unknown;
  /** Sends the change, and yields the reply. */
  readonly send: () => Promise<any>;
  /** What it is now that the reply came and no action carries it on; absent: as asked for. */
  readonly done?: (reply: any) => Promise<ObservedChange> | ObservedChange;
  /** What is known of it from a reply that only queues it, or from the record in which it was seen to fail, or to take longer. */
  readonly unfinished?: (record: unknown) => ObservedChange;
}

/** What a person reads about changes: lines, and the commands that come after. */
export interface Summary {
  readonly lines: readonly string[];
  /** The commands that undo them, one after the other. */
  readonly undo?: readonly CommandLine[] | undefined;
  /** Such a line is shown, and kept nowhere. */
  readonly undoHoldsValues?: boolean | undefined;
  /** The command that shows what is still missing, and what that is. */
  readonly next?: { readonly about: string; readonly command: readonly CommandLine[] } | undefined;
}

/** What a write is about to do: found out before anybody is asked, and before anything is sent. */
export interface Plan {
  readonly steps: readonly Step[];
  /** Absent: with this input there is nothing to ask about. Facts are read only when somebody is asked. */
  readonly ask?: Question | undefined;
  /** Shown before the question, and by --dry-run in place of the requests. */
  readonly preview?: Preview | undefined;
  /** Completes the records of steps that all went through: by one read for all of them. */
  readonly finish?: (changes: readonly Change[]) => Promise<readonly Change[]>;
  /** Describes what was done, one change for each step. */
  readonly summarize: (changes: readonly Change[]) => Summary;
  /** Its result is a list, also of one. */
  readonly isList?: boolean;
}

/** One change of a plan that is shown before it is made. */
export interface PlannedChange {
  readonly [id: string]: unknown;
  readonly action: 'create' | 'update' | 'delete' | 'unchanged' | 'skip';
  readonly before: unknown;
  readonly after: unknown;
  /** Why it is skipped. */
  readonly reason: string | null;
}

/** A plan as people and programs read it. */
export interface Preview {
  readonly changes: readonly PlannedChange[];
  readonly lines: readonly string[];
}

/** `Delete gateway bastion-1 (203.0.113.7, closed)?` without its verb; what it needs is read when it is needed. */
export interface Question {
  /** Where this input asks for more than the command usually does. */
  readonly level?: 'typed' | undefined;
  readonly name: string | (() => Promise<string>);
  /** The whole question without its facts, where it is not the verb of its command and the name. */
  readonly text?: () => Promise<string>;
  readonly facts: () => Promise<readonly string[]> | readonly string[];
}

/** What a write did, or did before it failed. */
export interface Outcome extends Summary {
  readonly data: unknown;
}
