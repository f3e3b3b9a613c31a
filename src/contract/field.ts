import { isObject, type JsonObject } from './values/json.ts';

/**
 * One value of a request, a reply or the command line: its kind, its meaning and its limits. `sample` is never set; it
 * carries the TypeScript type for inference.
 */
export type Kind = 'text' | 'integer' | 'flag' | 'instant' | 'choice' | 'many' | 'group' | 'map' | 'opaque';
export type Presence = 'required' | 'optional';
/** `address`: of a service; `line`: one line; `program`: with its arguments, run without a shell. */
export type TextFormat = 'address' | 'line' | 'path' | 'profile' | 'program' | 'scopes';
/** Effects of a command or a flag. A secret that is handed to a program counts as printed. */
export type CommandEffect =
  | 'reads_service'
  | 'changes_service'
  | 'reads_machine'
  | 'changes_machine'
  | 'reads_file'
  | 'writes_file'
  | 'runs_program'
  | 'prints_secret';
type Unit = 'bytes' | 'seconds' | 'ms' | 'percent';
/** The kinds of names that completion offers. */
export type Names =
  | 'stack'
  | 'server group'
  | 'account'
  | 'environment variable'
  | 'stack setting'
  | 'server setting'
  | 'server'
  | 'server path'
  | 'deployment'
  | 'variant'
  | 'process name'
  | 'entity'
  | 'tag'
  | 'database'
  | 'database user'
  | 'database id'
  | 'database user id'
  | 'gateway'
  | 'cluster'
  | 'backup'
  | 'backup file'
  | 'user'
  | 'action'
  | 'profile'
  | 'setting'
  | 'preference'
  | 'method'
  | 'file'
  | 'folder'
  | 'path of a file'
  | 'field'
  | 'column'
  | 'sort column';
/** The target of a command: from `-s`, `-g`, `-a`, the environment or the profile. */
export type TargetKind = 'stack' | 'server-group' | 'account';
/** Returns the UID or id of a target: from the flag, else the setting, else the only one. `placed` holds its parents. */
export type ResolveTarget = (
  field: Field,
  word: string | undefined,
  parents: Readonly<Record<string, unknown>>,
) => Promise<unknown>;

export interface Field<Value = any, P extends Presence = any> {
  readonly kind: Kind;
  /** Help, man page and column note: one sentence, full stop. */
  readonly about: string;
  readonly presence: P;
  /** Shown in place of the wire name: `<variant>`, `--user`, `Traffic: 10 %`. */
  readonly label?: string;
  /** The heading of its column, if the label is too long. */
  readonly heading?: string;
  /** `--user-reference <text>`; the default is the name of the flag. */
  readonly placeholder?: string;
  /** The value of its flag without a value. */
  readonly implicitValue?: string;
  /** The allowed values, or suggestions with `open`. */
  readonly choices?: readonly string[];
  readonly open?: boolean;
  /** Words accepted in place of a number: `latest`. */
  readonly keywords?: readonly string[];
  readonly range?: readonly [min: number, max: number];
  readonly maxLength?: number;
  /** The form of a text, which is checked when it is read. */
  readonly format?: TextFormat;
  /** The meaning of an empty value, for help; without it an empty value is refused. */
  readonly empty?: string;
  /** A reply without it is unusable. */
  readonly needed?: true;
  readonly unit?: Unit;
  /** A commit: a table shows its first digits. */
  readonly isCommit?: true;
  /** The unit that a bare number probably has, for the hint: `h` of `--ttl 8`. */
  readonly bareUnit?: 'h' | 's' | 'ms';
  /** The text for a missing value on a terminal: `closed`. */
  readonly absent?: string;
  /** A list that is sent as one string with commas. */
  readonly commas?: true;
  readonly names?: Names;
  /** Effects of giving it that do not follow from `names` and `format`. */
  readonly effects?: readonly CommandEffect[];
  /** Help only names its flag; the man page explains it. */
  readonly hiddenInHelp?: true;
  /** The letter of a short flag: `f` for `-f`. */
  readonly short?: string;
  /** One item per argument: a comma is part of an item. */
  readonly noSplit?: true;
  /** For `NAME=VALUE`: the known values. */
  readonly assigns?: readonly string[];
  /** `name=value` arguments are not secret, so hints may repeat them. */
  readonly repeats?: true;
  readonly nullable?: boolean;
  /** Masked on terminals, never taken from argv. */
  readonly secret?: boolean;
  /** A private value, such as an environment variable: service messages and the journal do not repeat it. */
  readonly sensitive?: true;
  /** An address with a possible signature: displayed without its query. */
  readonly signed?: true;
  /** An optional target is resolved only by `Context.resolveTarget`. */
  readonly target?: TargetKind;
  /** Other names in replies and in input. */
  readonly aliases?: readonly string[];
  /** The default that is sent. */
  readonly preset?: Value;
  /** Meanings of integer codes, by code: `['unknown', 'building']`. */
  readonly meanings?: readonly string[];
  readonly of?: Field | Fields;
  readonly sample?: Value;
}

export interface Fields {
  readonly [wireName: string]: Field;
}

/** The value of a field: `ValueOf<Field<number>>` is `number`. */
export type ValueOf<F> = F extends Field<infer V> ? V : never;
type Flat<T> = { [K in keyof T]: T[K] };
/** Values by field name. */
export type Input = Readonly<Record<string, unknown>>;
/** The values of a set of fields; optional fields become optional keys: `{ id: number; name?: string }`. */
export type Values<F extends Fields> = Flat<
  { readonly [N in keyof F as F[N]['presence'] extends 'required' ? N : never]: ValueOf<F[N]> } & {
    readonly [N in keyof F as F[N]['presence'] extends 'required' ? never : N]?: ValueOf<F[N]>;
  }
>;

type OfBuilder = 'kind' | 'about' | 'presence' | 'range' | 'nullable' | 'secret' | 'preset' | 'of' | 'sample';
/** Properties for any field; the builder sets the others. */
type Extras = Omit<Field, OfBuilder>;

const plain =
  <V, More = unknown>(kind: Kind) =>
  (about: string, extras?: Extras & More): Field<V, 'required'> => ({ kind, about, presence: 'required', ...extras });

/** A string: `text('Name of the key.')`. */
export const text = plain<string>('text');
/** A whole number, with an inclusive range when it has one: `integer('Share.', { range: [0, 100] })`. */
export const integer = plain<number, Pick<Field, 'range'>>('integer');
/** A boolean: `flag('Compress the backup.')`. */
export const flag = plain<boolean>('flag');
/** A time, in one of the three spellings of the service (service.md, Conventions 4). */
export const instant = plain<string>('instant');
/** Any JSON value: `opaque('Free-form parameters.')`. */
export const opaque = plain<unknown>('opaque');

/** One of a closed set of words: `oneOf(['add', 'delete'], 'What to do.')`. */
export function oneOf<const C extends readonly string[]>(
  choices: C,
  about: string,
  extras: Extras = {},
): Field<C[number], 'required'> {
  return { kind: 'choice', about, presence: 'required', ...extras, choices };
}

/** A list of equal items: `many(text('Tag.'), 'Tags of the entity.')`. */
export function many<V>(item: Field<V>, about: string, extras: Extras = {}): Field<readonly V[], 'required'> {
  return { kind: 'many', about, presence: 'required', ...extras, of: item };
}

/** A nested object with known keys: `group({ code: integer('Code.') }, 'Outcome.')`. */
export function group<const F extends Fields>(fields: F, about: string): Field<Values<F>, 'required'> {
  return { kind: 'group', about, presence: 'required', of: fields };
}

/** A nested object with free keys: `map(integer('Count.'), 'Processes by server name.')`. */
export function map<V>(item: Field<V>, about: string): Field<Readonly<Record<string, V>>, 'required'> {
  return { kind: 'map', about, presence: 'required', of: item };
}

export function optional<V>(field: Field<V>): Field<V, 'optional'> {
  return { ...field, presence: 'optional' };
}

/** `nullable(instant('End.'))`: the reply may hold null. */
export function nullable<V, P extends Presence>(field: Field<V, P>): Field<V | null, P> {
  return { ...field, nullable: true };
}

/** Masked on terminals and never read from argv: `secret(text('Private key.'))`. */
export function secret<V, P extends Presence>(field: Field<V, P>): Field<V, P> {
  return { ...field, secret: true };
}

/** False for a set of fields, also with a field named `kind`. */
export function isField(of: Field | Fields | undefined): of is Field {
  return typeof of?.['kind'] === 'string';
}

/** True for a field that is a secret, or has one below it. */
export function holdsSecret({ secret, of }: Field): boolean {
  if (secret || !of) return secret === true;
  return isField(of) ? holdsSecret(of) : Object.values(of).some(holdsSecret);
}

/** True when a value has the type that its field declares. */
export function matches(field: Field, value: unknown): boolean {
  if (value === undefined || value === null) return mayBeAbsent(field);
  switch (field.kind) {
    case 'text':
    case 'choice':
      return typeof value === 'string';
    case 'integer':
      // A share, a size or a time may have a fraction; a count and an id have none.
      return typeof value === 'number' && isWhole(field, value);
    case 'flag':
      return typeof value === 'boolean';
    case 'instant':
      return typeof value === 'string' && isMoment.test(value);
    case 'many':
      return Array.isArray(value) && value.every((item) => matches(field.of as Field, item));
    case 'map':
      return isObject(value) && Object.values(value).every((item) => matches(field.of as Field, item));
    case 'group':
      return isObject(value) && matchesFields(field.of as Fields, value);
    case 'opaque':
      return true;
  }
}

export function isWhole({ unit }: Field, value: number): boolean {
  return unit !== undefined || Number.isInteger(value);
}

const isMoment = /^\d{4}-\d\d-\d\d[T ]\d\d:\d\d/;

export function matchesFields(fields: Fields, value: JsonObject): boolean {
  for (const name in fields) {
    const field = fields[name] as Field;
    if (nameAmong(value, name, field) !== name || !matches(field, value[name])) return false;
  }
  return true;
}

export function mayBeAbsent({ presence, nullable, kind, needed }: Field): boolean {
  // An absent value is displayed as absent; a reply without its key or its counts is unusable.
  const isNeeded = kind === 'map' || needed === true;
  return !isNeeded || presence === 'optional' || nullable === true;
}

export function nameAmong(sent: JsonObject, name: string, { aliases }: Field): string {
  if (aliases === undefined || Object.hasOwn(sent, name)) return name;
  return aliases.find((other) => Object.hasOwn(sent, other)) ?? name;
}
