import type { Audience, Context } from '../../../contract/command.ts';
import type { Variable } from '../../../resources/env.ts';
import { settingText } from '../../../resources/setting.ts';

const longest = 40;
const secretName = /PASSW|SECRET|TOKEN|CREDENTIAL|PRIVATE|(?:^|_)(?:KEY|PASS|PWD)(?:_|$)/i;
const addressWithPassword = /:\/\/[^/\s@]*:[^/\s@]*@/;

/**
 * Whether a value must not appear in a sentence, which logs keep. The service marks only some secrets, so names that
 * suggest one and URLs with a password count too.
 */
export function isSecret({ key, value, is_password }: Pick<Variable, 'key' | 'value' | 'is_password'>): boolean {
  return is_password !== false || secretName.test(key) || addressWithPassword.test(settingText(value));
}

/** Services that hide a password send this in its place, which must never be taken for the value. */
export function isPlaceholder({ value, is_password }: Pick<Variable, 'value' | 'is_password'>): boolean {
  return is_password !== false && /^[*•]{3,}$/.test(settingText(value));
}

/** A value in a sentence: `debug`, `""`, shortened when it is long. A secret is `***`, at a terminal with its length. */
export function shownValue(value: string, secret: boolean, { terminal }: Audience): string {
  const characters = [...value];
  if (secret && !terminal) return '***';
  if (secret) return `*** (${characters.length} ${characters.length === 1 ? 'character' : 'characters'})`;
  if (value === '') return '""';
  return characters.length <= longest ? value : `${characters.slice(0, longest - 1).join('')}…`;
}

/** Says which variables are left out, because their values are not known. */
export function warnOfHidden(context: Context, hidden: readonly Pick<Variable, 'key'>[]): void {
  if (hidden.length === 0) return;
  const names = hidden.map(({ key }) => key).join(', ');
  context.warn(`left out, because the service sends *** instead of the value: ${names}`);
}

/** Values by name; those that the service hides are left out with a warning. */
export function knownValues(context: Context, rows: readonly Variable[]): ReadonlyMap<string, string> {
  warnOfHidden(context, rows.filter(isPlaceholder));
  return new Map(rows.filter((row) => !isPlaceholder(row)).map((row) => [row.key, settingText(row.value)]));
}
