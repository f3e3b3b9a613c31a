import { sentText } from '../../../resources/env.ts';
import { isSecretSetting, type Setting, settingId, stackSetting, stackSettings } from '../../../resources/setting.ts';
import { pathOf } from '../../../state/entry.ts';
import { planSettings } from '../../settings/set.ts';
import { isReference } from '../compare.ts';
import type { FileSection, Item, Wanted } from '../section.ts';

/** Settings that no file manages, with the reasons of `pull` and of a refusal. */
const unmanaged: Readonly<Record<string, readonly [left: string, refusal: string]>> = {
  // The setting starts an action, and the service resets it.
  'reconfigure.nginx': ['one-shot', 'one-shot: a file describes a state'],
  // A new name would change the paths of the server.
  'server.name': ['the name of the server', 'the file finds the server by this name'],
};

export const settingsSection: FileSection = {
  name: 'settings',
  reads: [stackSettings.list, stackSettings.get],
  writes: [stackSettings.update],
  read: async ({ call, stack_id }) =>
    (await call(stackSettings.list, { stack_id })).map((row) => settingItem(row, { section: 'settings' })),
  refusal: ({ item, entry }) => {
    if (unmanaged[entry.key]) return unmanaged[entry.key]?.[1];
    if (!item) return 'unknown setting';
    return item.left === 'read-only' ? item.left : undefined;
  },
  isBusy: ({ entry }, action) => (action.action ?? '').endsWith(`: ${entry.key}`),
  render: ({ value, isSecret }) => (isSecret ? { kind: 'preserve' } : { kind: 'literal', value: value ?? '' }),
  phaseOf: () => 'settings',
  plan: (context, stack_id, wanted) => {
    const place = { parent: { stack_id }, input: { stack_id } };
    const settings = { path: 'stack settings set', resource: stackSetting, update: stackSettings.update, ...place };
    const known = wanted.map(({ item }) => item?.row as Setting);
    return planSettings(context, settings, known, wanted.map(assignedOf));
  },
  valueNow: async ({ call, stack_id }, wanted) => {
    const id = settingId(assignedOf(wanted).before);
    return settingText(await call(stackSettings.get, { stack_id, id }));
  },
};

/** The item of a setting of a stack or a server. */
export function settingItem(row: Setting, { section, server }: Pick<Item, 'section' | 'server'>): Item {
  const { key, value, readonly, updated_at = null } = row;
  const leftWithout = value == null ? 'without a value' : undefined;
  return {
    section,
    path: pathOf({ section, key, server: server?.name }),
    key,
    ...(server && { server }),
    value: settingText(row),
    changed_at: updated_at,
    count: null,
    isSecret: isSecretSetting(row),
    left: unmanaged[key]?.[0] ?? (readonly ? 'read-only' : leftWithout),
    row,
  };
}

/** Null of the service is the empty text. */
export function settingText({ value }: Pick<Setting, 'value'>): string {
  return value == null ? '' : sentText(value);
}

export function assignedOf({ item, wasReference, entry, value = '' }: Wanted) {
  const isHidden = wasReference || isReference(entry.expression);
  return { before: item?.row as Setting, value, isHidden };
}
