import { sentText } from '../../../resources/env.ts';
import { isSecretSetting, type Setting, settingId, stackSetting, stackSettings } from '../../../resources/setting.ts';
import { planSettings } from '../../settings/set.ts';
import { isReference } from '../compare.ts';
import type { FileSection, Item, Wanted } from '../section.ts';

/** Settings that start an action. The service resets them, so they have no lasting value. */
const oneShot = ['reconfigure.nginx'];

/** The settings of a stack. */
export const settingsSection: FileSection = {
  name: 'settings',
  reads: [stackSettings.list, stackSettings.get],
  writes: [stackSettings.update],
  read: async ({ call, stack_id }) =>
    (await call(stackSettings.list, { stack_id })).map((row) => settingItem(row, 'settings', `settings.${row.key}`)),
  isReached: isSettingReached,
  refusal: settingRefusal,
  isBusy: ({ entry }, action) => (action.action ?? '').endsWith(`: ${entry.key}`),
  render: renderSetting,
  phaseOf: () => 'settings',
  plan: (context, stack_id, wanted) => {
    const parent = { stack_id };
    const of = {
      path: 'stack settings set',
      resource: stackSetting,
      update: stackSettings.update,
      parent,
      input: parent,
    };
    return planSettings(context, of, wanted.map(settingOf), wanted.map(assignedOf));
  },
  isStill: async ({ call, stack_id }, wanted) => {
    const now = await call(stackSettings.get, { stack_id, id: settingId(settingOf(wanted)) });
    return settingText(now) === wanted.item?.value;
  },
};

/** The item of a setting of a stack or a server. */
export function settingItem(row: Setting, section: Item['section'], path: string): Item {
  return {
    section,
    path,
    key: row.key,
    value: settingText(row),
    changed_at: row.updated_at ?? null,
    count: null,
    isSecret: isSecretSetting(row),
    left: leftBecause(row),
    row,
  };
}

function leftBecause({ key, value, readonly }: Setting): string | undefined {
  if (readonly) return 'read-only';
  if (oneShot.includes(key)) return 'one-shot';
  return value == null ? 'without a value' : undefined;
}

/** Null of the service is the empty text. */
export function settingText({ value }: Pick<Setting, 'value'>): string {
  return value == null ? '' : sentText(value);
}

function settingOf({ item }: Wanted): Setting {
  return item?.row as Setting;
}

export function assignedOf(wanted: Wanted) {
  const isHidden = wanted.wasReference || isReference(wanted.entry.expression);
  return { before: settingOf(wanted), value: wanted.value ?? '', isHidden };
}

export function isSettingReached({ item, value }: Wanted): boolean {
  return item !== undefined && item.value === value;
}

export function settingRefusal({ item, entry }: Wanted): string | undefined {
  if (!item) return 'unknown setting';
  if (settingOf({ item } as Wanted).readonly) return 'read-only';
  return oneShot.includes(entry.key) ? 'one-shot: a file describes a state' : undefined;
}

export function renderSetting({ value, isSecret }: Item) {
  return isSecret ? ({ kind: 'preserve' } as const) : ({ kind: 'literal', value: value ?? '' } as const);
}
