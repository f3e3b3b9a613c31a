import type { Facts } from './facts.ts';
import type { Envelope } from './reply.ts';

/**
 * The command tree as data, the source of help, man pages, `docs/commands.md` and `stackops commands --json`. Programs
 * rely on its keys: keys may be added; removing one or changing its meaning makes a new version.
 */
export interface TreeDescription {
  readonly version: typeof descriptionVersion;
  readonly about: string;
  /** The flags every command knows. */
  readonly options: readonly OptionDescription[];
  /** A group of commands, such as `stack env`, and its description. */
  readonly groups: readonly GroupDescription[];
  readonly commands: readonly CommandDescription[];
  /** Pages of help on their own: `stackops help output`. */
  readonly topics: readonly TopicDescription[];
  /** The record that every write prints with --json, behind the fields that identify what it changed. */
  readonly change_record: {
    readonly fields: readonly FieldDescription[];
    readonly changes: readonly { readonly change: string; readonly meaning: string }[];
  };
  /** The meaning of every exit code. */
  readonly exit_codes: readonly { readonly code: number; readonly meaning: string }[];
}

export const descriptionVersion = 1;

export interface TopicDescription {
  /** As typed after `stackops`, or after `help`. */
  readonly name: string;
  readonly about: string;
}

export interface GroupDescription extends TopicDescription {
  /** What else to know; null when its purpose says it all. */
  readonly description: string | null;
}

export interface OptionDescription {
  /** As help prints them: `-s, --stack <uid or name>`. */
  readonly flags: string;
  readonly about: string;
}

/** What a value may be. */
export interface ValueDescription {
  /** What the service calls it, or the command where the service does not know it. */
  readonly name: string;
  readonly about: string;
  readonly kind: string;
  readonly required: boolean;
  readonly repeatable: boolean;
  readonly choices: readonly string[] | null;
  /** Whether other values than the choices are accepted. */
  readonly open: boolean;
  readonly range: readonly [min: number, max: number] | null;
  readonly max_length: number | null;
  readonly unit: string | null;
  /** Help names it in one line with others; the man page explains it. */
  readonly brief: boolean;
  /** What an empty value means; null where one is refused. */
  readonly empty: string | null;
  readonly default: string | number | boolean | null;
  readonly secret: boolean;
}

/** An argument: `<variant>`. */
export interface ArgumentDescription extends ValueDescription {
  readonly shown: string;
}

/** A flag of the command itself. A value may have two: a secret is read from a file or from stdin. */
export interface FlagDescription extends ValueDescription, OptionDescription {
  readonly takes: 'value' | 'nothing' | 'file' | 'stdin';
}

/** A flag that selects where the command acts. */
export interface PlaceDescription extends OptionDescription {
  readonly place: string;
  readonly required: boolean;
}

export interface OperationDescription {
  readonly method: string;
  readonly path: string;
  readonly scope: string;
  /** Whether the service's document describes it. */
  readonly documented: boolean;
}

export interface FieldDescription {
  /** Dotted below groups. */
  readonly name: string;
  readonly about: string;
  readonly kind: string;
  /** The codes it may hold with their words, or known words without a code; null where it may hold anything. */
  readonly values: readonly FieldValue[] | null;
}

export interface FieldValue {
  readonly code: number | null;
  readonly word: string;
}

export interface ExitDescription {
  /** Null: the exit code of a program that was run. */
  readonly code: number | null;
  readonly meaning: string;
}

/** One command: everything its help page says. */
export interface CommandDescription {
  /** As typed after `stackops`: `variant weight`. */
  readonly name: string;
  readonly about: string;
  /** What else to know; null when its purpose says it all. */
  readonly description: string | null;
  readonly usage: string;
  readonly arguments: readonly ArgumentDescription[];
  readonly flags: readonly FlagDescription[];
  readonly places: readonly PlaceDescription[];
  /** The common flags that apply here, by their long spelling. */
  readonly options: readonly string[];
  readonly examples: readonly string[];
  readonly scopes: readonly string[];
  readonly operations: readonly OperationDescription[];
  readonly changes_something: boolean;
  readonly confirmation: 'none' | 'yes' | 'typed';
  /** When it asks, if not always: `before a share of 0 or 100`; else null. */
  readonly confirmation_when: string | null;
  readonly waits: Facts['wait'];
  readonly several_stacks: boolean;
  readonly runs_program: boolean;
  /** The assumption made where the service's document says nothing. */
  readonly assumptions: readonly string[];
  /** How the service wraps the reply, null for plain text. */
  readonly reply: Envelope | null;
  /** How people see it; null for plain text. */
  readonly shows: 'rows' | 'object' | 'value' | 'change' | null;
  /** The names that --fields and --sort accept, unless there are `columns`. */
  readonly fields: readonly FieldDescription[];
  /** The names they accept in a table, if different. */
  readonly columns: readonly FieldDescription[];
  /** The meaning of exit codes for this command. */
  readonly exit_codes: readonly ExitDescription[];
}
