import type { Field, Fields, Input, Values } from './field.ts';
import type { CommandHost } from './host.ts';
import type { Metadata } from './metadata.ts';
import type { Observer, Watch } from './observe.ts';
import type { Calls, InputOf, Operation, ReadMore, ReplyOf } from './operation.ts';
import type { Outcome, Plan, Question, ReplacedValue, Summary } from './plan.ts';
import type { RecordType, Row } from './record.ts';
import type { RateLimit, Watched } from './watch.ts';

export interface Clock {
  /** The time of day, which may be set during a run. */
  readonly now: () => Date;
  /** Monotonic milliseconds for durations. */
  readonly elapsed: () => number;
  /** A signal that is aborted after `ms`. */
  readonly deadline: (ms: number) => AbortSignal;
}

/** Everything that a command can use; it knows nothing else about the process. */
export interface Context extends Clock, Pick<Calls, 'eachPage'> {
  /** As `Calls.call`. With --wait a queued write is watched: its last record is returned, or thrown as `partial`. */
  call<O extends Operation>(operation: O, input: InputOf<O>, more?: CallMore): Promise<ReplyOf<O>>;
  /** Waits until the operation succeeds; throws operation_failed, pending or interrupted otherwise. */
  follow(watch: Watch): Promise<unknown>;
  /** A note for people: on stderr, silent with --quiet. */
  note(line: string): void;
  warn(line: string): void;
  readonly host: CommandHost;
  readonly audience: Audience;
  /** The running command: `variant weight`. */
  readonly command: string;
  /** Asks before something on this machine changes; a write asks by its plan. Throws unless it is confirmed. */
  confirm(question: Question): Promise<void>;
  /** Asks on stderr and reads one line; undefined at the end of input, or once it is aborted. Absent without a terminal. */
  readonly ask:
    | ((
        question: string,
        options?: { readonly hidden?: boolean; readonly signal?: AbortSignal },
      ) => Promise<string | undefined>)
    | undefined;
  /** True when the profile asks for a typed name before every change. */
  readonly isProtected: boolean;
  /**
   * Hands all requests that `collect` sends to the approve_command of the profile, if it has one. They may then be sent
   * later, as often as needed. Throws forbidden.
   */
  approve(collect: () => Promise<unknown>): Promise<void>;
  /** Shows a label while the work takes; on a terminal the line changes with the label. */
  during<Value>(label: () => string, work: () => Promise<Value>): Promise<Value>;
  /** True when that line is always visible. */
  readonly redraws: boolean;
  /** Prints an event where the output is read as data. */
  event(row: Row): Promise<void>;
  /** True when the result is printed as data, with no other output beside it. */
  readonly printsData: boolean;
  /** Prints lines of a program behind a label, whose number gives its colour. False once stdout is closed. */
  relay(
    lines: readonly Uint8Array[],
    from: { readonly label: string; readonly number: number; readonly isError: boolean },
  ): Promise<boolean>;
  /** Records a program in the journal before it runs; the returned function takes its exit code. */
  recordProgram(target: { readonly stack_id: string; readonly servers: readonly string[] }): Promise<EndProgram>;
  /** UTF-8 text of a file, or of stdin for `-`, of at most 1 MiB or `mostBytes`; throws usage for other content. */
  readText(path: string, mostBytes?: number): Promise<string>;
  /** The UID or id of an optional target, or of the one that `word` names. */
  resolveTarget(field: Field, word?: string): Promise<unknown>;
  reference(): string;
  /** A service text for a message, without secrets and written values. */
  quote(text: string): string;
  /** True in `stackops mcp`: the arguments come from a model. */
  readonly isServed: boolean;
  /** Set while the service asks for fewer requests. */
  rateLimit(): RateLimit | undefined;
  /** The requested number of rows, when reading may stop early. */
  readonly limit: number | undefined;
  /** The rows that match --where, for a command whose exit code depends on them. */
  matching<R>(rows: readonly R[], fields: Fields): Promise<readonly R[]>;
  readonly reveal: boolean;
  /** Print writes instead of sending them; their replies are empty. */
  readonly dryRun: boolean;
  /** True when the requests are collected for the approve_command: they hold no secrets. */
  readonly forApproval: boolean;
  readonly wait: boolean;
  readonly keepGoing: boolean;
}

export type EndProgram = (exitCode: number) => Promise<void>;

export interface CallMore extends ReadMore {
  /** For a write: overrides --wait. */
  readonly wait?: boolean | undefined;
  /** For a write: the check of its outcome. */
  readonly observer?: Observer;
  /** For a write that `history undo` can undo. */
  readonly replaces?: readonly ReplacedValue[] | undefined;
  /** The journal number of the undone change. */
  readonly undoes?: number;
}

export interface Confirm {
  /** `typed`: by typing the name of the resource. */
  readonly level: 'yes' | 'typed';
  /** `Delete gateway`; the name follows. */
  readonly act: string;
  /** The condition of the question, after `Asks`: `before a share of 100`. */
  readonly when?: string;
}

/** A value for people. Data output does not use it. */
export type Presentation =
  | {
      readonly kind: 'table';
      readonly record: RecordType;
      readonly rows: readonly Row[];
      readonly empty?: string;
      /** Replaces the table, unless the operator selects columns or a format. */
      readonly text?: (rows: readonly Row[]) => readonly string[];
      /** Lines after the rows, on stderr. */
      readonly below?: readonly string[];
      /** The rows are ordered by importance: without --limit a terminal shows as many as fit. */
      readonly fitsScreen?: true;
    }
  | { readonly kind: 'detail'; readonly record: RecordType; readonly row: Row }
  /** Blocks for the width of the terminal; `rows` in a pipe. */
  | {
      readonly kind: 'screen';
      readonly blocks: readonly ScreenBlock[];
      readonly next?: Summary['next'];
      readonly record: RecordType;
      readonly rows: readonly Row[];
    }
  /** Sentences about a change; silent with --quiet. */
  | ({ readonly kind: 'done' } & Summary)
  | { readonly kind: 'value'; readonly text: string }
  /** JSON even without --json, after optional lines. Without a value: only the lines. */
  | { readonly kind: 'document'; readonly head: readonly string[]; readonly value: unknown }
  | { readonly kind: 'nothing' };

/** The reader of the output: a terminal may show more than a log. */
export interface Audience {
  readonly terminal: boolean;
  readonly reveal: boolean;
  readonly format?: string;
}

/** Receives rows of a value. Rows of `failures` stand for unreadable stacks; only data output prints them. */
export type TakePage = (rows: readonly unknown[], kind?: 'failures') => Promise<boolean>;

export interface Command<P extends Fields = any, V = any> extends Metadata {
  readonly about: string;
  readonly params: P;
  readonly positionals: readonly string[];
  readonly examples: readonly string[];
  /** Null for no confirmation. */
  readonly confirm: Confirm | null;
  readonly handler: Runs<P, V> | Writes<P>;
}

/** A command that returns a value, which is then printed. */
export interface Runs<P extends Fields = any, V = any> {
  readonly kind: 'runs';
  readonly run: (context: Context, input: Values<P>, findStacks?: FindStacks) => Promise<V>;
  /** True for a command that only reads: it may run twice. */
  readonly isRead: boolean;
  /** True for a command that combines several stacks itself, with `findStacks`. */
  readonly showsSeveral?: boolean | undefined;
  /** The repeated read of --watch. */
  readonly watch?: ((context: Context, input: Values<P>, findStacks?: FindStacks) => Promise<Watched<V>>) | undefined;
  /** Delivers the value page by page, for a list that is printed as received. */
  readonly eachPage?: ((context: Context, input: Values<P>, take: TakePage) => Promise<void>) | undefined;
  /** The part of the value that is printed as data; by default all of it. */
  readonly data?: ((value: V) => unknown) | undefined;
  /** The value for people; the default follows from its reply. */
  readonly present?: ((value: V, input: Values<P>, audience: Audience) => Presentation) | undefined;
}

/** Returns the UIDs of the stacks that `-s a,b` names; throws not_found. */
export type FindStacks = () => Promise<readonly string[]>;

/** A command that changes the service: it makes a plan before the question. */
export interface Writes<P extends Fields = any, E = any> {
  readonly kind: 'writes';
  /** Opens an editor once, before the plan, then applies the edited value. Without a terminal it runs only with -y. */
  readonly edit?: ((context: Context, input: Values<P>, apply: Apply<E>) => Promise<Outcome>) | undefined;
  readonly plan: (context: Context, input: Values<P>, edited?: E, findStacks?: FindStacks) => Promise<Plan>;
  /** True for a command that combines several stacks itself, with `findStacks`. */
  readonly showsSeveral?: boolean | undefined;
}

/** Plans, confirms and executes the edited value. */
export type Apply<E> = (edited: E) => Promise<Outcome>;

/** Commands by name: `{ 'variant list': call(variants.list) }`. */
export interface Menu {
  readonly [words: string]: Command;
}

export function commandWrites({ changes }: Command): boolean {
  return changes !== false;
}

/** True when the command can change the service with this input. */
export function inputWrites({ changes }: Command, input: Input): boolean {
  return typeof changes === 'function' ? changes(input) : changes;
}

/** A short text, in the colour of its state: `{ text: 'x', state: 'failed' }`. */
export type ScreenText = string | { readonly text: string; readonly state: string };

export type ScreenCell = ScreenText | readonly ScreenText[];

/** Rows below one label, with aligned cells. A row of one cell is a sentence, which wraps. */
export interface ScreenBlock {
  readonly label: string;
  readonly rows: readonly (readonly ScreenCell[])[];
}

export function coloured(state: string): ScreenText {
  return { text: state, state };
}
