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

/** The change record of a write: the fields that identify the resource, then these fields. */
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

/** The observed result of a change, as far as it differs from the request. */
export type ObservedChange = Partial<Pick<Change, 'change' | 'before' | 'after' | 'message'>> & {
  /** Fields that identify the resource and were not known before the reply. */
  readonly id?: Row;
};

/** One value before a write and the requested value; null for no value. The journal stores keyed hashes of both. */
export interface ReplacedValue {
  readonly kind: 'variable' | 'share' | 'count' | 'tags' | 'setting' | 'server setting' | 'access' | 'gateway';
  /** The name of the value: `LOG_LEVEL`, `share of variant va-canary` */
  readonly key: string;
  /** The human-readable key, if `key` holds an ID. */
  readonly title?: string;
  readonly before: unknown;
  readonly after: unknown;
  /** True if the values are names or times. The journal stores these unhashed, like numbers and tags. */
  readonly isName?: boolean;
}

export interface Step {
  /** The fields that identify the resource in the change record. */
  readonly id: Row;
  /** The resource in messages: `database shop_prod`, `LOG_LEVEL`. */
  readonly name: string;
  /** The state of the change after the response. */
  readonly change: ChangeState;
  /** The state before the change and the requested state. If they are absent, the change record has null. */
  readonly before?: unknown;
  readonly after?: unknown;
  /** True when the resource already has the requested state, so nothing is sent. */
  readonly isIdle?: boolean;
  /** Data that must not change between the question and the request. */
  readonly basis?: unknown;
  /** All requested values, even unchanged ones. Absent when `history undo` cannot restore them. */
  readonly replaces?: readonly ReplacedValue[];
  readonly stack_id?: unknown;
  /** The step begins after all steps with a lower number; the default is 0. */
  readonly phase?: number;
  readonly send: () => Promise<any>;
  /** Returns the state that a reply without an action shows. Without this function the requested state is assumed. */
  readonly done?: (reply: any) => ObservedChange;
  /** Returns the state in a reply that queues the change, or in the record of a failed or running change. */
  readonly unfinished?: (record: unknown) => ObservedChange;
}

export interface Summary {
  readonly lines: readonly string[];
  /** The number of unchanged resources, when they have no lines of their own. */
  readonly unchanged?: number;
  /** Lines after `lines`. If several stacks have an equal line, it is printed once. */
  readonly closing?: readonly string[];
  /** The commands that undo the change, as the journal stores them. */
  readonly undo?: readonly CommandLine[] | undefined;
  /** `undo` as it is printed, with the typed names. `undo` itself has ids, because another resource may get a name. */
  readonly undoByName?: readonly CommandLine[] | undefined;
  /** True when the undo line contains a secret: it is printed but not recorded. */
  readonly undoHoldsSecret?: boolean | undefined;
  /** A command to suggest as the next step, with a label such as `restore the other value`. */
  readonly next?: { readonly about: string; readonly command: readonly CommandLine[] } | undefined;
}

/** The changes of a write, as they are determined before the question and the first request. */
export interface Plan {
  readonly steps: readonly Step[];
  /** The number of steps that are sent at once; the default is four. */
  readonly atOnce?: number;
  /** True if the other steps are sent although some steps have nothing left to change after the question. */
  readonly sendsRest?: true;
  /** Runs before the first step. The function that it returns runs after the last step. */
  readonly hold?: (() => Promise<() => void>) | undefined;
  /** The question; absent if this input needs none. The details of the question are read only at a terminal. */
  readonly ask?: Question | undefined;
  /** Shown before the question, and by --dry-run in place of the requests. */
  readonly preview?: Preview | undefined;
  /** Completes change records by one read. With --wait, called again without `replies` while a change is `accepted`. */
  readonly finish?: (changes: readonly Change[], replies: readonly unknown[]) => Promise<readonly Change[]>;
  /** True when the run waits for the changes even without --wait. */
  readonly waits?: boolean | undefined;
  /** Returns sentences about the change records. There is one change record for each step. */
  readonly summarize: (changes: readonly Change[]) => Summary;
  /** Makes a second plan, to execute after all steps have succeeded. */
  readonly followUp?: ((changes: readonly Change[]) => Promise<Plan | undefined>) | undefined;
  /** Returns the message after a failed follow-up, by default "The changes before it were made", and perhaps a hint. */
  readonly unfollowed?:
    | ((failure: { readonly kind: string }) => { readonly text: string; readonly hint?: Hint })
    | undefined;
  /** True when the result is a list, even with a single change record. */
  readonly printsList?: boolean;
  /** Plans of several stacks that run one after another. `steps` then has the steps of all stacks. */
  readonly inTurn?: readonly StackPlan[];
  /** Throws `not_found`. Set if none of the named resources exists in any of the stacks. */
  readonly refuse?: (() => Promise<never>) | undefined;
}

export interface StackPlan {
  /** The name of the stack; empty when the plan is for a single stack. */
  readonly stack: string;
  /** The UID of the stack. Set if the name cannot stand in a list with commas. */
  readonly uid?: string;
  readonly plan: Plan;
  /** Makes the plan again when it is this stack's turn, because the earlier stacks take time. */
  readonly replan?: () => Promise<Plan>;
}

export interface PlannedChange {
  readonly [id: string]: unknown;
  readonly action: 'create' | 'update' | 'delete' | 'unchanged' | 'skip';
  readonly before: unknown;
  readonly after: unknown;
  readonly reason: string | null;
}

export interface Preview extends Pick<Summary, 'lines' | 'closing'> {
  readonly changes: readonly PlannedChange[];
}

/** The parts of the question `Delete gateway bastion-1 (203.0.113.7, closed)?` except for its verb. */
export interface Question {
  /** Set when this input needs a stronger confirmation than the command usually asks for. */
  readonly level?: 'typed' | undefined;
  readonly name: string | (() => Promise<string>);
  /** Further names that --confirm may contain. */
  readonly others?: readonly string[];
  /** Returns the question without its details. The default is the verb and the name. */
  readonly text?: () => Promise<string>;
  readonly details: () => Promise<readonly string[]> | readonly string[];
  /** A sentence after the question: `This is final.` */
  readonly warning?: string;
}

/** The result of a write; after a failure, the result of its earlier part. */
export interface Outcome extends Summary {
  readonly data: unknown;
}
