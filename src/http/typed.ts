import {
  type Field,
  type FieldKind,
  type Fields,
  isAllowedNumber,
  matchesField,
  matchesFields,
  mayBeAbsent,
  sentNameOf,
} from '../contract/field.ts';
import type { RecordType } from '../contract/record.ts';
import { isObject, type JsonObject, withOriginal } from '../contract/values/json.ts';
import { shortened } from '../contract/values/text.ts';
import { spellingOf } from '../json/read.ts';
import { writeJson } from '../json/write.ts';
import { type CallParts, lostReplyError } from './call-error.ts';

export interface ConversionOptions {
  /** True for the reply to a read. The reply to a write may lack required fields. */
  readonly isRead: boolean;
  /** Creates the error that is thrown when a field with an unreadable value is read. */
  readonly mismatchError: (mismatch: TypeMismatch, row: JsonObject) => Error;
}

/**
 * Converts each declared field to its type (`"2"` to 2) and each alias to the declared name. An unreadable value
 * throws only when its field is read, so a list still shows the other fields.
 */
export function typedRow<Row>(fields: Fields, row: Row, conversionOptions: ConversionOptions): Row {
  // A list may have millions of rows, and most need no conversion, so no copy is made of such a row.
  if (!isObject(row) || matchesFields(fields, row)) return row;
  return typedObject(fields, row, { ...conversionOptions, row, prefix: '' }) as Row;
}

interface FieldPosition extends ConversionOptions {
  readonly row: JsonObject;
  /** The path in front of a field's name: `servers.`, or empty. */
  readonly prefix: string;
}

function typedObject(fields: Fields, sentObject: JsonObject, position: FieldPosition): JsonObject {
  const conversions: { readonly name: string; readonly key: string; readonly value: unknown }[] = [];
  for (const name in fields) {
    const field = fields[name] as Field;
    const key = sentNameOf(sentObject, name, field);
    if (key === name && matchesField(field, sentObject[name])) continue;
    conversions.push({ name, key, value: readTypedValue(field, sentObject, key, position) });
  }
  const hasChange = conversions.some(({ key, value }) => Object.hasOwn(sentObject, key) && value !== sentObject[key]);
  const converted = hasChange ? withOriginal({ ...sentObject }, sentObject) : sentObject;
  for (const { name, key, value } of conversions) {
    for (const property of new Set([name, key])) {
      const enumerable = property === key && Object.hasOwn(sentObject, key) && !(value instanceof TypeMismatch);
      Object.defineProperty(converted, property, { ...descriptorOf(value, position), enumerable });
    }
  }
  return converted;
}

function descriptorOf(value: unknown, { mismatchError, row }: FieldPosition): PropertyDescriptor {
  if (!(value instanceof TypeMismatch)) return { configurable: true, enumerable: true, value };
  const get = () => {
    throw mismatchError(value, row);
  };
  return { configurable: true, enumerable: true, get };
}

function readTypedValue(field: Field, holder: object, key: string, position: FieldPosition): unknown {
  const sent: unknown = Reflect.get(holder, key);
  if (matchesField(field, sent)) return sent;
  const path = `${position.prefix}${key}`;
  const isNothing = sent === undefined || sent === null || (field.kind !== 'text' && (sent === '' || sent === 'null'));
  const value = isNothing ? null : readers[field.kind](field, sent, { ...position, holder, key, prefix: `${path}.` });
  if (value === undefined) return new TypeMismatch(path, field, sent);
  if (value !== null || mayBeAbsent(field)) return value;
  if (sent === undefined && !position.isRead) return undefined;
  return new TypeMismatch(path, field, undefined);
}

type InnerPosition = FieldPosition & { readonly holder: object; readonly key: string };
type Reader = (field: Field, sentValue: unknown, position: InnerPosition) => unknown;

/** For each kind of field, a function that converts a value of another type, or returns undefined if it cannot. */
const readers: Readonly<Record<Field['kind'], Reader>> = {
  text: (_, sentValue, { holder, key }) => spellingOf(holder, key) ?? writeJson(sentValue),
  choice: () => undefined,
  integer: readInteger,
  flag: (_, sentValue) => readFlag(sentValue),
  instant: () => undefined,
  many: ({ of }, sentValue, position) => readItems(of as Field, sentValue, position),
  map: ({ of }, sentValue, position) => readMap(of as Field, sentValue, position),
  group: ({ of }, sentValue, position) => readGroup(of as Fields, sentValue, position),
  opaque: (_, sentValue) => sentValue,
};

function readInteger(field: Field, sentValue: unknown, { key }: InnerPosition): unknown {
  // Nothing is computed with an ID, so an ID may be larger than a safe integer.
  if (typeof sentValue === 'bigint') return /(^|_)id$/.test(key) ? sentValue : undefined;
  if (typeof sentValue !== 'string') return undefined;
  const digits = field.unit === 'percent' ? sentValue.replace(/ ?%$/, '') : sentValue;
  const isNumber = /^-?\d{1,15}(\.\d+)?$/.test(digits.trim()) && isAllowedNumber(field, Number(digits));
  return isNumber ? Number(digits) : undefined;
}

const yesValues: readonly unknown[] = [true, 'true', 'yes', '1', 1];
const noValues: readonly unknown[] = [false, 'false', 'no', '0', 0];

export function readFlag(sentValue: unknown): boolean | undefined {
  const word = typeof sentValue === 'string' ? sentValue.toLowerCase() : sentValue;
  if (yesValues.includes(word)) return true;
  return noValues.includes(word) ? false : undefined;
}

function readItems(of: Field, sentValue: unknown, position: InnerPosition): unknown {
  if (isObject(sentValue) && Object.keys(sentValue).length === 0) return withOriginal([], sentValue);
  // Some services send a list with one item as that item alone.
  if (typeof sentValue === 'string') {
    const item = readTypedValue(of, position.holder, position.key, position);
    return item instanceof TypeMismatch ? item : withOriginal([item], sentValue);
  }
  if (!Array.isArray(sentValue)) return undefined;
  const items = sentValue.map((_, at) => readTypedValue(of, sentValue, String(at), position));
  const mismatch = items.find((item) => item instanceof TypeMismatch);
  return mismatch ?? (items.every((item, at) => item === sentValue[at]) ? sentValue : withOriginal(items, sentValue));
}

function readMap(of: Field, sentValue: unknown, position: InnerPosition): unknown {
  // Some languages write an empty map as an empty list.
  if (Array.isArray(sentValue) && sentValue.length === 0) return withOriginal({}, sentValue);
  if (!isObject(sentValue)) return undefined;
  const convertedMap = withOriginal({}, sentValue);
  for (const key of Object.keys(sentValue)) {
    const value = readTypedValue(of, sentValue, key, position);
    // If the value has the wrong type, the new property is a getter that throws.
    Object.defineProperty(convertedMap, key, descriptorOf(value, position));
  }
  return convertedMap;
}

function readGroup(fields: Fields, sentValue: unknown, position: InnerPosition): unknown {
  if (isObject(sentValue)) return typedObject(fields, sentValue, position);
  if (typeof sentValue !== 'string' && typeof sentValue !== 'number') return undefined;
  // Some services send only one field of a group: its code (a whole number) or its word.
  const kind = Number.isInteger(Number(sentValue)) ? 'integer' : 'text';
  const names = Object.keys(fields);
  const name = names.find((key) => fields[key]?.kind === kind) ?? names.find((key) => fields[key]?.kind === 'text');
  return name && withOriginal(typedObject(fields, { [name]: sentValue }, position), sentValue);
}

/** A value of the wrong type. `sentValue` is undefined if a required field is missing. */
class TypeMismatch {
  /** The path of the field in its row: `servers.web-1`. */
  readonly path: string;
  readonly field: Field;
  readonly sentValue: unknown;

  constructor(path: string, field: Field, sentValue: unknown) {
    this.path = path;
    this.field = field;
    this.sentValue = sentValue;
  }
}

/** Creates an error: `the service sent servers.web-1 "many" for process web, not a whole number`. */
export function typeMismatchError(call: CallParts, { path, field, sentValue }: TypeMismatch, row: JsonObject) {
  const { record } = call.operation.reply;
  const owner = record ? ` for ${record.name}${recordName(record, row)}` : '';
  const literal = call.quote(writeJson(sentValue, { escapeControls: true }));
  const quoted = field.secret || field.sensitive ? '' : ` ${shortened(literal, 60)}`;
  const why =
    sentValue === undefined ? `no ${path}${owner}` : `${path}${quoted}${owner}, not ${expectedTexts[field.kind]}`;
  return lostReplyError(call, `the service sent ${call.quote(why)}`);
}

const expectedTexts: Readonly<Record<FieldKind, string>> = {
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
