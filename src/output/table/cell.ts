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

/** True for relative times and sizes with units. */
export function isHumanReadable({ format, terminal }: View): boolean {
  return format === 'table' && terminal;
}

/** A value as one line for people; `-` without a value. An empty secret is shown as empty. */
export function cellText(field: Field, value: unknown, view: View): string {
  const text = plainText(field, value, view);
  if (field.secret) return safeText(text ?? missingText);
  return visibleText(text || missingText, view);
}

/** A value of no declared type as visible text: the service may send a number, or nothing. */
export function visibleText(value: unknown, { redact }: Pick<View, 'redact'>): string {
  return safeText(redact(value == null ? missingText : plainString(value)));
}

/** As `cellText`, for tab-separated rows: tab, line feed, carriage return and backslash become two characters. */
export function dataText(field: Field, value: unknown, view: View): string {
  return safeText((plainText(field, value, view) ?? missingText).replaceAll('\\', '\\\\'));
}

/** The colour of a code or a fixed word, such as `failed`; undefined for other fields. */
export function toneOf(field: Field, text: string): Tone | undefined {
  const coded = field.meanings !== undefined || field.kind === 'choice' || isCoded(field);
  return coded ? toneOfState(text) : undefined;
}

export function toneOfState(state: string): Tone | undefined {
  return (['good', 'warn', 'bad'] as const).find((tone) => states[tone].includes(state));
}

const states = {
  good: ['success', 'deployed', 'healthy', 'ok', 'live', 'held'],
  warn: ['pending', 'queued', 'deploying', 'building', 'impaired', 'warning', 'unclear', 'uneven', 'paused'],
  bad: ['failed', 'stale', 'none', 'unreadable', 'problem', 'refused', 'deployment failed', 'unable to analyse'],
};

/** One value as unescaped text; undefined without a value. */
export function plainText(field: Field, sent: unknown, view: View): string | undefined {
  const value = readableValue(sent);
  if (value === undefined || value === null) return isHumanReadable(view) ? field.absent : undefined;
  if (Array.isArray(value) && field.kind !== 'opaque') {
    return value.map((item) => itemWords(field, item, view)).join(', ') || undefined;
  }
  switch (field.kind) {
    case 'flag':
      return typeof value === 'boolean' ? yesOrNo(value) : plainString(value);
    case 'instant':
      return instantWords(value, view);
    case 'integer':
      return integerWords(field, value, view);
    case 'group':
    case 'map':
      return isObject(value) ? groupWords(field, value, view) : plainString(value);
    default:
      return plainString(value);
  }
}

function yesOrNo(value: boolean): string {
  return value ? 'yes' : 'no';
}

function instantWords(value: unknown, view: View): string {
  const moment = typeof value === 'string' ? readInstant(value) : undefined;
  if (!moment) return plainString(value);
  return isHumanReadable(view) ? relativeText(moment, view.now) : isoText(moment);
}

function integerWords(field: Field, value: unknown, view: View): string {
  if (typeof value !== 'number' && typeof value !== 'bigint') return plainString(value);
  const meaning = field.meanings?.[Number(value)];
  if (meaning !== undefined) return meaning;
  if (!isHumanReadable(view)) return String(value);
  if (field.unit === 'bytes') return sizeText(Number(value));
  if (field.unit === 'percent') return `${value} %`;
  return field.unit === 'seconds' ? `${value} s` : String(value);
}

function itemWords(field: Field, sent: unknown, view: View): string {
  const item = readableValue(sent);
  const of = field.kind === 'many' ? field.of : field;
  if (!isField(of)) return plainString(item);
  // A group shows its first field.
  const [first] = Object.entries(innerFields(of) ?? {});
  const shown = first && isObject(item) ? plainText(first[1], item[first[0]], view) : plainText(of, item, view);
  return shown ?? missingText;
}

/** A code with its meaning shows the meaning; other groups are `a=1, b=2`. */
function groupWords(field: Field, value: Row, view: View): string | undefined {
  const fields = innerFields(field) ?? {};
  const meaning = value['meaning'] ?? fields['code']?.meanings?.[Number(value['code'])];
  if (isCoded(field) && meaning != null) return plainString(meaning);
  const parts = Object.entries(value).map(([name, item]) => {
    const of = Object.hasOwn(fields, name) ? fields[name] : field.of;
    return `${name}=${isField(of) ? (plainText(of, item, view) ?? missingText) : plainString(item)}`;
  });
  return parts.join(', ') || undefined;
}

function isCoded(field: Field): boolean {
  return field.kind === 'group' && Object.hasOwn(innerFields(field) ?? {}, 'meaning');
}

function plainString(value: unknown): string {
  if (typeof value === 'string') return value;
  return typeof value === 'object' ? writeJson(value, { indent: false, escapeControls: true }) : String(value);
}
