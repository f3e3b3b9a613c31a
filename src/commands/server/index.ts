import { act } from '../../builders/act.ts';
import { call } from '../../builders/call.ts';
import { verbs } from '../../builders/execute/summary.ts';
import { get } from '../../builders/get.ts';
import type { Menu } from '../../contract/command.ts';
import type { Observer, Read } from '../../contract/observe.ts';
import type { InputOf } from '../../contract/operation.ts';
import { readOrUndefined } from '../../errors/cli-error.ts';
import { type Action, actions } from '../../resources/action.ts';
import { Server, server, servers } from '../../resources/server.ts';
import { statusOf } from '../../writes/wait/action.ts';
import { serverSettingCommands } from '../settings/index.ts';
import { serverRunCommand } from './run.ts';
import { cpCommand, sshCommand } from './ssh.ts';
import { sshConfigCommand } from './ssh-config.ts';

/** Watches for a new action record, because the response to a reboot has no ID and health codes are not documented. */
export const rebootObserver: Observer<InputOf<typeof servers.reboot>, readonly number[] | undefined> = {
  snapshot: async (read, { stack_id }) => (await newestActions(read, stack_id))?.map(({ id }) => id ?? 0),
  watch: (read, { stack_id }, { snapshot, answer }) => ({
    name: 'the reboot',
    resume: { path: 'action list', stack_id },
    check: async () => {
      const lastId = Math.max(0, ...(snapshot ?? []));
      const isNewReboot = (row: Action) =>
        /reboot/i.test(row.action_type ?? row.action ?? '') && Number(row.id) > lastId;
      const newReboot = snapshot && (await newestActions(read, stack_id))?.find(isNewReboot);
      if (!newReboot) return { state: 'unseen', text: 'the service shows no record of it', value: answer };
      return { ...statusOf(newReboot), resume: { path: 'action wait', operands: [String(newReboot.id)], stack_id } };
    },
  }),
};

function newestActions(read: Read, stack_id: string): Promise<readonly Action[] | undefined> {
  return readOrUndefined(read(actions.list, { stack_id }, { limit: 30 }));
}

export const serverCommands: Menu = {
  'server list': call(servers.list, { examples: ['stackops server list -s shop'] }),
  'server get': get(server, servers.get, {
    examples: [
      'stackops server get shop-web-1 -s shop',
      'stackops server get c1a7d3e95b2f4860a1b2c3d4e5f60718 -s shop --json --fields address',
    ],
    // Some services send the type with a trailing blank, which is removed.
    present: (row) => ({
      kind: 'detail',
      record: Server,
      row: { ...row, ...(row.server_type && { server_type: row.server_type.trim() }) },
    }),
  }),
  'server ssh': sshCommand,
  'server run': serverRunCommand,
  'server cp': cpCommand,
  'server ssh-config': sshConfigCommand,
  'server reboot': act(server, servers.reboot, {
    verb: verbs.reboot,
    examples: ['stackops server reboot shop-web-1 -s shop -y'],
    confirm: { level: 'yes' },
    observer: rebootObserver,
  }),
  ...serverSettingCommands,
};
