import type { Field, Kind } from '../../contract/field.ts';
import type { RecordType } from '../../contract/record.ts';
import type { JsonObject } from '../../contract/values/json-object.ts';
import { shortened } from '../../contract/values/one-line.ts';
import type { CliError } from '../../errors/cli-error.ts';
import { writeJson } from '../../json/write.ts';
import { type CallParts, outcomeUnknown } from './outcome.ts';

/** A value of the wrong type; `sent` is undefined when a required field is missing. */
export class TypeMismatch {
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
  const why = sent === undefined ? `no ${path}${whose}` : `${path}${what}${whose}, not ${expected[field.kind]}`;
  return outcomeUnknown(call, `the service sent ${call.quote(why)}`);
}

const expected: Readonly<Record<Kind, string>> = {
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
