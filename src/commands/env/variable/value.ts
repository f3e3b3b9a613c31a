import type { Audience, Context } from '../../../contract/command.ts';
import { spellingOf } from '../../../json/spelling.ts';
import { writeJson } from '../../../json/write.ts';
import type { Variable } from '../../../resources/env.ts';

const longest = 40;

/** What holds a value as it was sent: a copy loses how its number was spelled. */
export interface ValueHolder {
  readonly value: unknown;
}

/** A value as text: a number as it was sent, `1.10`, and anything else that is no text as JSON. */
export function literalText(holder: ValueHolder): string {
  const { value } = holder;
  if (typeof value === 'string') return value;
  return spellingOf(holder, 'value') ?? writeJson(value ?? null, { indent: false, escapeControls: false });
}

/** The same; null where the service sent null. */
export function textOf(holder: ValueHolder): string | null {
  return holder.value == null ? null : literalText(holder);
}

/** Services that hide a password send this in its place, which must never be taken for the value. */
export function isPlaceholder(variable: Pick<Variable, 'is_password'> & ValueHolder): boolean {
  return variable.is_password !== false && /^[*•]{3,}$/.test(literalText(variable));
}

/** A value in a sentence: `debug`, `""`, shortened when it is long. A secret is `***`, at a terminal with its length. */
export function displayValue(value: string, secret: boolean, { terminal }: Audience): string {
  const characters = [...value];
  if (secret && !terminal) return '***';
  if (secret) return `*** (${characters.length} ${characters.length === 1 ? 'character' : 'characters'})`;
  if (value === '') return '""';
  return characters.length <= longest ? value : `${characters.slice(0, longest - 1).join('')}…`;
}

/** Says which variables are left out, because their values are not known. */
export function warnOfHidden(context: Context, hidden: readonly Pick<Variable, 'key'>[]): void {
  warnOfMissing(context, hidden, 'the service sends *** instead of the value');
}

function warnOfMissing(context: Context, missing: readonly Pick<Variable, 'key'>[], why: string): void {
  if (missing.length > 0) context.warn(`left out, because ${why}: ${missing.map(({ key }) => key).join(', ')}`);
}

/** Values by name; those that the service hides, or that are null, are left out with a warning. */
export function knownValues(context: Context, rows: readonly Variable[]): ReadonlyMap<string, string> {
  warnOfHidden(context, rows.filter(isPlaceholder));
  warnOfMissing(
    context,
    rows.filter((row) => textOf(row) === null),
    'the value is null',
  );
  const known = rows.filter((row) => !isPlaceholder(row) && textOf(row) !== null);
  return new Map(known.map((row) => [row.key, literalText(row)]));
}
