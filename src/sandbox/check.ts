import type { Field, Fields } from '../contract/field.ts';
import { refuse } from './refusal.ts';

export type Given = Readonly<Record<string, unknown>>;

/**
 * Holds values against their declaration and returns them typed; throws 400 for unknown names, missing or
 * ill-typed values. Digits in a string pass for an integer: the document types many numbers as string.
 */
export function checkFields(fields: Fields, given: Given, where = ''): Record<string, unknown> {
  const unknown = Object.keys(given).find((name) => !Object.hasOwn(fields, name));
  if (unknown !== undefined) refuse(400, `unknown parameter "${where}${unknown}"`);
  const checked: Record<string, unknown> = {};
  for (const [name, field] of Object.entries(fields)) {
    const value = given[name];
    if (value === null && (field.nullable || field.kind === 'opaque')) checked[name] = null;
    else if (value !== undefined && value !== null) checked[name] = checkField(field, value, `${where}${name}`);
    else if (field.presence === 'required') refuse(400, `parameter "${where}${name}" is missing`);
  }
  return checked;
}

function checkField(field: Field, value: unknown, name: string): unknown {
  switch (field.kind) {
    case 'text':
    case 'instant':
    case 'choice':
      return checkText(field, value, name);
    case 'integer':
      return checkInteger(field, value, name);
    case 'flag':
      return checkFlag(value, name);
    case 'many':
      return checkMany(field.of as Field, field.commas ? splitCommas(value, name) : value, name);
    case 'group':
      return checkFields(field.of as Fields, asObject(value, name), `${name}.`);
    case 'map':
      return checkMap(field.of as Field, value, name);
    case 'opaque':
      return value;
  }
}

function checkText({ choices, open, maxLength }: Field, value: unknown, name: string): string {
  if (typeof value !== 'string') return refuse(400, `parameter "${name}" must be a string`);
  if (choices && !open && !choices.includes(value)) {
    refuse(400, `parameter "${name}" must be one of ${choices.join(', ')}; got "${value}"`);
  }
  if (maxLength !== undefined && [...value].length > maxLength) {
    refuse(400, `parameter "${name}" must have at most ${maxLength} characters`);
  }
  return value;
}

function checkInteger({ range }: Field, value: unknown, name: string): number {
  const number = typeof value === 'string' && /^-?\d+$/.test(value) ? Number(value) : value;
  if (!Number.isSafeInteger(number)) return refuse(400, `parameter "${name}" must be an integer`);
  const integer = Number(number);
  if (range && (integer < range[0] || integer > range[1])) {
    refuse(400, `parameter "${name}" must be from ${range[0]} to ${range[1]}; got ${integer}`);
  }
  return integer;
}

function checkFlag(value: unknown, name: string): boolean {
  if (value === true || value === 'true' || value === '1') return true;
  if (value === false || value === 'false' || value === '0') return false;
  return refuse(400, `parameter "${name}" must be true or false`);
}

function checkMany(item: Field, value: unknown, name: string): readonly unknown[] {
  if (!Array.isArray(value)) return refuse(400, `parameter "${name}" must be an array`);
  return value.map((each: unknown, index) => checkField(item, each, `${name}[${index}]`));
}

function splitCommas(value: unknown, name: string): readonly string[] {
  if (typeof value !== 'string') return refuse(400, `parameter "${name}" must be a string`);
  return value.split(',').map((each) => each.trim());
}

function checkMap(item: Field, value: unknown, name: string): Readonly<Record<string, unknown>> {
  const entries = Object.entries(asObject(value, name));
  return Object.fromEntries(entries.map(([key, each]) => [key, checkField(item, each, `${name}.${key}`)]));
}

function asObject(value: unknown, name: string): Given {
  if (typeof value === 'object' && value !== null && !Array.isArray(value)) return value as Given;
  return refuse(400, `parameter "${name}" must be an object`);
}
