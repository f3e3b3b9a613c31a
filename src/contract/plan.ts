import type { CommandLine, Hint } from './command-line.ts';
import type { Row } from './record.ts';

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
  /** The state that the service shows, else the requested state. */
  readonly after: unknown;
  /** The action of the change, if the service named one. */
  readonly action: unknown;
  readonly message: string | null;
  readonly error: { readonly code: string; readonly message: string } | null;
}

/** The observed result of a change, where it differs from the request. */
export type ObservedChange = Partial<Pick<Change, 'change' | 'before' | 'after' | 'message'>> & {
  /** Identifying fields that were not known before. */
  readonly id?: Row;
};

/** One value before a write and the requested value; null for no value. The journal stores keyed hashes of both. */
export interface ReplacedValue {
  readonly kind: 'variable' | 'share' | 'count' | 'tags' | 'setting' | 'server setting' | 'access' | 'gateway';
  /** `LOG_LEVEL`, `share of variant va-canary` */
  readonly key: string;
  /** The key for people, if the key holds an ID. */
  readonly title?: string;
  readonly before: unknown;
  readonly after: unknown;
  /** True for a name or a time: the journal stores it unhashed, like numbers and tags. */
  readonly isName?: boolean;
}

export interface Step {
  /** The fields that identify it in its record. */
  readonly id: Row;
  /** In messages: `database shop_prod`, `LOG_LEVEL`. */
  readonly name: string;
  /** The state of the change after the response. */
  readonly change: ChangeState;
  readonly before: unknown;
  readonly after: unknown;
  /** True when it already has this state: nothing is sent. */
  readonly isIdle?: boolean;
  /** Data that must not change between the question and the request. */
  readonly basis?: unknown;
  /** All requested values, with unchanged ones; absent when `history undo` cannot restore them. */
  readonly replaces?: readonly ReplacedValue[];
  readonly stack_id?: unknown;
  /** The step begins after all steps with a lower number; the default is 0. */
  readonly phase?: number;
  readonly send: () => Promise<any>;
  /** The state that a reply without an action shows. Absent: the requested state. */
  readonly done?: (reply: any) => ObservedChange;
  /** The state in a reply that queues the change, or in the record of a failed or running one. */
  readonly unfinished?: (record: unknown) => ObservedChange;
}

export interface Summary {
  readonly lines: readonly string[];
  /** The number of unchanged resources, when they have no lines of their own. */
  readonly unchanged?: number;
  /** Lines after `lines`; equal ones of several stacks are printed once. */
  readonly closing?: readonly string[];
  readonly undo?: readonly CommandLine[] | undefined;
  /** `undo` with the names of the input. The journal stores ids, because another resource may get the name. */
  readonly undoByName?: readonly CommandLine[] | undefined;
  /** True when the undo line contains a secret: it is printed but not recorded. */
  readonly undoHoldsSecret?: boolean | undefined;
  /** A follow-up command and its result. */
  readonly next?: { readonly about: string; readonly command: readonly CommandLine[] } | undefined;
}

/** The changes of a write, determined before the question and the first request. */
export interface Plan {
  readonly steps: readonly Step[];
  /** The number of steps that are sent at once; the default is four. */
  readonly atOnce?: number;
  /** True when steps that became idle during the question are left out, and the others are sent. */
  readonly sendsRest?: true;
  /** Runs before the first step; the function that it returns runs after the last one. */
  readonly hold?: (() => Promise<() => void>) | undefined;
  /** The question; absent when this input needs none. Its details are read only at a terminal. */
  readonly ask?: Question | undefined;
  /** Shown before the question, and by --dry-run in place of the requests. */
  readonly preview?: Preview | undefined;
  /**
   * Completes the records of successful steps from one read of the service; `replies` belong to the steps. With --wait it
   * is called again, without replies, while a change is only `accepted`.
   */
  readonly finish?: (changes: readonly Change[], replies: readonly unknown[]) => Promise<readonly Change[]>;
  /** True when the run waits for the changes without --wait, too. */
  readonly waits?: boolean | undefined;
  /** Describes the changes, one for each step. */
  readonly summarize: (changes: readonly Change[]) => Summary;
  /** Makes a second plan, to execute after all steps have succeeded. */
  readonly followUp?: ((changes: readonly Change[]) => Promise<Plan | undefined>) | undefined;
  /** The message after a failed follow-up; the default says that the changes were made. The hint is for a definite failure. */
  readonly unfollowed?:
    | ((failure: { readonly kind: string }) => { readonly text: string; readonly hint?: Hint })
    | undefined;
  /** True when the result is a list, even of one. */
  readonly isList?: boolean;
  /** Plans of several stacks that run one after another; `steps` are the steps of all. */
  readonly inTurn?: readonly StackPlan[];
  /** Throws not_found, because no named resource exists; of several stacks, only when no stack has one. */
  readonly absent?: (() => Promise<never>) | undefined;
}

export interface StackPlan {
  /** Empty when the plan has one stack. */
  readonly stack: string;
  /** Replaces the name in a list with commas, if the name does not fit there. */
  readonly uid?: string;
  readonly plan: Plan;
  /** Makes the plan again, because the earlier stacks take time. */
  readonly again?: () => Promise<Plan>;
}

export interface PlannedChange {
  readonly [id: string]: unknown;
  readonly action: 'create' | 'update' | 'delete' | 'unchanged' | 'skip';
  readonly before: unknown;
  readonly after: unknown;
  /** The reason for `skip`. */
  readonly reason: string | null;
}

export interface Preview extends Pick<Summary, 'lines' | 'closing'> {
  readonly changes: readonly PlannedChange[];
}

/** `Delete gateway bastion-1 (203.0.113.7, closed)?` without its verb. */
export interface Question {
  /** The level, when this input needs a stronger confirmation than the command. */
  readonly level?: 'typed' | undefined;
  readonly name: string | (() => Promise<string>);
  /** Other names that --confirm may hold. */
  readonly others?: readonly string[];
  /** The question without its details; the default is the verb and the name. */
  readonly text?: () => Promise<string>;
  readonly details: () => Promise<readonly string[]> | readonly string[];
  /** A sentence after the question: `This is final.` */
  readonly warning?: string;
}

/** The result of a write, or the part before its failure. */
export interface Outcome extends Summary {
  readonly data: unknown;
}
