import type { Menu } from '../../contract/command.ts';
import { act } from '../../kinds/act.ts';
import { call } from '../../kinds/call.ts';
import { get } from '../../kinds/get.ts';
import { verbs } from '../../kinds/perform/summary.ts';
import { Server, server, servers } from '../../resources/server.ts';
import type { Services } from '../services.ts';
import { serverSettingCommands } from '../settings/server-settings.ts';
import { rebootObserver } from './reboot-observer.ts';
import { sshConfig } from './ssh-config.ts';

/** `server` and everything below it. */
export const serverCommands = (services: Pick<Services, 'stackName'>): Menu => ({
  'server list': call(servers.list, { examples: ['stackops server list -s shop'] }),
  'server get': get(server, servers.get, {
    examples: [
      'stackops server get shop-web-1 -s shop',
      'stackops server get c1a7d3e95b2f4860a1b2c3d4e5f60718 -s shop --json --fields address',
    ],
    // Some services send it with a trailing blank.
    present: (row) => ({
      kind: 'detail',
      record: Server,
      row: { ...row, ...(row.server_type && { server_type: row.server_type.trim() }) },
    }),
  }),
  'server ssh-config': sshConfig(services),
  'server reboot': act(server, servers.reboot, {
    verb: verbs.reboot,
    examples: ['stackops server reboot shop-web-1 -s shop -y'],
    confirm: { level: 'yes' },
    observer: rebootObserver,
  }),
  ...serverSettingCommands,
});
