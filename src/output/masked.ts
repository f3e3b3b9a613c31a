import type { Presentation } from '../contract/command.ts';
import { type Field, type Fields, holdsSecret } from '../contract/field.ts';
import type { RecordType, Row } from '../contract/record.ts';
import { isObject, originalOf, readableValue, withOriginal } from '../contract/values/json.ts';
import { mask, maskSecretsInText, secretInTextPattern } from '../contract/values/text.ts';
import { copySpellings } from '../json/read.ts';
import { innerFields } from './field-path.ts';
import type { Result } from './result.ts';

/** Masks each secret as `***`, except those in `revealed`. In JSON and YAML, `masked` lists the masked fields. */
export function maskResult(result: Result): Result {
  const { value, reply, presentation, revealed } = result;
  return {
    ...result,
    value: reply?.record ? maskValue(reply.record, value, revealed) : value,
    presentation: maskPresentation(presentation, revealed),
  };
}

function maskPresentation(presentation: Presentation, revealed: Result['revealed']): Presentation {
  switch (presentation.kind) {
    case 'table':
    case 'screen':
      return { ...presentation, rows: presentation.rows.map((row) => maskRow(presentation.record, row, revealed)) };
    case 'detail':
      return { ...presentation, row: maskRow(presentation.record, presentation.row, revealed) };
    default:
      return presentation;
  }
}

function maskValue(record: RecordType, value: unknown, revealed: Result['revealed']): unknown {
  if (isObject(value)) return maskRow(record, value, revealed);
  if (!Array.isArray(value)) return value;
  const rows = value.map((row) => maskValue(record, row, revealed));
  // If nothing is masked, the list itself is returned, because a new list would lose the spelling of its numbers.
  return rows.every((row, at) => row === value[at]) ? value : rows;
}

function maskRow({ fields, isSecret }: RecordType, row: Row, revealed: Result['revealed'] = []): Row {
  const maskableFields = secretFields(fields, revealed);
  const readableRow = maskableFields.length > 0 && (readableValue(row) as Row);
  const fieldsToMask =
    readableRow && (isSecret ? isSecret(readableRow) : readableRow['is_password'] !== false) ? maskableFields : [];
  const sentRow = originalOf(row) as Row;
  const maskedPaths = new Set<string>();
  const maskText = (text: string, path: string): string => {
    if (revealed.includes(path)) return text;
    maskedPaths.add(path);
    return maskSecretsInText(text);
  };
  const maskedRow = maskFields(fieldsToMask, sentRow, (path) => maskedPaths.add(path));
  const fullyMaskedRow = maskSecretTexts(maskedRow, maskText);
  if (maskedPaths.size === 0) return row;
  const rowWithMaskedPaths = { ...fullyMaskedRow, masked: [...maskedPaths] };
  copySpellings(sentRow, rowWithMaskedPaths);
  if (row === sentRow) return rowWithMaskedPaths;
  const typedRow = Object.defineProperties({}, Object.getOwnPropertyDescriptors(row)) as Row;
  return withOriginal(maskSecretTexts(maskTypedRow(fieldsToMask, typedRow), maskText), rowWithMaskedPaths);
}

function maskSecretTexts<Value>(value: Value, maskText: (text: string, path: string) => string, path = ''): Value {
  if (!holdsSecretText(value)) return value;
  if (typeof value === 'string') return maskText(value, path) as Value;
  const copy = Array.isArray(value) ? [] : {};
  for (const [key, property] of Object.entries(Object.getOwnPropertyDescriptors(value))) {
    const innerPath = Array.isArray(value) || path === '' ? path || key : `${path}.${key}`;
    const maskedDescriptor = 'value' in property && { value: maskSecretTexts(property.value, maskText, innerPath) };
    Object.defineProperty(copy, key, { ...property, ...maskedDescriptor });
  }
  copySpellings(value as object, copy);
  const sentValue = originalOf(value);
  return (sentValue === value ? copy : withOriginal(copy, maskSecretTexts(sentValue, maskText, path))) as Value;
}

function holdsSecretText(value: unknown): boolean {
  if (typeof value === 'string') return /:\/\/|=/.test(value) && secretInTextPattern.test(value);
  if (typeof value !== 'object' || value === null) return false;
  const sentValue = originalOf(value);
  return sentValue === value ? Object.values(value).some(holdsSecretText) : holdsSecretText(sentValue);
}

/** Secret fields, one entry for the name and for each alias under which a row may hold the field. */
type SecretFields = readonly { readonly name: string; readonly key: string; readonly field: Field }[];

const secretFieldsCache = new WeakMap<Fields, SecretFields>();

function secretFields(fields: Fields, revealed: readonly string[]): SecretFields {
  const allSecretFields =
    secretFieldsCache.get(fields) ??
    Object.entries(fields).flatMap(([name, field]) =>
      holdsSecret(field) ? [name, ...(field.aliases ?? [])].map((key) => ({ name, key, field })) : [],
    );
  secretFieldsCache.set(fields, allSecretFields);
  return revealed.length === 0 ? allSecretFields : allSecretFields.filter(({ name }) => !revealed.includes(name));
}

function maskFields(fieldsToMask: SecretFields, sentRow: Row, onMasked: (path: string) => void): Row {
  const maskedRow: Record<string, unknown> = { ...sentRow };
  for (const { key, field } of fieldsToMask) {
    if (Object.hasOwn(sentRow, key)) maskedRow[key] = maskField(field, sentRow[key], key, onMasked);
  }
  copySpellings(sentRow, maskedRow);
  return maskedRow;
}

/** Masks a value or the secrets within it, and calls `onMasked` for each. Null and empty values are no secrets. */
function maskField(field: Field, value: unknown, path: string, onMasked: (path: string) => void): unknown {
  if (value === undefined || value === null || value === '') return value;
  if (field.secret) {
    onMasked(path);
    return mask;
  }
  if (Array.isArray(value)) return value.map((item) => maskField(field, item, path, onMasked));
  if (!isObject(value)) return value;
  return maskFields(secretFields(innerFields(field) ?? {}, []), value, (innerPath) => onMasked(`${path}.${innerPath}`));
}

function maskTypedRow(fieldsToMask: SecretFields, typed: Row): Row {
  for (const { key, field } of fieldsToMask) {
    const property = Object.getOwnPropertyDescriptor(typed, key);
    if (!property || !('value' in property)) continue;
    Object.defineProperty(typed, key, { ...property, value: maskField(field, property.value, key, () => undefined) });
  }
  return typed;
}
