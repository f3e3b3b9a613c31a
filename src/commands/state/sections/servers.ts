import { combinePlans } from '../../../builders/execute/combine-plans.ts';
import { type ServerRow, servers } from '../../../resources/server.ts';
import { serverSetting, serverSettings, settingId } from '../../../resources/setting.ts';
import { planSettings } from '../../settings/set.ts';
import type { FileSection } from '../section.ts';
import { assignmentOf, settingItem, settingsSection, settingText } from './settings.ts';

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
  phaseOf: () => 'servers',
  plan: (context, stack_id, wanted) => {
    const plans = wanted.map((one) => {
      const parent = { stack_id, server_id: one.server?.uid };
      const input = { stack_id, server_id: one.server?.name };
      return planSettings(context, { resource: serverSetting, parent, input }, [assignmentOf(one)]);
    });
    return combinePlans(plans.map((plan) => ({ stack: '', plan })));
  },
  readValue: async ({ call, stack_id }, wanted) => {
    const id = settingId(assignmentOf(wanted).before);
    return settingText(await call(serverSettings.get, { stack_id, server_id: String(wanted.server?.uid), id }));
  },
};
