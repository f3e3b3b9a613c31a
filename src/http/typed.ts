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
  /** True for reads; the answer to a write may hold less than a row. */
  readonly isRead: boolean;
  /** Creates the error that a getter throws for an unreadable value. */
  readonly refuse: (mismatch: TypeMismatch, row: JsonObject) => Error;
}

/**
 * Converts each declared field to its type (`"2"` to 2, `"false"` to false) and each alias to the declared name. An
 * unreadable value throws only when its field is read, so a list still shows the other fields. A converted row keeps
 * its original.
 */
export function typedRow<Row>(fields: Fields, row: Row, reading: RowReading): Row {
  // Most rows are already as declared, and a list may have millions: these are returned unchanged.
  if (!isObject(row) || matchesFields(fields, row)) return row;
  return typedObject(fields, row, { ...reading, row, above: '' }) as Row;
}

interface Position extends RowReading {
  readonly row: JsonObject;
  /** The path before the name of a field: `servers.` */
  readonly above: string;
}

function typedObject(fields: Fields, sent: JsonObject, position: Position): JsonObject {
  const changes: { readonly name: string; readonly found: string; readonly value: unknown }[] = [];
  for (const name in fields) {
    const field = fields[name] as Field;
    const found = sentNameOf(sent, name, field);
    if (found === name && matches(field, sent[name])) continue;
    changes.push({ name, found, value: valueIn(field, sent, found, position) });
  }
  const differs = changes.some(({ found, value }) => Object.hasOwn(sent, found) && value !== sent[found]);
  const typed = differs ? withOriginal({ ...sent }, sent) : sent;
  for (const { name, found, value } of changes) {
    for (const key of new Set([name, found])) {
      const enumerable = key === found && Object.hasOwn(sent, key) && !(value instanceof TypeMismatch);
      Object.defineProperty(typed, key, { configurable: true, enumerable, ...asProperty(value, position) });
    }
  }
  return typed;
}

function asProperty(value: unknown, { refuse, row }: Position): PropertyDescriptor {
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
  const path = `${position.above}${key}`;
  const isNothing = sent === undefined || sent === null || (field.kind !== 'text' && (sent === '' || sent === 'null'));
  const value = isNothing ? null : readers[field.kind](field, sent, { ...position, holder, key, above: `${path}.` });
  if (value === undefined) return new TypeMismatch(path, field, sent);
  if (value !== null || mayBeAbsent(field)) return value;
  if (sent === undefined && !position.isRead) return undefined;
  return new TypeMismatch(path, field, undefined);
}

type Inside = Position & { readonly holder: object; readonly key: string };
type Reader = (field: Field, sent: unknown, inside: Inside) => unknown;

const oneLine = { indent: false, escapeControls: false };

/** Each reader converts a value of another type; undefined when it cannot. */
const readers: Readonly<Record<Field['kind'], Reader>> = {
  text: (_, sent, { holder, key }) => spellingOf(holder, key) ?? writeJson(sent, oneLine),
  choice: () => undefined,
  integer: readInteger,
  flag: (_, sent) => readFlag(sent),
  instant: () => undefined,
  many: ({ of }, sent, inside) => readItems(of as Field, sent, inside),
  map: ({ of }, sent, inside) => readMap(of as Field, sent, inside),
  group: ({ of }, sent, inside) => readGroup(of as Fields, sent, inside),
  opaque: (_, sent) => sent,
};

function readInteger(field: Field, sent: unknown, { key }: Inside): unknown {
  // An id is never computed with, so its digits may exceed a safe integer.
  if (typeof sent === 'bigint') return /(^|_)id$/.test(key) ? sent : undefined;
  if (typeof sent !== 'string') return undefined;
  const digits = field.unit === 'percent' ? sent.replace(/ ?%$/, '') : sent;
  return /^-?\d{1,15}(\.\d+)?$/.test(digits.trim()) && mayBeNumber(field, Number(digits)) ? Number(digits) : undefined;
}

const yes: readonly unknown[] = [true, 'true', 'yes', '1', 1];
const no: readonly unknown[] = [false, 'false', 'no', '0', 0];

export function readFlag(sent: unknown): boolean | undefined {
  const word = typeof sent === 'string' ? sent.toLowerCase() : sent;
  if (yes.includes(word)) return true;
  return no.includes(word) ? false : undefined;
}

function readItems(of: Field, sent: unknown, inside: Inside): unknown {
  if (isObject(sent) && Object.keys(sent).length === 0) return withOriginal([], sent);
  // Services may send a single item without its list.
  if (typeof sent === 'string') {
    const only = valueIn(of, inside.holder, inside.key, inside);
    return only instanceof TypeMismatch ? only : withOriginal([only], sent);
  }
  if (!Array.isArray(sent)) return undefined;
  const items = sent.map((_, at) => valueIn(of, sent, String(at), inside));
  const mismatch = items.find((item) => item instanceof TypeMismatch);
  return mismatch ?? (items.every((item, at) => item === sent[at]) ? sent : withOriginal(items, sent));
}

function readMap(of: Field, sent: unknown, inside: Inside): unknown {
  // Some languages write an empty map as an empty list and the reverse.
  if (Array.isArray(sent) && sent.length === 0) return withOriginal({}, sent);
  if (!isObject(sent)) return undefined;
  const typed = withOriginal({}, sent);
  for (const key of Object.keys(sent)) {
    const value = valueIn(of, sent, key, inside);
    // The property is a getter that throws for a value of the wrong type.
    Object.defineProperty(typed, key, { configurable: true, enumerable: true, ...asProperty(value, inside) });
  }
  return typed;
}

function readGroup(fields: Fields, sent: unknown, inside: Inside): unknown {
  if (isObject(sent)) return typedObject(fields, sent, inside);
  if (typeof sent !== 'string' && typeof sent !== 'number') return undefined;
  // Services may send only the code or the word of a group.
  const kind = Number.isInteger(Number(sent)) ? 'integer' : 'text';
  const names = Object.keys(fields);
  const name = names.find((one) => fields[one]?.kind === kind) ?? names.find((one) => fields[one]?.kind === 'text');
  return name && withOriginal(typedObject(fields, { [name]: sent }, inside), sent);
}

/** A value of the wrong type; `sent` is undefined when a required field is missing. */
class TypeMismatch {
  /** `servers.web-1` */
  readonly path: string;
  readonly field: Field;
  readonly sent: unknown;

  constructor(path: string, field: Field, sent: unknown) {
    this.path = path;
    this.field = field;
    this.sent = sent;
  }
}

/** `the service sent servers.web-1 "many" for process web, not a whole number` */
export function typeMismatchError(call: CallParts, { path, field, sent }: TypeMismatch, row: JsonObject): CliError {
  const { record } = call.operation.reply;
  const whose = record ? ` for ${record.name}${recordName(record, row)}` : '';
  const literal = call.quote(writeJson(sent, { indent: false, escapeControls: true }));
  const what = field.secret || field.sensitive ? '' : ` ${shortened(literal, 60)}`;
  const why = sent === undefined ? `no ${path}${whose}` : `${path}${what}${whose}, not ${expectedTexts[field.kind]}`;
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
  const found = ['name', 'username', 'email', id]
    .filter((name) => Object.hasOwn(fields, name))
    // The descriptor does not call a getter, which may throw.
    .map((name) => Object.getOwnPropertyDescriptor(row, name)?.value)
    .find((value) => typeof value === 'string' || typeof value === 'number');
  return found === undefined ? '' : ` ${found}`;
}
