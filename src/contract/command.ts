import type { Field, Fields, Input, Values } from './field.ts';
import type { CommandHost, Redactor } from './host.ts';
import type { Metadata } from './metadata.ts';
import type { Observer, Watch } from './observe.ts';
import type { Calls, InputOf, Operation, ReadOptions, ReplyOf } from './operation.ts';
import type { Outcome, Plan, Question, ReplacedValue, Summary } from './plan.ts';
import type { RecordType, Row } from './record.ts';
import type { RateLimit, WatchedRead } from './watch.ts';

export interface Clock {
  /** Returns the date and time of the machine, which may be set during a run. */
  readonly now: () => Date;
  /** Returns milliseconds that only increase, to measure durations. */
  readonly elapsed: () => number;
  /** Returns a signal that is aborted after `ms`. */
  readonly deadline: (ms: number) => AbortSignal;
}

/** Everything that a command can use. A command knows nothing else about the process. */
export interface Context extends Clock, Pick<Calls, 'eachPage'>, Pick<Redactor, 'quote'> {
  /** With --wait a queued write is watched to its end. Its last record is the result, or the `partial` of the error. */
  call<O extends Operation>(operation: O, input: InputOf<O>, more?: CallOptions): Promise<ReplyOf<O>>;
  /** Waits until the operation succeeds. Throws as `watchToEnd` in `writes/wait/engine.ts` if it does not. */
  follow(watch: Watch): Promise<unknown>;
  /** Prints a note on stderr, but not with --quiet. */
  note(line: string): void;
  warn(line: string): void;
  readonly host: CommandHost;
  readonly audience: Audience;
  /** The running command: `variant weight`. */
  readonly command: string;
  /** Asks before a change on this machine, and throws unless it is confirmed. A write asks through its plan instead. */
  confirm(question: Question): Promise<void>;
  /** Asks on stderr; returns undefined at the end of input or after an abort. `ask` is absent if no one can answer. */
  readonly ask: Ask | undefined;
  /** True when the profile asks for a typed name before every change. */
  readonly isProtected: boolean;
  /**
   * Runs `collect` without sending its requests, and hands the requests to the approve_command of the profile, if any.
   * Approved requests may be sent later, as often as needed. Throws `forbidden` if the approve_command refuses.
   */
  approve(collect: () => Promise<unknown>): Promise<void>;
  /** Shows the label as progress while `work` runs. On a terminal the line is redrawn when the label changes. */
  during<Value>(label: () => string, work: () => Promise<Value>): Promise<Value>;
  /** True when the progress line of `during` is visible: stderr can be redrawn, and --quiet is not given. */
  readonly redraws: boolean;
  /** Prints an event in JSON and YAML output; prints nothing in other formats. */
  printEvent(row: Row): Promise<void>;
  /** True when the result is printed for programs: as JSON or YAML, or as csv or tsv that a flag selects. */
  readonly printsData: boolean;
  /** Prints lines of a program behind a label, whose colour `number` gives. Returns false once stdout is closed. */
  relay(
    lines: readonly Uint8Array[],
    from: { readonly label: string; readonly number: number; readonly isError: boolean },
  ): Promise<boolean>;
  /** Records a program in the journal before it runs. The returned function records its exit code. */
  recordProgram(target: { readonly stack_id: string; readonly servers: readonly string[] }): Promise<RecordExitCode>;
  /** Keeps a byte-order mark; `-` is stdin. Throws `usage` if not UTF-8, unreadable or over `mostBytes`, else 1 MiB. */
  readText(path: string, mostBytes?: number): Promise<string>;
  /** Returns the UID or id of an optional target. See `ResolveTarget`. */
  resolveTarget(field: Field, word?: string): Promise<unknown>;
  runReference(): string;
  /** True in `stackops mcp`: the arguments come from a model. */
  readonly isMcpCall: boolean;
  /** Returns the service's current demand for fewer requests; undefined without a demand. */
  rateLimit(): RateLimit | undefined;
  /** The value of --limit, if reading may stop at this number of rows; undefined when all rows are needed. */
  readonly limit: number | undefined;
  /** Returns the rows that match --where, for a command whose exit code depends on these rows. */
  matching<R>(rows: readonly R[], fields: Fields): Promise<readonly R[]>;
  readonly reveal: boolean;
  /** True when writes are printed or collected instead of sent. Their replies are then empty. */
  readonly dryRun: boolean;
  /** True while requests are collected for the approve_command, so they must hold no secrets. */
  readonly forApproval: boolean;
  readonly wait: boolean;
  readonly keepGoing: boolean;
}

export type Ask = (question: string, options?: AskOptions) => Promise<string | undefined>;
export interface AskOptions {
  readonly isHidden?: boolean;
  /** Aborted if the answer is no longer needed. `ask` then returns undefined. */
  readonly signal?: AbortSignal;
}

export type RecordExitCode = (exitCode: number) => Promise<void>;

export interface CallOptions extends ReadOptions {
  /** For a write: overrides --wait. */
  readonly wait?: boolean | undefined;
  /** For a write: finds its outcome. */
  readonly observer?: Observer;
  /** For a write that `history undo` can undo: the values that it replaces. */
  readonly replaces?: readonly ReplacedValue[] | undefined;
  /** For an undo: the journal number of the change that is undone. */
  readonly undoes?: number;
}

export interface Confirm {
  /** `yes`: confirmed by y or -y. `typed`: confirmed by typing the name of the resource. */
  readonly level: 'yes' | 'typed';
  /** The question up to the name: `Delete gateway`. */
  readonly act: string;
  /** When the question is asked, if not always. Follows `Asks` in help: `before a share of 100`. */
  readonly when?: string;
}

/** How a value looks in human-readable output. JSON and YAML output do not use it. */
export type Presentation =
  | {
      readonly kind: 'table';
      readonly record: RecordType;
      readonly rows: readonly Row[];
      readonly empty?: string;
      /** Replaces the table, unless the user selects columns or a format. */
      readonly text?: (rows: readonly Row[]) => readonly string[];
      /** Lines after the rows, on stderr. */
      readonly below?: readonly string[];
      /** True when the most important rows come first, so without --limit a terminal shows only as many as fit. */
      readonly fitsScreen?: true;
    }
  | { readonly kind: 'detail'; readonly record: RecordType; readonly row: Row }
  /** A terminal shows the blocks, laid out for its width. A pipe gets the rows. */
  | {
      readonly kind: 'screen';
      readonly blocks: readonly ScreenBlock[];
      readonly next?: Summary['next'];
      readonly record: RecordType;
      readonly rows: readonly Row[];
    }
  /** Sentences about a change. With --quiet they are not printed. */
  | ({ readonly kind: 'done' } & Summary)
  | { readonly kind: 'value'; readonly text: string }
  /** The lines of `head`, then the value as JSON even without --json. An undefined value is not printed. */
  | { readonly kind: 'document'; readonly head: readonly string[]; readonly value: unknown }
  | { readonly kind: 'nothing' };

export interface Audience {
  readonly terminal: boolean;
  readonly reveal: boolean;
  readonly format?: string;
}

/** Takes rows of a list and returns false to end the reading. `failures` are rows with the errors of stacks. */
export type PageHandler = (rows: readonly unknown[], kind?: 'failures') => Promise<boolean>;

export interface Command<P extends Fields = any, V = any> extends Metadata {
  readonly about: string;
  readonly params: P;
  readonly positionals: readonly string[];
  readonly examples: readonly string[];
  readonly confirm: Confirm | null;
  readonly handler: RunHandler<P, V> | WriteHandler<P>;
}

type Handle<P extends Fields, V> = (context: Context, input: Values<P>, findStacks?: FindStacks) => Promise<V>;

/** The handler of a command that returns a value, which is then printed. */
export interface RunHandler<P extends Fields = any, V = any> {
  readonly kind: 'runs';
  readonly run: Handle<P, V>;
  /** True for a command that only reads, so it may run twice. */
  readonly isRead: boolean;
  /** True for a command that combines several stacks itself, with `findStacks`. */
  readonly showsSeveral?: boolean | undefined;
  /** Returns the read that --watch repeats. */
  readonly watch?: Handle<P, WatchedRead<V>> | undefined;
  /** Delivers the value page by page, for a list that is printed as received. */
  readonly eachPage?: ((context: Context, input: Values<P>, take: PageHandler) => Promise<void>) | undefined;
  /** Returns the part of the value that JSON output prints. Without this function it prints the whole value. */
  readonly data?: ((value: V) => unknown) | undefined;
  /** Returns how human-readable output shows the value. The default follows from the reply. */
  readonly present?: ((value: V, input: Values<P>, audience: Audience) => Presentation) | undefined;
}

/** Returns the UIDs of the stacks that `-s a,b` names. Throws `not_found` if one of them does not exist. */
export type FindStacks = () => Promise<readonly string[]>;

/** The handler of a command that changes the service: it makes a plan before the question. */
export interface WriteHandler<P extends Fields = any, E = any> extends Pick<RunHandler, 'showsSeveral'> {
  readonly kind: 'writes';
  /** Opens an editor once, before the plan, then applies the edited value. Without a terminal it runs only with -y. */
  readonly edit?: ((context: Context, input: Values<P>, apply: ApplyEditedValue<E>) => Promise<Outcome>) | undefined;
  readonly plan: (context: Context, input: Values<P>, edited?: E, findStacks?: FindStacks) => Promise<Plan>;
}

export type ApplyEditedValue<E> = (edited: E) => Promise<Outcome>;

export interface Menu {
  readonly [words: string]: Command;
}

export function commandWrites({ changes }: Command): boolean {
  return changes !== false;
}

export function writesWithInput({ changes }: Command, input: Input): boolean {
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

export function colouredState(state: string): ScreenText {
  return { text: state, state };
}
