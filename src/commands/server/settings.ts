import type { Context, Menu } from '../../contract/command.ts';
import { many, text } from '../../contract/field.ts';
import type { RecordOf } from '../../contract/record.ts';
import { one, page, rows } from '../../contract/reply.ts';
import { script } from '../../kinds/script.ts';
import { servers } from '../../resources/server.ts';
import { ServerSetting, serverSettings } from '../../resources/server-setting.ts';
import { inStack } from '../../resources/shared.ts';
import { readPairs } from '../assignment.ts';
import { upToLimit } from '../limit.ts';
import {
  changeSettings,
  presentChanges,
  presentValue,
  readSetting,
  SettingChange,
  type Shelf,
} from '../settings/change.ts';
import { aServer, findServerUid, type ServerWords } from './find.ts';

const list = script({
  about: 'List the settings of a server.',
  params: { stack_id: inStack, server_id: aServer },
  positionals: ['server_id'],
  examples: ['stackops server settings list shop-web-1 -s shop'],
  calls: [servers.list, serverSettings.list],
  reply: page(ServerSetting),
  run: async (context, words) => {
    const { stack_id } = words;
    const server_id = await findServerUid(context, words);
    return context.call(serverSettings.list, { stack_id, server_id }, upToLimit(context));
  },
});

const get = script({
  about: 'Print the value of a server setting.',
  params: {
    stack_id: inStack,
    server_id: aServer,
    key: text('Key of the setting.', { label: 'KEY', names: 'server setting' }),
  },
  positionals: ['server_id', 'key'],
  examples: ['stackops server settings get shop-web-1 server.name -s shop'],
  calls: [servers.list, serverSettings.list, serverSettings.get],
  reply: one(ServerSetting),
  run: async (context, { key, ...words }) => readSetting(await shelfOf(context, words), key),
  bare: true,
  present: (setting) => presentValue(setting),
});

const set = script({
  about: 'Change server settings; unchanged ones are skipped.',
  params: {
    stack_id: inStack,
    server_id: aServer,
    assignments: many(text('Key and value.', { names: 'server setting' }), 'Keys and values, split at the first `=`.', {
      label: 'KEY=VALUE',
      assigns: [],
    }),
  },
  positionals: ['server_id', 'assignments'],
  examples: ['stackops server settings set shop-web-1 disk.space.alert.threshold=85 -s shop'],
  calls: [servers.list, serverSettings.list, serverSettings.update],
  reply: rows(SettingChange),
  run: async (context, { assignments, ...words }) => {
    const wanted = readPairs(assignments, { kind: 'setting' });
    return changeSettings(context, await shelfOf(context, words), wanted);
  },
  present: (changes, { stack_id, server_id }) => {
    // The UID stays true when the name is what was changed.
    const operands = [changes[0]?.server_uid ?? server_id];
    return presentChanges(changes, { path: 'server settings set', operands, stack_id });
  },
});

export const serverSettingStories = {
  'server settings list': list,
  'server settings get': get,
  'server settings set': set,
} satisfies Menu;

async function shelfOf(context: Context, words: ServerWords): Promise<Shelf<RecordOf<typeof ServerSetting>>> {
  const server_id = await findServerUid(context, words);
  const { stack_id } = words;
  return {
    list: () => context.call(serverSettings.list, { stack_id, server_id }),
    read: (id) => context.call(serverSettings.get, { stack_id, server_id, id }),
    write: (id, value) => context.call(serverSettings.update, { stack_id, server_id, id, value }),
    warn: context.warn,
    of: { server_uid: server_id },
    lister: { path: 'server settings list', operands: [server_id], stack_id },
  };
}
