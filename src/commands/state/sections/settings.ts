import { valueAsText } from '../../../resources/env.ts';
import { type ServerRow, servers } from '../../../resources/server.ts';
import {
  isSecretSetting,
  type SettingRow,
  serverSetting,
  serverSettings,
  settingId,
  stackSetting,
  stackSettings,
} from '../../../resources/setting.ts';
import { isReference } from '../../../state/entry.ts';
import { planSettings } from '../../settings/set.ts';
import { type FileSection, itemIdentity, type StackItem, type WantedItem } from '../section.ts';

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
    const itemRefusal = item?.unmanagedReason === 'read-only' ? 'read-only' : undefined;
    return unmanagedSettings[entry.key]?.[1] ?? (item ? itemRefusal : 'unknown setting');
  },
  mayBeChangedBy: ({ entry }, action) => (action.action ?? '').endsWith(`: ${entry.key}`),
  planChanges: (context, stack_id, wanted) => {
    const target = { resource: stackSetting, parent: { stack_id }, input: { stack_id } };
    return [planSettings(context, target, wanted.map(assignmentOf))];
  },
  readValue: async ({ call, stack_id }, { item }) =>
    settingText(await call(stackSettings.get, { stack_id, id: settingId(item?.row as SettingRow) })),
};

/** The section of server settings. An action names a setting but no server, so the setting is busy on every server. */
export const serversSection: FileSection = {
  ...settingsSection,
  name: 'servers',
  reads: [servers.list, serverSettings.list, serverSettings.get],
  writes: [serverSettings.update],
  read: async ({ call, stack_id, listServers }) => {
    const readServerSettings = async (server: ServerRow) => {
      const rows = await call(serverSettings.list, { stack_id, server_id: server.uid });
      return rows.map((row) => settingItem(row, server));
    };
    return (await Promise.all((await listServers()).map(readServerSettings))).flat();
  },
  planChanges: (context, stack_id, wanted) =>
    wanted.map((one) => {
      const parent = { stack_id, server_id: one.server?.uid };
      const input = { stack_id, server_id: one.server?.name };
      return planSettings(context, { resource: serverSetting, parent, input }, [assignmentOf(one)]);
    }),
  readValue: async ({ call, stack_id }, { item, server }) => {
    const id = settingId(item?.row as SettingRow);
    return settingText(await call(serverSettings.get, { stack_id, server_id: String(server?.uid), id }));
  },
};

function settingItem(row: SettingRow, server?: ServerRow): StackItem {
  const { key, value, readonly, updated_at = null } = row;
  const noValueReason = value == null ? 'without a value' : undefined;
  return {
    ...itemIdentity(server ? 'servers' : 'settings', key, server),
    value: settingText(row),
    changed_at: updated_at,
    count: null,
    isSecret: isSecretSetting(row),
    unmanagedReason: unmanagedSettings[key]?.[0] ?? (readonly ? 'read-only' : noValueReason),
    row,
  };
}

function settingText({ value }: Pick<SettingRow, 'value'>): string {
  return value == null ? '' : valueAsText(value);
}

function assignmentOf({ item, wasReference, entry, value = '' }: WantedItem) {
  return { before: item?.row as SettingRow, value, isHidden: wasReference || isReference(entry.expression) };
}
