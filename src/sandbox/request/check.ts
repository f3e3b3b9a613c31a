import type { Field, Fields, Values } from '../../contract/field.ts';
import { isObject } from '../../contract/values/json.ts';
import { refuse } from '../context.ts';

export type RequestValues = Readonly<Record<string, unknown>>;

interface CheckOptions {
  /** If true, undeclared names are refused; otherwise they are ignored. */
  readonly strict: boolean;
  /** Prefix of names in messages, such as `operations[0].`. */
  readonly where?: string;
}

/** Refuses missing or invalid values with 400. A text of digits may be an integer: service.md has many as strings. */
export function checkFields<F extends Fields>(fields: F, input: RequestValues, options: CheckOptions): Values<F> {
  const { strict, where = '' } = options;
  const unknownName = Object.keys(input).find((name) => !Object.hasOwn(fields, name));
  if (strict && unknownName !== undefined) refuse(400, `unknown parameter "${where}${unknownName}"`);
  const checkedValues: Record<string, unknown> = {};
  for (const [name, field] of Object.entries(fields)) {
    const value = strict || !isEmptyOptional(field, input[name]) ? input[name] : undefined;
    if (value === null && (field.nullable || field.kind === 'opaque')) checkedValues[name] = null;
    else if (value !== undefined && value !== null)
      checkedValues[name] = checkField(field, value, { strict, where: `${where}${name}` });
    else if (field.presence === 'required') refuse(400, `parameter "${where}${name}" is missing`);
  }
  return checkedValues as Values<F>;
}

function isEmptyOptional({ presence, range }: Field, value: unknown): boolean {
  // Some clients send every field, so an empty optional field means no value.
  if (presence === 'required') return false;
  return value === '' || (Array.isArray(value) && value.length === 0) || (value === 0 && (range?.[0] ?? 0) > 0);
}

function checkField(field: Field, input: unknown, options: Required<CheckOptions>): unknown {
  const isSentAsText = field.kind === 'text' || field.commas;
  const value = !options.strict && isSentAsText && Array.isArray(input) ? input.join(',') : input;
  const { where: name } = options;
  const checkInner = (innerValue: unknown, path: string): unknown =>
    checkField(field.of as Field, innerValue, { ...options, where: `${name}${path}` });
  switch (field.kind) {
    case 'text':
    case 'instant':
    case 'choice':
      return checkText(field, value, name);
    case 'integer':
      return checkInteger(field, value, name);
    case 'flag':
      return checkFlag(value, name);
    case 'many': {
      const texts = field.commas && requireText(value, name).split(',');
      const items: unknown = texts ? texts.map((text) => text.trim()) : value;
      if (!Array.isArray(items)) return refuse(400, `parameter "${name}" must be an array`);
      return items.map((item, at) => checkInner(item, `[${at}]`));
    }
    case 'group':
      return checkFields(field.of as Fields, requireObject(value, name), { ...options, where: `${name}.` });
    case 'map': {
      const entries = Object.entries(requireObject(value, name));
      return Object.fromEntries(entries.map(([key, each]) => [key, checkInner(each, `.${key}`)]));
    }
    case 'opaque':
      return value;
  }
}

function checkText({ choices, open, maxLength }: Field, value: unknown, name: string): string {
  const text = requireText(value, name);
  if (choices && !open && !choices.includes(text)) {
    refuse(400, `parameter "${name}" must be one of ${choices.join(', ')}; got "${text}"`);
  }
  if (maxLength !== undefined && [...text].length > maxLength) {
    refuse(400, `parameter "${name}" must have at most ${maxLength} characters`);
  }
  return text;
}

function requireText(value: unknown, name: string): string {
  return typeof value === 'string' ? value : refuse(400, `parameter "${name}" must be a string`);
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

function requireObject(value: unknown, name: string): RequestValues {
  return isObject(value) ? value : refuse(400, `parameter "${name}" must be an object`);
}
