import type { Field, Fields, Input, Values } from './field.ts';
import type { CommandHost } from './host.ts';
import type { Metadata } from './metadata.ts';
import type { Observer, Watch } from './observe.ts';
import type { Calls, InputOf, Operation, ReadMore, ReplyOf } from './operation.ts';
import type { Outcome, Plan, Question, ReplacedValue, Summary } from './plan.ts';
import type { RecordType, Row } from './record.ts';
import type { ScreenBlock } from './screen.ts';
import type { RateLimit, Watched } from './watch.ts';

export interface Clock {
  /** For what people read and for the wire: somebody may set it while a run waits. */
  readonly now: () => Date;
  /** Milliseconds since any moment, by a clock that nobody can set: for every duration. */
  readonly elapsed: () => number;
  /** Aborted after that time, in milliseconds. */
  readonly deadline: (ms: number) => AbortSignal;
}

/** Everything that a command can use; it knows nothing else about the process. */
export interface Context extends Clock, Pick<Calls, 'eachPage'> {
  /** As `Calls.call`. With --wait a queued write is watched: its last record is returned, or thrown as `partial`. */
  call<O extends Operation>(operation: O, input: InputOf<O>, more?: CallMore): Promise<ReplyOf<O>>;
  /** Waits until it succeeds; throws operation_failed, pending or interrupted otherwise. */
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
   * later, and again after a lost answer. Throws forbidden.
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
  /** UTF-8 text of a file, `-` for stdin, read once, at most 1 MiB or `mostBytes`; throws usage for anything else. */
  readText(path: string, mostBytes?: number): Promise<string>;
  /** The UID or id of an optional place, or of the one that `word` names; resolved only when requested. */
  resolveTarget(field: Field, word?: string): Promise<unknown>;
  /** A unique reference for what this run starts. */
  reference(): string;
  /** Words of the service for a message, without secrets and written values. */
  quote(text: string): string;
  /** Whether the service wants fewer requests. */
  rateLimit(): RateLimit | undefined;
  /** The requested number of rows, when reading may stop early. */
  readonly limit: number | undefined;
  /** The rows that --where keeps, for a command whose exit code follows them. */
  matching<R>(rows: readonly R[], fields: Fields): readonly R[];
  /** Show secrets. */
  readonly reveal: boolean;
  /** Print writes instead of sending them; their replies are empty. */
  readonly dryRun: boolean;
  /** Whether that is for somebody else, who is to approve them: nothing secret may be in them. */
  readonly forApproval: boolean;
  /** Wait until a change is finished. */
  readonly wait: boolean;
  /** Continue after a change fails. */
  readonly keepGoing: boolean;
}

export type EndProgram = (exitCode: number) => Promise<void>;

export interface CallMore extends ReadMore {
  /** For a write: whether it is watched, with --wait or without. */
  readonly wait?: boolean | undefined;
  /** For a write: how its outcome is checked. */
  readonly observer?: Observer;
  /** For a write that `history undo` can undo. */
  readonly replaces?: readonly ReplacedValue[] | undefined;
  /** Number of the change in the journal that it undoes. */
  readonly undoes?: number;
}

export interface Confirm {
  /** `typed`: by typing the name of the resource. */
  readonly level: 'yes' | 'typed';
  /** `Delete gateway`; the name follows. */
  readonly act: string;
  /** When it asks for some inputs only, the text after `Asks`: `before a share of 0 or 100`. */
  readonly when?: string;
}

/** How a value is shown to people. JSON output does not use it. */
export type Presentation =
  | {
      readonly kind: 'table';
      readonly record: RecordType;
      readonly rows: readonly Row[];
      readonly empty?: string;
      /** The rows as text of another form, unless columns or another format are chosen. */
      readonly text?: (rows: readonly Row[]) => readonly string[];
      /** Lines after the rows, on stderr, for what is too long for a column. */
      readonly below?: readonly string[];
      /** The rows come by importance: without --limit a terminal shows no more of them than fit. */
      readonly fitsScreen?: true;
    }
  | { readonly kind: 'detail'; readonly record: RecordType; readonly row: Row }
  /** Blocks laid out for the width of the terminal; the same as rows of a record in a pipe. */
  | {
      readonly kind: 'screen';
      readonly blocks: readonly ScreenBlock[];
      readonly record: RecordType;
      readonly rows: readonly Row[];
    }
  /** Sentences about what was done; silent with --quiet. */
  | ({ readonly kind: 'done' } & Summary)
  /** The requested value alone. */
  | { readonly kind: 'value'; readonly text: string }
  /** JSON even without --json, after optional lines. Without a value: only the lines. */
  | { readonly kind: 'document'; readonly head: readonly string[]; readonly value: unknown }
  | { readonly kind: 'nothing' };

/** Who reads the output: a terminal may show more than a log. */
export interface Audience {
  readonly terminal: boolean;
  /** Whether it shows secrets. */
  readonly reveal: boolean;
  /** The form that the result takes: `table` where people read it. */
  readonly format?: string;
}

/** Receives some rows of a value; `failures` are rows for what could not be read, which only data output shows. */
export type TakePage = (rows: readonly unknown[], kind?: 'failures') => Promise<boolean>;

export interface Command<P extends Fields = any, V = any> extends Metadata {
  readonly about: string;
  readonly params: P;
  readonly positionals: readonly string[];
  readonly examples: readonly string[];
  /** The confirmation it asks for; null if none. */
  readonly confirm: Confirm | null;
  readonly handler: Runs<P, V> | Writes<P>;
}

/** A command that returns a value, which is then shown. */
export interface Runs<P extends Fields = any, V = any> {
  readonly kind: 'runs';
  readonly run: (context: Context, input: Values<P>, findStacks?: FindStacks) => Promise<V>;
  /** It only reads, so it may run twice. */
  readonly isRead: boolean;
  /** It shows several stacks in its own way, and is handed `findStacks` for that. */
  readonly showsSeveral?: boolean | undefined;
  /** What is repeated with --watch. */
  readonly watch?: ((context: Context, input: Values<P>, findStacks?: FindStacks) => Promise<Watched<V>>) | undefined;
  /** The same value page by page, for a list that is shown as received. */
  readonly eachPage?: ((context: Context, input: Values<P>, take: TakePage) => Promise<void>) | undefined;
  /** The part of the value that is printed as data; by default all of it. */
  readonly data?: ((value: V) => unknown) | undefined;
  /** How people see the value; by default its reply decides. */
  readonly present?: ((value: V, input: Values<P>, audience: Audience) => Presentation) | undefined;
}

/** Returns the UIDs of the stacks that `-s a,b` names; throws not_found. */
export type FindStacks = () => Promise<readonly string[]>;

/** A command that changes something at the service: it makes a plan before anybody is asked. */
export interface Writes<P extends Fields = any, E = any> {
  readonly kind: 'writes';
  /**
   * Has a person write in an editor what no argument holds: once, before the plan, which may be made twice; then applies
   * it. Without a terminal it runs only with -y.
   */
  readonly edit?: ((context: Context, input: Values<P>, apply: Apply<E>) => Promise<Outcome>) | undefined;
  readonly plan: (context: Context, input: Values<P>, edited?: E) => Promise<Plan>;
}

/** Makes the plan of what was edited, confirms it and performs it. */
export type Apply<E> = (edited: E) => Promise<Outcome>;

/** Commands by name: `{ 'variant list': call(variants.list) }`. */
export interface Menu {
  readonly [words: string]: Command;
}

export function commandWrites({ changes }: Command): boolean {
  return changes !== false;
}

/** True when the command with this input can change something at the service. */
export function inputWrites({ changes }: Command, input: Input): boolean {
  return typeof changes === 'function' ? changes(input) : changes;
}
