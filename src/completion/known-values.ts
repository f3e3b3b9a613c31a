import { formats, showsData } from '../output/view.ts';
import type { Candidate } from './candidate.ts';
import type { TypedLine } from './reading.ts';
import type { Slot } from './slot.ts';

const methods = ['GET', 'POST', 'PUT', 'PATCH', 'DELETE'];
/** Prefixes of the resources that can have tags. */
export const entityKinds: readonly Candidate[] = bare(['server/', 'loadbalancer/']);

export async function offeredValues(slot: Slot, line: TypedLine): Promise<readonly Candidate[]> {
  const { names, assigns, choices, keywords, fields, flagOfSetting } = slot;
  if (fields) return fieldNames(fields, line);
  if (names === 'method') return bare(methods);
  if (names === 'setting' || names === 'preference') return settingNamesFor(names, assigns !== undefined);
  if (flagOfSetting) return choicesOfSetting((_, flag) => flag === flagOfSetting);
  return names && assigns ? [] : bare(choices ?? keywords ?? []);
}

export async function valuesAssignedTo({ names, assigns = [] }: Slot, key: string): Promise<readonly Candidate[]> {
  const isSetting = names === 'setting' || names === 'preference';
  return isSetting ? choicesOfSetting((name) => name === key) : bare(assigns);
}

async function fieldNames(chosen: Slot['fields'], { node, given }: TypedLine): Promise<readonly Candidate[]> {
  if (!node.command) return [];
  const { reply, table } = node.command.output;
  const { fieldAt, knownPaths } = await import('../output/field-path.ts');
  const ofData = reply?.record?.fields ?? {};
  const ofTable = table?.fields ?? ofData;
  const format = formats.find((name) => name === given.get('--output'));
  const isData = given.has('--json') || given.has('--jq') || (format && showsData({ format }));
  // --fields chooses columns of a table, unless data is asked for.
  const ofEither = chosen === 'fields' && !format ? { ...ofTable, ...ofData } : ofTable;
  const fields = isData ? ofData : ofEither;
  return knownPaths(fields).map((value) => ({ value, about: fieldAt(fields, value)?.about ?? '' }));
}

async function settingNamesFor(names: 'setting' | 'preference', isSet: boolean): Promise<readonly Candidate[]> {
  const { settingTable } = await import('../settings/table.ts');
  return Object.entries(settingTable).flatMap(([value, { stored, about }]) => {
    // Where one is set, only those that can be saved.
    const isWanted = stored === 'anywhere' || (names === 'setting' && (!isSet || stored === 'profile'));
    return isWanted ? [{ value, about }] : [];
  });
}

async function choicesOfSetting(isMeant: (name: string, flag?: string) => boolean): Promise<readonly Candidate[]> {
  const { settingTable } = await import('../settings/table.ts');
  const [, setting] = Object.entries(settingTable).find(([name, { flag }]) => isMeant(name, flag)) ?? [];
  return bare(setting?.check.words ?? []);
}

function bare(values: readonly string[]): readonly Candidate[] {
  return values.map((value) => ({ value, about: '' }));
}
