import type { Audience } from '../../contract/command.ts';
import type { Variable } from '../../resources/env.ts';
import { settingText } from '../../resources/setting.ts';

const longest = 40;
const secretName = /PASSW|SECRET|TOKEN|CREDENTIAL|PRIVATE|(?:^|_)(?:KEY|PASS|PWD)(?:_|$)/i;
const addressWithPassword = /:\/\/[^/\s@]*:[^/\s@]*@/;

/**
 * Whether a value has no place in a sentence, which logs keep. A service knows few secrets by itself, so names that say
 * it and addresses with a password count too.
 */
export function isSecret({ key, value, is_password }: Pick<Variable, 'key' | 'value' | 'is_password'>): boolean {
  return is_password !== false || secretName.test(key) || addressWithPassword.test(settingText(value));
}

/** A value in a sentence: `debug`, `""`, cut when it is long; of a secret its length at a terminal, `*** (12 characters)`, else nothing. */
export function shownValue(value: string, secret: boolean, { terminal }: Audience): string {
  const characters = [...value];
  if (secret && !terminal) return '***';
  if (secret) return `*** (${characters.length} ${characters.length === 1 ? 'character' : 'characters'})`;
  if (value === '') return '""';
  return characters.length <= longest ? value : `${characters.slice(0, longest - 1).join('')}…`;
}
