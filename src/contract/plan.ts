import type { CommandLine, Hint } from './command-line.ts';
import type { Row } from './record.ts';

/** The possible values of `change`, with their meaning. */
export const changeMeanings = {
  created: 'The resource was created.',
  updated: 'The resource was changed.',
  accepted: 'The service accepted the change and still shows the old state.',
  unchanged: 'It was already in this state; nothing was sent.',
  deleted: 'The resource was deleted.',
  rolled_back: 'An earlier value was restored.',
  committed: 'The variant is now the active version.',
  cancelled: 'The operation was cancelled.',
  deployed: 'The deployment succeeded.',
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
  /** The state the service shows now, else the requested state. */
  readonly after: unknown;
  /** The action that carries it out, if the service named one. */
  readonly action: unknown;
  /** What the service said. */
  readonly message: string | null;
  readonly error: { readonly code: string; readonly message: string } | null;
}

/** What is known after a change, if it differs from the request. */
export type ObservedChange = Partial<Pick<Change, 'change' | 'before' | 'after' | 'message'>> & {
  /** Identifying fields that were not known before. */
  readonly id?: Row;
};

/** One value before a write and as the write asks for it; null: there is none. The journal keeps keyed hashes of both. */
export interface ReplacedValue {
  readonly kind: 'variable' | 'share' | 'count' | 'tags' | 'setting' | 'server setting' | 'access' | 'gateway';
  /** Which one: `LOG_LEVEL`, `share of variant va-canary`. */
  readonly key: string;
  /** What people read where the key holds an ID. */
  readonly title?: string;
  readonly before: unknown;
  readonly after: unknown;
  /** True for a name or a time, which the journal keeps as it is, as it does numbers and tags. */
  readonly isName?: boolean;
}

export interface Step {
  /** The fields that identify it in its record. */
  readonly id: Row;
  /** In messages: `database shop_prod`, `LOG_LEVEL`. */
  readonly name: string;
  /** Its change after the response. */
  readonly change: ChangeState;
  readonly before: unknown;
  /** The requested state. */
  readonly after: unknown;
  /** True when it already has this state: nothing is asked or sent. */
  readonly isIdle?: boolean;
  /** Facts that must not change between the question and the request. */
  readonly basis?: unknown;
  /** All values that were asked for, with those it has already; absent where `history undo` cannot restore them. */
  readonly replaces?: readonly ReplacedValue[];
  /** UID of the stack it acts on. */
  readonly stack_id?: unknown;
  /** Sends the change and returns the reply. */
  readonly send: () => Promise<any>;
  /** The state that a reply without an action shows. Absent: the requested state. */
  readonly done?: (reply: any) => ObservedChange;
  /** The state known from a reply that only queues it, or from the record that showed it failed or is still running. */
  readonly unfinished?: (record: unknown) => ObservedChange;
}

/** The text about changes: lines and follow-up commands. */
export interface Summary {
  readonly lines: readonly string[];
  /** How many were in this state already, where a line for each says too much. */
  readonly unchanged?: number;
  /** Lines behind them; of several stacks each is said once. */
  readonly closing?: readonly string[];
  /** The commands that undo them, in order. */
  readonly undo?: readonly CommandLine[] | undefined;
  /** The same with names that were typed; the journal keeps the ids, because a name may be given to another. */
  readonly undoAsTyped?: readonly CommandLine[] | undefined;
  /** True when the undo line contains a secret: it is shown but not recorded. */
  readonly undoHoldsSecret?: boolean | undefined;
  /** A follow-up command, and what it shows. */
  readonly next?: { readonly about: string; readonly command: readonly CommandLine[] } | undefined;
}

/** What a write is about to do, determined before anybody is asked and anything is sent. */
export interface Plan {
  readonly steps: readonly Step[];
  /** How many steps are sent at once; without it four. */
  readonly atOnce?: number;
  /** The question. Absent: nothing to ask for this input. Facts are read only when somebody is asked. */
  readonly ask?: Question | undefined;
  /** Shown before the question, and by --dry-run in place of the requests. */
  readonly preview?: Preview | undefined;
  /**
   * Completes the records of successful steps with what the service shows now, read once for all; `replies` are those of
   * the steps. With --wait it is called again, without replies, while a change is only `accepted`.
   */
  readonly finish?: (changes: readonly Change[], replies: readonly unknown[]) => Promise<readonly Change[]>;
  /** True when the changes are waited for without --wait, too. */
  readonly waits?: boolean | undefined;
  /** Describes what was done, one change for each step. */
  readonly summarize: (changes: readonly Change[]) => Summary;
  /** What follows once every step went through; undefined where nothing does. */
  readonly followUp?: ((changes: readonly Change[]) => Promise<Plan | undefined>) | undefined;
  /** Said when what follows failed; by default that the changes were made. The hint is for a failure that leaves no doubt. */
  readonly unfollowed?:
    | ((failure: { readonly kind: string }) => { readonly text: string; readonly hint?: Hint })
    | undefined;
  /** True when the result is a list, even of one. */
  readonly isList?: boolean;
  /** Those of several stacks, which are performed one after another; `steps` are the steps of all. */
  readonly inTurn?: readonly StackPlan[];
  /** Nothing that it names exists: throws not_found. Of several stacks it is enough that one has something of it. */
  readonly absent?: (() => Promise<never>) | undefined;
}

export interface StackPlan {
  /** Empty where no other has a part. */
  readonly stack: string;
  /** What names it in a list with commas, where its name would not. */
  readonly uid?: string;
  readonly plan: Plan;
  /** Makes the plan once more: a stack may have changed while those before it were. */
  readonly again?: () => Promise<Plan>;
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

export interface Preview extends Pick<Summary, 'lines' | 'closing'> {
  readonly changes: readonly PlannedChange[];
}

/** `Delete gateway bastion-1 (203.0.113.7, closed)?` without its verb; facts are read on demand. */
export interface Question {
  /** The level, when this input needs a stronger confirmation than the command. */
  readonly level?: 'typed' | undefined;
  readonly name: string | (() => Promise<string>);
  /** The question without its facts, if it is not the verb and the name. */
  readonly text?: () => Promise<string>;
  readonly details: () => Promise<readonly string[]> | readonly string[];
  /** A sentence behind the question: `This is final.` */
  readonly warning?: string;
}

/** What a write did, or did before it failed. */
export interface Outcome extends Summary {
  readonly data: unknown;
}
