import type { Names } from '../contract/field.ts';
import { outputFormats, showsData } from '../output/view.ts';
import type { Candidate } from './candidate.ts';
import type { TypedLine } from './reading.ts';
import type { Slot } from './slot.ts';

const methods = ['GET', 'POST', 'PUT', 'PATCH', 'DELETE'];
/** Prefixes of the resources that can have tags. */
export const entityKinds: readonly Candidate[] = bare(['server/', 'loadbalancer/']);

/** Names that need neither a request nor a profile. */
export const localNames: readonly Names[] = ['field', 'column', 'sort column', 'method', 'setting', 'preference'];

export async function offeredValues(slot: Slot, line: TypedLine): Promise<readonly Candidate[]> {
  const { names, assigns, choices, keywords } = slot;
  if (names === 'field' || names === 'column' || names === 'sort column') return fieldNames(names, line);
  if (names === 'method') return bare(methods);
  if (names === 'setting' || names === 'preference') return settingNamesFor(names, assigns !== undefined);
  return names && assigns ? [] : bare(choices ?? keywords ?? []);
}

export async function valuesAssignedTo({ names, assigns = [] }: Slot, key: string): Promise<readonly Candidate[]> {
  if (names !== 'setting' && names !== 'preference') return bare(assigns);
  const { isSettingName, settingTable } = await import('../settings/table.ts');
  const { kind, choices = [] } = isSettingName(key) ? settingTable[key] : {};
  return bare(kind === 'flag' ? ['true', 'false'] : choices);
}

async function fieldNames(names: Slot['names'], { node, given }: TypedLine): Promise<readonly Candidate[]> {
  if (!node.command) return [];
  const { reply, table } = node.command.output;
  const { fieldAt, knownPaths } = await import('../output/field-path.ts');
  const ofData = reply?.record?.fields ?? {};
  const ofTable = table?.fields ?? ofData;
  const format = outputFormats.find((name) => name === given.get('--output'));
  const isData = given.has('--json') || given.has('--jq') || (format && showsData({ format }));
  // --fields chooses columns of a table, unless data is asked for.
  const ofEither = names === 'field' && !format ? { ...ofTable, ...ofData } : ofTable;
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

function bare(values: readonly string[]): readonly Candidate[] {
  return values.map((value) => ({ value, about: '' }));
}
