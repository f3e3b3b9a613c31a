import type { Context, Menu, Target } from '../../contract/command.ts';
import { flag, group, optional, text } from '../../contract/field.ts';
import { record } from '../../contract/record.ts';
import { one, type Reply } from '../../contract/reply.ts';
import { call } from '../../kinds/call.ts';
import { get } from '../../kinds/get.ts';
import { script } from '../../kinds/script.ts';
import { actionOf, queuedAs, StackAction } from '../../resources/action.ts';
import { Server, server, servers } from '../../resources/server.ts';
import { inStack } from '../../resources/shared.ts';
import { describeStack, healthStates } from '../../resources/stack.ts';
import { aServer, findServer, findServerUid, type ServerWords } from './find.ts';
import { serverSettingStories } from './settings.ts';

/** With --wait also the action in which its end was seen. */
const rebootReply: Reply = one(
  record(
    'answer',
    {
      ok: flag('Whether it was accepted.'),
      message: optional(text('What the service said.')),
      action: optional(group(StackAction.fields, 'The action, when its end was waited for.')),
    },
    ['ok', 'message'],
  ),
);
interface Reboot {
  readonly ok?: boolean;
  /** At services that answer with the action itself, what it does. */
  readonly action?: unknown;
}

const reboot = script({
  about: 'Reboot a server.',
  params: { stack_id: inStack, server_id: aServer },
  positionals: ['server_id'],
  examples: ['stackops server reboot shop-web-1 -s shop -y'],
  calls: [servers.list, servers.reboot],
  reply: rebootReply,
  confirm: { level: 'yes', act: 'Reboot server', target: describeServer },
  run: async (context, words): Promise<Reboot> => {
    const server_id = await findServerUid(context, words);
    return context.call(servers.reboot, { stack_id: words.stack_id, server_id });
  },
  present: (answer, { server_id }) => {
    const action = actionOf(answer) ?? actionOf(answer.action);
    if (action) return queuedAs(`server ${server_id}`)(action);
    return { kind: 'done', lines: [`The reboot of server ${server_id} was accepted.`] };
  },
});

/** `server` and everything below it. */
export const serverCommands: Menu = {
  'server list': call(servers.list, { examples: ['stackops server list -s shop'] }),
  'server get': get(server, servers.get, {
    examples: [
      'stackops server get shop-web-1 -s shop',
      'stackops server get c1a7d3e95b2f4860a1b2c3d4e5f60718 -s shop --json --fields address',
    ],
    // Services are known to end it with a blank.
    present: (row) => ({
      kind: 'detail',
      record: Server,
      row: { ...row, ...(row.server_type && { server_type: row.server_type.trim() }) },
    }),
  }),
  'server reboot': reboot,
  ...serverSettingStories,
};

async function describeServer(context: Context, words: ServerWords): Promise<Target> {
  const known = await context.call(servers.list, { stack_id: words.stack_id });
  const { name, server_roles, health_state } = findServer(known, words);
  const roles = server_roles ?? [];
  return {
    name,
    facts: [
      `of ${await describeStack(context, words.stack_id)}`,
      roles.length === 0 ? 'no roles' : roles.join(' and '),
      healthStates[health_state] ?? `health ${health_state}`,
    ],
  };
}
