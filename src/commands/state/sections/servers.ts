import { combinePlans } from '../../../builders/execute/combine-plans.ts';
import { CliError } from '../../../errors/cli-error.ts';
import { type ServerRow, servers } from '../../../resources/server.ts';
import { serverSetting, serverSettings, settingId } from '../../../resources/setting.ts';
import type { StackEntry } from '../../../state/entry.ts';
import { planSettings } from '../../settings/set.ts';
import type { FileSection, StackItem, StackReader, WantedItem } from '../section.ts';
import { assignmentOf, settingItem, settingsSection, settingText } from './settings.ts';

/** The section of server settings. An action names a setting but no server, so the setting is busy on every server. */
export const serversSection: FileSection = {
  ...settingsSection,
  name: 'servers',
  reads: [servers.list, serverSettings.list, serverSettings.get],
  writes: [serverSettings.update],
  read: async (reader) => {
    const { call, stack_id } = reader;
    const lists = await readEachServer(reader, async (server): Promise<readonly StackItem[]> => {
      const rows = await call(serverSettings.list, { stack_id, server_id: server.uid });
      return rows.map((row) => settingItem(row, { section: 'servers', server }));
    });
    return lists.flat();
  },
  serversOf: namedServers,
  phaseOf: () => 'servers',
  plan: (context, stack_id, wanted) =>
    combinePlans(
      wanted.map((one) => {
        const settingsTarget = {
          path: 'server settings set',
          resource: serverSetting,
          update: serverSettings.update,
          parent: { stack_id, server_id: uidOf(one) },
          input: { stack_id, server_id: one.server?.name },
        };
        return { stack: '', plan: planSettings(context, settingsTarget, [assignmentOf(one)]) };
      }),
    ),
  readValue: async ({ call, stack_id }, wanted) => {
    const id = settingId(assignmentOf(wanted).before);
    return settingText(await call(serverSettings.get, { stack_id, server_id: uidOf(wanted), id }));
  },
};

export function uidOf({ server }: WantedItem): string {
  return String(server?.uid);
}

/** Returns undefined for `not_found`, because the server may have been replaced meanwhile. Throws all other errors. */
export function undefinedIfMissing(error: unknown): undefined {
  if (error instanceof CliError && error.kind === 'not_found') return undefined;
  throw error;
}

/** Finds the servers of an entry, by name or role. Throws `rejected` if no server matches, or several have the name. */
export async function namedServers({ server = '' }: StackEntry, reader: StackReader): Promise<readonly ServerRow[]> {
  const rows = await reader.servers();
  const role = server.startsWith('@') ? server.slice(1) : undefined;
  const matches = rows.filter((row) => (role === undefined ? row.name === server : row.server_roles?.includes(role)));
  if (matches.length === 0) {
    throw new CliError('rejected', role === undefined ? 'server not found' : `no server has the role ${role}`);
  }
  if (role === undefined && matches.length > 1) {
    throw new CliError('rejected', `${matches.length} servers are called "${server}"`);
  }
  return matches;
}

export async function readEachServer<Value>(
  { servers: listServers }: StackReader,
  read: (server: ServerRow) => Promise<Value>,
): Promise<readonly Value[]> {
  return Promise.all((await listServers()).map(read));
}
