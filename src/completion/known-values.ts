import type { Command } from '../contract/command.ts';
import type { Fields } from '../contract/field.ts';
import type { SettingName, SettingSpec } from '../settings/table.ts';
import type { Candidate } from './candidate.ts';

export const methods = ['GET', 'POST', 'PUT', 'PATCH', 'DELETE'];
/** Prefixes of the resources that can have tags. */
export const entityKinds = ['server/', 'loadbalancer/'];

/** The fields of a command's data, of its table, or of both where the line does not say which is printed. */
export async function fieldNames(
  { output: { reply, table } }: Command,
  shown: 'data' | 'table' | 'either',
): Promise<readonly Candidate[]> {
  const { fieldAt, fieldsOf, knownPaths } = await import('../output/field-path.ts');
  const ofData: Fields = (reply && fieldsOf(reply)) ?? {};
  const ofTable: Fields = table?.fields ?? ofData;
  const fields = { data: ofData, table: ofTable, either: { ...ofTable, ...ofData } }[shown];
  return knownPaths(fields).map((value) => ({ value, about: fieldAt(fields, value)?.about ?? '' }));
}

/** Names of settings; where one is set, only those that can be saved. */
export async function settingCandidates(
  names: 'setting' | 'preference',
  isSet: boolean,
): Promise<readonly Candidate[]> {
  const { settingNames, settingTable } = await import('../settings/table.ts');
  const isWanted = (name: SettingName) => {
    const { stored } = settingTable[name];
    if (!isSet && names === 'setting') return true;
    return stored === 'anywhere' || (names === 'setting' && stored === 'profile');
  };
  return settingNames()
    .filter(isWanted)
    .map((name) => ({ value: name, about: settingTable[name].about }));
}

/** The choices of a setting; empty when it has none. */
export async function choicesOfSetting(
  isWanted: (setting: SettingSpec, name: SettingName) => boolean,
): Promise<readonly string[]> {
  const { settingNames, settingTable } = await import('../settings/table.ts');
  const name = settingNames().find((one) => isWanted(settingTable[one], one));
  return (name && settingTable[name].check.words) ?? [];
}
