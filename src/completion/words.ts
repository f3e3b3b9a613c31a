import type { Command } from '../contract/command.ts';
import type { SettingName, SettingSpec } from '../settings/table.ts';
import type { Candidate } from './candidate.ts';

export const methods = ['GET', 'POST', 'PUT', 'PATCH', 'DELETE'];
/** What stands in front of the id of something that is tagged. */
export const entityKinds = ['server/', 'loadbalancer/'];

/** Every field of what a command prints, or of the rows of its table. */
export async function fieldNames(
  { output: { reply, table } }: Command,
  isOfTable: boolean,
): Promise<readonly Candidate[]> {
  const { fieldAt, fieldsOf, knownPaths } = await import('../output/field-path.ts');
  const fields = (isOfTable && table?.fields) || (reply && fieldsOf(reply)) || {};
  return knownPaths(fields).map((value) => ({ value, about: fieldAt(fields, value)?.about ?? '' }));
}

/** Names of settings: all that there are, or for a word that sets one those that can be kept. */
export async function settingWords(names: 'setting' | 'preference', isSet: boolean): Promise<readonly Candidate[]> {
  const { settingNames, settingTable } = await import('../settings/table.ts');
  const isWanted = (name: SettingName) => {
    const { stored } = settingTable[name];
    return names === 'preference' ? stored === 'anywhere' : !isSet || stored !== 'nowhere';
  };
  return settingNames()
    .filter(isWanted)
    .map((name) => ({ value: name, about: settingTable[name].about }));
}

/** What a setting may be, where that is a few words. */
export async function wordsOfSetting(
  isWanted: (setting: SettingSpec, name: SettingName) => boolean,
): Promise<readonly string[]> {
  const { settingNames, settingTable } = await import('../settings/table.ts');
  const name = settingNames().find((one) => isWanted(settingTable[one], one));
  return (name && settingTable[name].check.words) ?? [];
}
