import { type Menu, script } from '../contract/command.ts';
import { optional } from '../contract/field.ts';
import { processes, processMenu } from '../resources/process.ts';
import { servers } from '../resources/server.ts';
import { inStack } from '../resources/shared.ts';
import { aServer, findServerUid } from './find-server.ts';
import { upToLimit } from './limit.ts';
import { scale } from './process-scale.ts';

const list = script({
  about: 'List the processes of a stack.',
  params: { stack_id: inStack, server: optional({ ...aServer, about: 'Only on this server: UID or exact name.' }) },
  examples: ['stackops process list -s shop', 'stackops process list -s shop --server shop-web-1'],
  calls: [servers.list, processes.list],
  reply: processes.list.reply,
  run: async (context, { stack_id, server }) => {
    const filter =
      server === undefined ? {} : { server_uid: await findServerUid(context, { stack_id, server_id: server }) };
    return context.call(processes.list, { stack_id, ...filter }, upToLimit(context));
  },
});

export const processCommands: Menu = {
  'process list': list,
  ...processMenu,
  'process scale': scale,
};
