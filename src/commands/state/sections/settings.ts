import { valueAsText } from '../../../resources/env.ts';
import type { ServerRow } from '../../../resources/server.ts';
import {
  isSecretSetting,
  type SettingRow,
  settingId,
  stackSetting,
  stackSettings,
} from '../../../resources/setting.ts';
import { entryPathOf, isReference } from '../../../state/entry.ts';
import { planSettings } from '../../settings/set.ts';
import type { FileSection, StackItem, WantedItem } from '../section.ts';

/** Settings that no file manages, each with the reason that `pull` shows and the reason in a refusal. */
const unmanagedSettings: Readonly<Record<string, readonly [pullReason: string, refusal: string]>> = {
  // The setting starts an action and is then reset by the service, so it holds no state that a file could describe.
  'reconfigure.nginx': ['one-shot', 'one-shot: a file describes a state'],
  // Entries find their server by its name, so a new name would change their paths.
  'server.name': ['the name of the server', 'the file finds the server by this name'],
};

export const settingsSection: FileSection = {
  name: 'settings',
  reads: [stackSettings.list, stackSettings.get],
  writes: [stackSettings.update],
  read: async ({ call, stack_id }) => (await call(stackSettings.list, { stack_id })).map((row) => settingItem(row)),
  refusalReason: ({ item, entry }) => {
    const refusal = unmanagedSettings[entry.key]?.[1];
    if (refusal !== undefined) return refusal;
    if (!item) return 'unknown setting';
    return item.unmanagedReason === 'read-only' ? 'read-only' : undefined;
  },
  mayBeChangedBy: ({ entry }, action) => (action.action ?? '').endsWith(`: ${entry.key}`),
  newExpression: ({ value, isSecret }) => (isSecret ? { kind: 'preserve' } : { kind: 'literal', value: value ?? '' }),
  phaseOf: () => 'settings',
  plan: (context, stack_id, wanted) => {
    const target = { resource: stackSetting, parent: { stack_id }, input: { stack_id } };
    return planSettings(context, target, wanted.map(assignmentOf));
  },
  readValue: async ({ call, stack_id }, wanted) => {
    const id = settingId(assignmentOf(wanted).before);
    return settingText(await call(stackSettings.get, { stack_id, id }));
  },
};

export function settingItem(row: SettingRow, server?: ServerRow): StackItem {
  const { key, value, readonly, updated_at = null } = row;
  const section = server ? 'servers' : 'settings';
  const noValueReason = value == null ? 'without a value' : undefined;
  return {
    section,
    path: entryPathOf({ section, key, server: server?.name }),
    key,
    server,
    value: settingText(row),
    changed_at: updated_at,
    count: null,
    isSecret: isSecretSetting(row),
    unmanagedReason: unmanagedSettings[key]?.[0] ?? (readonly ? 'read-only' : noValueReason),
    row,
  };
}

/** Returns the value of a setting as text; an empty string for null. */
export function settingText({ value }: Pick<SettingRow, 'value'>): string {
  return value == null ? '' : valueAsText(value);
}

export function assignmentOf({ item, wasReference, entry, value = '' }: WantedItem) {
  return { before: item?.row as SettingRow, value, isHidden: wasReference || isReference(entry.expression) };
}
