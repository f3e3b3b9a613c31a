import type { Menu } from '../../contract/command.ts';
import { upToLimit } from '../../kinds/call.ts';
import { findPlace } from '../../kinds/resource/find.ts';
import { placeArguments, placeLists, placeParams } from '../../kinds/resource/params.ts';
import { script } from '../../kinds/script.ts';
import { serverSetting, serverSettings } from '../../resources/server-setting.ts';
import { getSetting } from './get.ts';
import { setSettings } from './set.ts';

export const serverSettingCommands: Menu = {
  'server settings list': script({
    about: serverSettings.list.about,
    params: placeParams(serverSetting),
    positionals: placeArguments(serverSetting),
    examples: ['stackops server settings list shop-web-1 -s shop'],
    calls: [...placeLists(serverSetting), serverSettings.list],
    reply: serverSettings.list.reply,
    run: async (context, input) =>
      context.call(serverSettings.list, await findPlace(context, serverSetting, input), upToLimit(context)),
  }),
  'server settings get': getSetting(serverSetting, serverSettings.get, {
    about: 'Print the value of a server setting.',
    examples: ['stackops server settings get shop-web-1 server.name -s shop'],
  }),
  'server settings set': setSettings(serverSetting, serverSettings.update, {
    about: 'Change server settings; unchanged ones are skipped.',
    examples: ['stackops server settings set shop-web-1 disk.space.alert.threshold=85 -s shop'],
  }),
};
