import type { Context } from '../../contract/command.ts';
import { many, type NameKind, text } from '../../contract/field.ts';
import { CliError, type Correction, type ErrorDetails } from '../../errors/cli-error.ts';
import { nearest } from '../../errors/nearest.ts';
import { readPair } from '../../fields/read-value.ts';
import { type ConfigLocation, configFilePath, type ProfileChanges } from '../../settings/config-file.ts';
import { normaliseSetting } from '../../settings/settings.ts';
import { isSettingName, type SettingName, settingNames, settingTable } from '../../settings/table.ts';

export function locateConfig({ host, warn }: Context): ConfigLocation {
  return { file: configFilePath(host.folders()), warn };
}

export function declareSettingWords(nameKind: NameKind, about = 'Values.') {
  return many(text('A setting.', { nameKind }), about, {
    empty: 'key= removes one.',
    label: 'key=value',
    assigns: [],
    repeats: true,
  });
}

/** Reads `key=value…` as changes; `key=` unsets a key. Throws `usage` for a bad value or a key not in `allowed`. */
export function readSettingWords(words: readonly string[], allowed: readonly SettingName[]): ProfileChanges {
  return Object.fromEntries(
    words.map((word) => {
      const name = checkSettingName(word, allowed);
      const [, value] = readPair(word);
      return [name, value === '' ? undefined : normaliseSetting(name, value)];
    }),
  );
}

/** Returns the setting that `name` or `name=value` names. Throws `usage` if the setting is not in `allowed`. */
export function checkSettingName(word: string, allowed: readonly SettingName[], verb = 'set'): SettingName {
  const name = word.replace(/=.*$/s, '');
  if (isSettingName(name) && allowed.includes(name)) return name;
  const allowedText = allowed.join(', ');
  if (isSettingName(name) && settingTable[name].stored === 'profile') {
    const correction = correctTo(word, name, allowed, verb);
    throw new CliError('usage', `setting "${name}" belongs to a profile; known here: ${allowedText}`, { correction });
  }
  const profileSettingNames = settingNames().filter((one) => settingTable[one].stored === 'profile');
  const nearName = (nearest(name, allowed) ?? nearest(name, profileSettingNames)) as SettingName | undefined;
  const guess = nearName === undefined ? '' : ` (did you mean "${nearName}"?)`;
  const details =
    nearName === undefined ? suggestOtherCommand(name, verb) : { correction: correctTo(word, nearName, allowed, verb) };
  throw new CliError('usage', `unknown setting "${name}"${guess}; known: ${allowedText}`, details);
}

function suggestOtherCommand(name: string, verb: string): ErrorDetails {
  if (/token|secret|password/i.test(name)) return { hint: { path: 'auth login', flags: ['--token-stdin'] } };
  return /^[A-Z][A-Z\d_]*$/.test(name) ? { correction: { path: `stack env ${verb}` } } : {};
}

function correctTo(word: string, name: SettingName, allowed: readonly SettingName[], verb: string): Correction {
  const isProfileSetting = settingTable[name].stored === 'profile' && !allowed.includes(name);
  const newWord = isProfileSetting && verb === 'unset' ? `${name}=` : word.replace(/^[^=]*/, name);
  return { ...(isProfileSetting && { path: 'profile set' }), replace: { word, by: [newWord] } };
}
