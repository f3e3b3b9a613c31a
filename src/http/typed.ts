import {
  type Field,
  type Fields,
  type Kind,
  matches,
  matchesFields,
  mayBeAbsent,
  mayBeNumber,
  sentNameOf,
} from '../contract/field.ts';
import type { RecordType } from '../contract/record.ts';
import { isObject, type JsonObject, withOriginal } from '../contract/values/json.ts';
import { shortened } from '../contract/values/text.ts';
import type { CliError } from '../errors/cli-error.ts';
import { spellingOf } from '../json/read.ts';
import { writeJson } from '../json/write.ts';
import { type CallParts, lostReplyError } from './call-error.ts';

export interface RowReading {
  /** True for the reply to a read. The reply to a write may lack required fields. */
  readonly isRead: boolean;
  /** Creates the error that is thrown when a field with an unreadable value is read. */
  readonly refuse: (mismatch: TypeMismatch, row: JsonObject) => Error;
}

/**
 * Converts each declared field to its type (`"2"` to 2, `"false"` to false) and each alias to the declared name. An
 * unreadable value throws only when its field is read, so a list still shows the other fields. The row as the service
 * sent it stays available with `original`.
 */
export function typedRow<Row>(fields: Fields, row: Row, reading: RowReading): Row {
  // A list may have millions of rows, and most need no conversion, so no copy is made of such a row.
  if (!isObject(row) || matchesFields(fields, row)) return row;
  return typedObject(fields, row, { ...reading, row, prefix: '' }) as Row;
}

interface Position extends RowReading {
  readonly row: JsonObject;
  /** The path in front of a field's name: `servers.`, or empty. */
  readonly prefix: string;
}

function typedObject(fields: Fields, sent: JsonObject, position: Position): JsonObject {
  const changes: { readonly name: string; readonly key: string; readonly value: unknown }[] = [];
  for (const name in fields) {
    const field = fields[name] as Field;
    const key = sentNameOf(sent, name, field);
    if (key === name && matches(field, sent[name])) continue;
    changes.push({ name, key, value: valueIn(field, sent, key, position) });
  }
  const isDifferent = changes.some(({ key, value }) => Object.hasOwn(sent, key) && value !== sent[key]);
  const typed = isDifferent ? withOriginal({ ...sent }, sent) : sent;
  for (const { name, key, value } of changes) {
    for (const property of new Set([name, key])) {
      const enumerable = property === key && Object.hasOwn(sent, key) && !(value instanceof TypeMismatch);
      Object.defineProperty(typed, property, { configurable: true, enumerable, ...propertyOf(value, position) });
    }
  }
  return typed;
}

function propertyOf(value: unknown, { refuse, row }: Position): PropertyDescriptor {
  if (!(value instanceof TypeMismatch)) return { value };
  return {
    get() {
      throw refuse(value, row);
    },
  };
}

function valueIn(field: Field, holder: object, key: string, position: Position): unknown {
  const sent: unknown = Reflect.get(holder, key);
  if (matches(field, sent)) return sent;
  const path = `${position.prefix}${key}`;
  const isNothing = sent === undefined || sent === null || (field.kind !== 'text' && (sent === '' || sent === 'null'));
  const value = isNothing ? null : readers[field.kind](field, sent, { ...position, holder, key, prefix: `${path}.` });
  if (value === undefined) return new TypeMismatch(path, field, sent);
  if (value !== null || mayBeAbsent(field)) return value;
  if (sent === undefined && !position.isRead) return undefined;
  return new TypeMismatch(path, field, undefined);
}

type InnerPosition = Position & { readonly holder: object; readonly key: string };
type Reader = (field: Field, sent: unknown, position: InnerPosition) => unknown;

const oneLineStyle = { indent: false, escapeControls: false };

/** For each kind of field, a function that converts a value of another type, or returns undefined if it cannot. */
const readers: Readonly<Record<Field['kind'], Reader>> = {
  text: (_, sent, { holder, key }) => spellingOf(holder, key) ?? writeJson(sent, oneLineStyle),
  choice: () => undefined,
  integer: readInteger,
  flag: (_, sent) => readFlag(sent),
  instant: () => undefined,
  many: ({ of }, sent, position) => readItems(of as Field, sent, position),
  map: ({ of }, sent, position) => readMap(of as Field, sent, position),
  group: ({ of }, sent, position) => readGroup(of as Fields, sent, position),
  opaque: (_, sent) => sent,
};

function readInteger(field: Field, sent: unknown, { key }: InnerPosition): unknown {
  // Nothing is computed with an ID, so an ID may be larger than a safe integer.
  if (typeof sent === 'bigint') return /(^|_)id$/.test(key) ? sent : undefined;
  if (typeof sent !== 'string') return undefined;
  const digits = field.unit === 'percent' ? sent.replace(/ ?%$/, '') : sent;
  return /^-?\d{1,15}(\.\d+)?$/.test(digits.trim()) && mayBeNumber(field, Number(digits)) ? Number(digits) : undefined;
}

const yesValues: readonly unknown[] = [true, 'true', 'yes', '1', 1];
const noValues: readonly unknown[] = [false, 'false', 'no', '0', 0];

export function readFlag(sent: unknown): boolean | undefined {
  const word = typeof sent === 'string' ? sent.toLowerCase() : sent;
  if (yesValues.includes(word)) return true;
  return noValues.includes(word) ? false : undefined;
}

function readItems(of: Field, sent: unknown, position: InnerPosition): unknown {
  if (isObject(sent) && Object.keys(sent).length === 0) return withOriginal([], sent);
  // Some services send a list with one item as that item alone.
  if (typeof sent === 'string') {
    const item = valueIn(of, position.holder, position.key, position);
    return item instanceof TypeMismatch ? item : withOriginal([item], sent);
  }
  if (!Array.isArray(sent)) return undefined;
  const items = sent.map((_, at) => valueIn(of, sent, String(at), position));
  const mismatch = items.find((item) => item instanceof TypeMismatch);
  return mismatch ?? (items.every((item, at) => item === sent[at]) ? sent : withOriginal(items, sent));
}

function readMap(of: Field, sent: unknown, position: InnerPosition): unknown {
  // Some languages write an empty map as an empty list.
  if (Array.isArray(sent) && sent.length === 0) return withOriginal({}, sent);
  if (!isObject(sent)) return undefined;
  const typed = withOriginal({}, sent);
  for (const key of Object.keys(sent)) {
    const value = valueIn(of, sent, key, position);
    // If the value has the wrong type, the new property is a getter that throws.
    Object.defineProperty(typed, key, { configurable: true, enumerable: true, ...propertyOf(value, position) });
  }
  return typed;
}

function readGroup(fields: Fields, sent: unknown, position: InnerPosition): unknown {
  if (isObject(sent)) return typedObject(fields, sent, position);
  if (typeof sent !== 'string' && typeof sent !== 'number') return undefined;
  // Some services send only one field of a group: its code (a whole number) or its word.
  const kind = Number.isInteger(Number(sent)) ? 'integer' : 'text';
  const names = Object.keys(fields);
  const name = names.find((key) => fields[key]?.kind === kind) ?? names.find((key) => fields[key]?.kind === 'text');
  return name && withOriginal(typedObject(fields, { [name]: sent }, position), sent);
}

/** A value of the wrong type. `sent` is undefined if a required field is missing. */
class TypeMismatch {
  /** The path of the field in its row: `servers.web-1`. */
  readonly path: string;
  readonly field: Field;
  readonly sent: unknown;

  constructor(path: string, field: Field, sent: unknown) {
    this.path = path;
    this.field = field;
    this.sent = sent;
  }
}

/** Creates an error: `the service sent servers.web-1 "many" for process web, not a whole number`. */
export function typeMismatchError(call: CallParts, { path, field, sent }: TypeMismatch, row: JsonObject): CliError {
  const { record } = call.operation.reply;
  const owner = record ? ` for ${record.name}${recordName(record, row)}` : '';
  const literal = call.quote(writeJson(sent, { indent: false, escapeControls: true }));
  const what = field.secret || field.sensitive ? '' : ` ${shortened(literal, 60)}`;
  const why = sent === undefined ? `no ${path}${owner}` : `${path}${what}${owner}, not ${expectedTexts[field.kind]}`;
  return lostReplyError(call, `the service sent ${call.quote(why)}`);
}

const expectedTexts: Readonly<Record<Kind, string>> = {
  text: 'text',
  choice: 'text',
  integer: 'a whole number',
  flag: 'true or false',
  instant: 'a time',
  many: 'a list',
  group: 'an object',
  map: 'an object',
  opaque: 'a value',
};

function recordName({ id, fields }: RecordType, row: JsonObject): string {
  const text = ['name', 'username', 'email', id]
    .filter((name) => Object.hasOwn(fields, name))
    // The field is read through its descriptor, because a getter of the row may throw.
    .map((name) => Object.getOwnPropertyDescriptor(row, name)?.value)
    .find((value) => typeof value === 'string' || typeof value === 'number');
  return text === undefined ? '' : ` ${text}`;
}
