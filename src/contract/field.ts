import type { CommandEffect } from './effects.ts';
import { isObject, type JsonObject } from './values/json.ts';

export type FieldKind = 'text' | 'integer' | 'flag' | 'instant' | 'choice' | 'many' | 'group' | 'map' | 'opaque';
export type Presence = 'required' | 'optional';
/** The format of a text. `address`: the URL of a service. `program`: a program with arguments, run without a shell. */
export type TextFormat = 'address' | 'line' | 'path' | 'profile' | 'program' | 'scopes';
type Unit = 'bytes' | 'seconds' | 'ms' | 'percent';
/** The kinds of names that completion offers. */
export type NameKind = AccountNameKind | StackNameKind | DatabaseNameKind | SettingNameKind | LocalNameKind;
type AccountNameKind = 'stack' | 'server group' | 'account' | 'gateway' | 'cluster' | 'user' | 'entity' | 'tag';
type StackNameKind = 'server' | 'server path' | 'deployment' | 'variant' | 'process name' | 'action';
type DatabaseNameKind = 'database' | 'database user' | 'database id' | 'database user id' | 'backup' | 'backup file';
type SettingNameKind = 'environment variable' | 'stack setting' | 'server setting' | 'setting' | 'preference';
type LocalNameKind = 'profile' | 'file' | 'folder' | 'path of a file' | 'field' | 'column' | 'sort column' | 'method';
/** A kind of target. `-s`, `-g`, `-a`, the environment or the profile choose the target of a command. */
export type TargetKind = 'stack' | 'server-group' | 'account';
/** Returns the UID or ID of the target named by `word`, else by the settings, else of the only target in `parents`. */
export type ResolveTarget = (field: Field, word: string | undefined, parents: Input) => Promise<unknown>;

/** One value of a request, a reply or the command line: its kind, its meaning and its limits. */
export interface Field<Value = any, P extends Presence = any> {
  readonly kind: FieldKind;
  /** The meaning, for help and man pages: one sentence with a full stop. */
  readonly about: string;
  readonly presence: P;
  /** The name that is shown instead of the wire name: `<variant>`, `--user`, `Traffic: 10 %`. */
  readonly label?: string;
  /** The heading of the column, if the label is too long. */
  readonly heading?: string;
  /** The word for the value in help, such as `text` in `--user-reference <text>`. */
  readonly placeholder?: string;
  /** The value of the flag when it is typed without a value. */
  readonly implicitValue?: string;
  /** The allowed values. With `open` they are only suggestions. */
  readonly choices?: readonly string[];
  readonly open?: boolean;
  /** Words accepted in place of a number: `latest`. */
  readonly keywords?: readonly string[];
  readonly range?: readonly [min: number, max: number];
  readonly maxLength?: number;
  /** The format of a text. A typed value is checked against it. */
  readonly format?: TextFormat;
  /** The meaning of an empty value, for help. Without this property an empty value is refused. */
  readonly empty?: string;
  /** True when a reply without this value is unusable. */
  readonly needed?: true;
  readonly unit?: Unit;
  /** True for the hash of a commit: a table shows only its first digits. */
  readonly isCommit?: true;
  /** The unit that a number without a unit probably has, for the hint: `h` for `--ttl 8`. */
  readonly bareUnit?: 'h' | 's' | 'ms';
  /** The text for a missing value in human-readable output: `closed`. */
  readonly absent?: string;
  /** True for a list that is one string with commas. */
  readonly commas?: true;
  readonly nameKind?: NameKind;
  /** Effects of an argument or a flag, if they do not follow from `nameKind`. */
  readonly effects?: readonly CommandEffect[];
  /** True when help only names the flag and the man page explains it. */
  readonly hiddenInHelp?: true;
  /** The letter of a short flag: `f` for `-f`. */
  readonly short?: string;
  /** True when each argument is one item of a list, so a comma is part of an item. */
  readonly noSplit?: true;
  /** For arguments `NAME=VALUE`: the known values. */
  readonly assigns?: readonly string[];
  /** True when values are not secret, so hints and the journal may repeat them. */
  readonly repeats?: true;
  readonly nullable?: boolean;
  /** True for a value that is masked in output and never read from argv. */
  readonly secret?: boolean;
  /** True for a private value, such as an environment variable. Quoted messages and the journal do not show it. */
  readonly sensitive?: true;
  /** True for an address whose query may be a signature. It is displayed without the query. */
  readonly signed?: true;
  /** The kind of target, if the value is a target. An optional target is resolved only by `Context.resolveTarget`. */
  readonly target?: TargetKind;
  /** Other names of this field in replies and in input. */
  readonly aliases?: readonly string[];
  readonly preset?: Value;
  /** Meanings of integer codes, by code: `['unknown', 'building']`. */
  readonly meanings?: readonly string[];
  /** The field of an item of a list or map, or the fields of a group. */
  readonly of?: Field | Fields;
  /** Never set. It carries the TypeScript type for inference. */
  readonly sample?: Value;
}

export interface Fields {
  readonly [wireName: string]: Field;
}

/** The value of a field: `ValueOf<Field<number>>` is `number`. */
export type ValueOf<F> = F extends Field<infer V> ? V : never;
type Flat<T> = { [K in keyof T]: T[K] };
export type Input = Readonly<Record<string, unknown>>;
/** The values of a set of fields; optional fields become optional keys: `{ id: number; name?: string }`. */
export type Values<F extends Fields> = Flat<
  { readonly [N in keyof F as F[N]['presence'] extends 'required' ? N : never]: ValueOf<F[N]> } & {
    readonly [N in keyof F as F[N]['presence'] extends 'required' ? never : N]?: ValueOf<F[N]>;
  }
>;

type SetByBuilder = 'kind' | 'about' | 'presence' | 'range' | 'nullable' | 'secret' | 'preset' | 'of' | 'sample';
/** Properties that may be given to any builder. The builder sets the other properties itself. */
type FieldExtras = Omit<Field, SetByBuilder>;

function fieldBuilder<V, More = unknown>(kind: FieldKind) {
  return (about: string, extras?: FieldExtras & More): Field<V, 'required'> => {
    return { kind, about, presence: 'required', ...extras };
  };
}

export const text = fieldBuilder<string>('text');
/** Declares a whole number, perhaps with an inclusive range: `integer('Share.', { range: [0, 100] })`. */
export const integer = fieldBuilder<number, Pick<Field, 'range'>>('integer');
export const flag = fieldBuilder<boolean>('flag');
/** Declares a time in one of the three spellings of the service (service.md, Conventions 4). */
export const instant = fieldBuilder<string>('instant');
/** Declares any JSON value: `opaque('Free-form parameters.')`. */
export const opaque = fieldBuilder<unknown>('opaque');

/** Declares one of a closed set of words: `oneOf(['add', 'delete'], 'What to do.')`. */
export function oneOf<const C extends readonly string[]>(
  choices: C,
  about: string,
  extras: FieldExtras = {},
): Field<C[number], 'required'> {
  return { kind: 'choice', about, presence: 'required', ...extras, choices };
}

/** Declares a list of items of the same field: `many(text('Tag.'), 'Tags of the entity.')`. */
export function many<V>(item: Field<V>, about: string, extras: FieldExtras = {}): Field<readonly V[], 'required'> {
  return { kind: 'many', about, presence: 'required', ...extras, of: item };
}

/** Declares a nested object with known keys: `group({ code: integer('Code.') }, 'Outcome.')`. */
export function group<const F extends Fields>(fields: F, about: string): Field<Values<F>, 'required'> {
  return { kind: 'group', about, presence: 'required', of: fields };
}

/** Declares a nested object with any keys: `map(integer('Count.'), 'Processes by server name.')`. */
export function map<V>(item: Field<V>, about: string): Field<Readonly<Record<string, V>>, 'required'> {
  return { kind: 'map', about, presence: 'required', of: item };
}

export function optional<V>(field: Field<V>): Field<V, 'optional'> {
  return { ...field, presence: 'optional' };
}

export function nullable<V, P extends Presence>(field: Field<V, P>): Field<V | null, P> {
  return { ...field, nullable: true };
}

/** Makes a value secret: masked in output and never read from argv. `secret(text('Private key.'))` */
export function secret<V, P extends Presence>(field: Field<V, P>): Field<V, P> {
  return { ...field, secret: true };
}

/** True for a field, false for a set of fields, even one with a field named `kind`. */
export function isField(of: Field | Fields | undefined): of is Field {
  return typeof of?.['kind'] === 'string';
}

export function holdsSecret({ secret, of }: Field): boolean {
  if (secret || !of) return secret === true;
  return isField(of) ? holdsSecret(of) : Object.values(of).some(holdsSecret);
}

export function matchesField(field: Field, value: unknown): boolean {
  if (value === undefined || value === null) return mayBeAbsent(field);
  switch (field.kind) {
    case 'text':
    case 'choice':
      return typeof value === 'string';
    case 'integer':
      // A share, a size or a time may have a fraction; a count and an id have none.
      return typeof value === 'number' && isAllowedNumber(field, value);
    case 'flag':
      return typeof value === 'boolean';
    case 'instant':
      return typeof value === 'string' && instantStartPattern.test(value);
    case 'many':
      return Array.isArray(value) && value.every((item) => matchesField(field.of as Field, item));
    case 'map':
      return isObject(value) && Object.values(value).every((item) => matchesField(field.of as Field, item));
    case 'group':
      return isObject(value) && matchesFields(field.of as Fields, value);
    case 'opaque':
      return true;
  }
}

export function isAllowedNumber({ unit }: Field, value: number): boolean {
  return unit !== undefined || Number.isInteger(value);
}

const instantStartPattern = /^\d{4}-\d\d-\d\d[T ]\d\d:\d\d/;

export function matchesFields(fields: Fields, value: JsonObject): boolean {
  for (const name in fields) {
    const field = fields[name] as Field;
    if (sentNameOf(value, name, field) !== name || !matchesField(field, value[name])) return false;
  }
  return true;
}

export function mayBeAbsent({ presence, nullable, kind, needed }: Field): boolean {
  // A reply without a needed value, such as a key, or without a map of counts is unusable. Other values may be missing.
  const isValueNeeded = kind === 'map' || needed === true;
  return !isValueNeeded || presence === 'optional' || nullable === true;
}

export function sentNameOf(sentObject: JsonObject, name: string, { aliases }: Field): string {
  if (aliases === undefined || Object.hasOwn(sentObject, name)) return name;
  return aliases.find((alias) => Object.hasOwn(sentObject, alias)) ?? name;
}
