import type { Context } from '../../contract/command.ts';
import { many, type Names, text } from '../../contract/field.ts';
import { CliError } from '../../errors/cli-error.ts';
import { nearest } from '../../errors/nearest.ts';
import { readPair } from '../../fields/read-value.ts';
import { type ConfigLocation, configFile, type ProfileChanges } from '../../settings/config-file.ts';
import { checkSetting } from '../../settings/settings.ts';
import { isSettingName, type SettingName, settingTable } from '../../settings/table.ts';

export function configLocation({ host, warn }: Context): ConfigLocation {
  return { file: configFile(host.folders()), warn };
}

/** `key=value…` */
export function settingWords(names: Names, about = 'Values.') {
  return many(text('A setting.', { names }), about, {
    empty: 'key= removes one.',
    label: 'key=value',
    assigns: [],
    repeats: true,
  });
}

/**
 * Reads `key=value…` as changes; `key=` removes one. Throws usage for keys that cannot be saved here and for bad
 * values.
 */
export function readSettings(words: readonly string[], allowed: readonly SettingName[]): ProfileChanges {
  return Object.fromEntries(
    words.map((word) => {
      const name = checkName(word.replace(/=.*$/s, ''), allowed);
      const [, value] = readPair(word);
      return [name, value === '' ? undefined : checkSetting(name, value)];
    }),
  );
}

/** The setting of this name if it can be saved here; else throws usage that says where it is saved. */
export function checkName(name: string, allowed: readonly SettingName[], verb = 'set'): SettingName {
  if (isSettingName(name) && allowed.includes(name)) return name;
  const close = nearest(name, allowed);
  const secret = !isSettingName(name) && close === undefined && /token|secret|password/i.test(name);
  const isVariable = !secret && close === undefined && /^[A-Z][A-Z\d_]*$/.test(name);
  const elsewhere = isSettingName(name) && settingTable[name].stored === 'profile';
  const guess = close === undefined ? '' : ` (did you mean "${close}"?)`;
  const fault = elsewhere
    ? `setting "${name}" belongs to a profile; known here:`
    : `unknown setting "${name}"${guess}; known:`;
  throw new CliError('usage', `${fault} ${allowed.join(', ')}`, {
    ...(secret && { hint: { path: 'auth login', flags: ['--token-stdin'] } }),
    ...(isVariable && {
      hint: { path: `stack env ${verb}`, operands: [name], flags: verb === 'set' ? ['--stdin'] : [] },
    }),
    ...(elsewhere && { hint: { path: 'profile set', flags: ['--help'] } }),
  });
}
