import type { Facts } from './facts.ts';
import type { Field, Fields, Values } from './field.ts';
import type { Observer, Watch } from './observe.ts';
import type { EachPage, InputOf, Operation, ReplyOf } from './operation.ts';
import type { Plan, Question, Summary } from './plan.ts';
import type { RecordType, Row } from './record.ts';

/** What a command may touch. Everything else about the process stays outside. */
export interface Context {
  /**
   * Sends one operation and returns its unwrapped reply; lists come with all their pages. With --wait, what was queued
   * is watched (`detached`: never), and the record in which its end was seen is returned; a bad end is thrown with that
   * record as `partial`.
   */
  call<O extends Operation>(operation: O, input: InputOf<O>, more?: CallMore): Promise<ReplyOf<O>>;
  readonly eachPage: EachPage;
  /** Watches until it ends well; throws operation_failed, pending or interrupted otherwise. */
  follow(watch: Watch): Promise<unknown>;
  /** A note for people: on stderr, silent with --quiet. */
  note(line: string): void;
  warn(line: string): void;
  /** Who reads the output. */
  readonly audience: Audience;
  /** The words of the command that runs: `variant weight`. */
  readonly command: string;
  /** Asks what the command declares, before something on this machine is changed; a write asks by its plan. Throws a Problem unless it may go ahead. */
  confirm(question: Question): Promise<void>;
  /** UTF-8 text of a file, `-` for stdin, read once; throws usage for anything else. */
  readText(path: string): Promise<string>;
  /** UID or id of where the operator wants to act, for a command whose place is optional: looked up only when asked for. */
  place(field: Field): Promise<unknown>;
  now(): Date;
  /** A reference that names nothing else, for what this run starts. */
  reference(): string;
  /** The number of rows asked for, when reading may stop early. */
  readonly limit: number | undefined;
  /** Secrets are to be shown. */
  readonly reveal: boolean;
  /** Writes are printed, not sent; their replies are samples. */
  readonly dryRun: boolean;
  /** Of several changes, one that fails does not stop the others. */
  readonly keepGoing: boolean;
}

export interface CallMore {
  readonly limit?: number;
  readonly detached?: boolean;
  /** Of a write: how its outcome is checked. */
  readonly observer?: Observer;
}

/** What a command asks before it acts, in words. */
export interface Confirm {
  /** `typed`: by typing the name of what is changed. */
  readonly level: 'yes' | 'typed';
  /** `Delete gateway`, which the name follows. */
  readonly act: string;
  /** Where only some inputs are asked about, which, after `Asks`: `before a share of 0 or 100`. */
  readonly when?: string;
}

/** What people see of a value. JSON never passes through here. */
export type Presentation =
  | {
      readonly kind: 'table';
      readonly record: RecordType;
      readonly rows: readonly Row[];
      readonly empty?: string;
      /** Lines below the rows, on stderr: what is too long for a column. */
      readonly below?: readonly string[];
    }
  | { readonly kind: 'detail'; readonly record: RecordType; readonly row: Row }
  /** What was done, silent with --quiet. */
  | ({ readonly kind: 'done' } & Summary)
  /** The bare value that was asked for. */
  | { readonly kind: 'value'; readonly text: string }
  /** JSON also where nobody asked for it; lines of another kind may stand above it. Without a value: only those. */
  | { readonly kind: 'document'; readonly head: readonly string[]; readonly value: unknown }
  | { readonly kind: 'nothing' };

/** Who reads a presentation: what a person may know at a terminal, a log keeps. */
export interface Audience {
  readonly terminal: boolean;
}

/** Takes some rows of a value; `failures` are rows of what could not be read, which only data shows. */
export type TakePage = (rows: readonly unknown[], kind?: 'failures') => Promise<boolean>;

/** One leaf of the command tree. */
export interface Command<P extends Fields = any, V = any> extends Facts {
  readonly about: string;
  readonly params: P;
  readonly positionals: readonly string[];
  readonly examples: readonly string[];
  /** What it asks before it acts; null where it never asks. */
  readonly confirm: Confirm | null;
  readonly does: Runs<P, V> | Writes<P>;
}

/** What a command does that yields a value, which is then shown. */
export interface Runs<P extends Fields = any, V = any> {
  readonly kind: 'runs';
  readonly run: (context: Context, input: Values<P>) => Promise<V>;
  /** It reads, and does nothing else: it may be done twice. */
  readonly isRead: boolean;
  /** The same value, a list that is shown as its reply is, page by page. */
  readonly eachPage?: ((context: Context, input: Values<P>, take: TakePage) => Promise<void>) | undefined;
  /** What people see of the value; without it, its reply decides. */
  readonly present?: ((value: V, input: Values<P>, audience: Audience) => Presentation) | undefined;
}

/** What a command does that changes something at the service: it says what it is about to do before anybody is asked. */
export interface Writes<P extends Fields = any> {
  readonly kind: 'writes';
  readonly plan: (context: Context, input: Values<P>) => Promise<Plan>;
}

/** Words to commands: `{ 'variant list': call(variants.list) }`. */
export interface Menu {
  readonly [words: string]: Command;
}

/** The operations a command may call; none for one that is local, or that decides as it runs. */
export function callsOf({ service }: Command): readonly Operation[] {
  return service === 'local' ? [] : service.calls;
}

/** True when the command can change something at the service. */
export function commandWrites({ service }: Command): boolean {
  return service !== 'local' && service.changes !== false;
}

/** True when the command with this input can change something at the service. */
export function inputWrites(command: Command, input: Readonly<Record<string, unknown>>): boolean {
  const { service } = command;
  if (service === 'local' || typeof service.changes !== 'function') return commandWrites(command);
  return service.changes(input);
}
