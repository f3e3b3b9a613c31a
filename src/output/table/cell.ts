import { type Field, isField } from '../../contract/field.ts';
import type { Row } from '../../contract/record.ts';
import { isObject, readableValue } from '../../contract/values/json.ts';
import { sizeText } from '../../contract/values/text.ts';
import { isoText, readInstant, relativeText } from '../../contract/values/time.ts';
import { writeJson } from '../../json/write.ts';
import { innerFields } from '../field-path.ts';
import { safeText } from '../safe/safe-text.ts';
import type { View } from '../view.ts';
import type { Tone } from './theme.ts';

const missingText = '-';

/** True for a table on a terminal, in which values are written for a human reader, with relative times and units. */
export function isHumanReadable({ format, terminal }: View): boolean {
  return format === 'table' && terminal;
}

/** Returns a value as one line of text for a table; `-` without a value. An empty secret is shown as empty. */
export function cellText(field: Field, value: unknown, view: View): string {
  const text = unescapedText(field, value, view);
  if (field.secret) return safeText(text ?? missingText);
  return visibleText(text || missingText, view);
}

/** Returns a value without a declared type as visible text; `-` without a value. */
export function visibleText(value: unknown, { redact }: Pick<View, 'redact'>): string {
  return safeText(redact(value == null ? missingText : plainString(value)));
}

/** Returns a cell of a tab-separated row. Tab, line feed, carriage return and backslash become two characters. */
export function tsvCellText(field: Field, value: unknown, view: View): string {
  return safeText((unescapedText(field, value, view) ?? missingText).replaceAll('\\', '\\\\'));
}

/** Returns the tone of a code or a fixed word, such as `failed`; undefined for other fields. */
export function fieldTone(field: Field, text: string): Tone | undefined {
  const isCode = field.meanings !== undefined || field.kind === 'choice' || isCodedGroup(field);
  return isCode ? stateTone(text) : undefined;
}

export function stateTone(state: string): Tone | undefined {
  return (['good', 'warn', 'bad'] as const).find((tone) => statesByTone[tone].includes(state));
}

const statesByTone = {
  good: ['success', 'deployed', 'healthy', 'ok', 'live', 'held'],
  warn: ['pending', 'queued', 'deploying', 'building', 'impaired', 'warning', 'unclear', 'uneven', 'paused'],
  bad: ['failed', 'stale', 'none', 'unreadable', 'problem', 'refused', 'deployment failed', 'unable to analyse'],
};

export function unescapedText(field: Field, sentValue: unknown, view: View): string | undefined {
  const value = readableValue(sentValue);
  if (value === undefined || value === null) return isHumanReadable(view) ? field.absent : undefined;
  if (Array.isArray(value) && field.kind !== 'opaque') {
    return value.map((item) => itemText(field, item, view)).join(', ') || undefined;
  }
  switch (field.kind) {
    case 'flag':
      if (typeof value !== 'boolean') return plainString(value);
      return value ? 'yes' : 'no';
    case 'instant':
      return instantText(value, view);
    case 'integer':
      return integerText(field, value, view);
    case 'group':
    case 'map':
      return isObject(value) ? groupText(field, value, view) : plainString(value);
    default:
      return plainString(value);
  }
}

function instantText(value: unknown, view: View): string {
  const moment = typeof value === 'string' ? readInstant(value) : undefined;
  if (!moment) return plainString(value);
  return isHumanReadable(view) ? relativeText(moment, view.now) : isoText(moment);
}

function integerText(field: Field, value: unknown, view: View): string {
  if (typeof value !== 'number' && typeof value !== 'bigint') return plainString(value);
  const meaning = field.meanings?.[Number(value)];
  if (meaning !== undefined) return meaning;
  if (!isHumanReadable(view)) return String(value);
  if (field.unit === 'bytes') return sizeText(Number(value));
  if (field.unit === 'percent') return `${value} %`;
  return field.unit === 'seconds' ? `${value} s` : String(value);
}

function itemText(field: Field, sentValue: unknown, view: View): string {
  const item = readableValue(sentValue);
  const of = field.kind === 'many' ? field.of : field;
  if (!isField(of)) return plainString(item);
  // For a group in a list, only the first field of the group is shown.
  const [first] = Object.entries(innerFields(of) ?? {});
  const text = first && isObject(item) ? unescapedText(first[1], item[first[0]], view) : unescapedText(of, item, view);
  return text ?? missingText;
}

/** Returns the meaning of a group that holds a code and its meaning. Any other group becomes `a=1, b=2`. */
function groupText(field: Field, value: Row, view: View): string | undefined {
  const fields = innerFields(field) ?? {};
  const meaning = value['meaning'] ?? fields['code']?.meanings?.[Number(value['code'])];
  if (isCodedGroup(field) && meaning != null) return plainString(meaning);
  const memberTexts = Object.entries(value).map(([name, item]) => {
    const of = Object.hasOwn(fields, name) ? fields[name] : field.of;
    return `${name}=${isField(of) ? (unescapedText(of, item, view) ?? missingText) : plainString(item)}`;
  });
  return memberTexts.join(', ') || undefined;
}

function isCodedGroup(field: Field): boolean {
  return field.kind === 'group' && Object.hasOwn(innerFields(field) ?? {}, 'meaning');
}

function plainString(value: unknown): string {
  if (typeof value === 'string') return value;
  return typeof value === 'object' ? writeJson(value, { escapeControls: true }) : String(value);
}
