import { call } from '../../builders/call.ts';
import { customCommand } from '../../builders/custom-command.ts';
import { allowLatest } from '../../builders/get.ts';
import type { Context, Menu } from '../../contract/command.ts';
import { CliError } from '../../errors/cli-error.ts';
import { type Action, actions, isAction } from '../../resources/action.ts';
import { recentLimit } from '../../resources/deployment.ts';
import { createActionWatch, statusOf, watchWithFirstStatus } from '../../writes/wait/action.ts';

const actionGetCommand = call(actions.get, { examples: ['stackops action get latest -s shop'] });

const waitCommand = customCommand({
  about: 'Wait for an action to finish; exit with its result.',
  params: actions.get.params,
  positionals: ['id'],
  examples: ['stackops action wait 812 -s shop', 'stackops action wait 812 -s shop --wait-timeout 5m --json'],
  calls: [actions.get],
  output: { kind: 'change', reply: actions.get.reply },
  wait: 'always',
  run: async (context, input) => {
    // The action is read first, so that a mistyped ID is an error before anything is watched.
    const action = await context.call(actions.get, input);
    const lastRecord = await context.follow(
      watchWithFirstStatus(statusOf(action), createActionWatch(context.call, input, action)),
    );
    return isAction(lastRecord) ? lastRecord : action;
  },
  present: (action) => {
    const { id, action: kind = action.action_type ?? 'unnamed', resource_type } = action;
    return { kind: 'done', lines: [`action ${id} (${kind} of ${resource_type}) ${statusOf(action).text}`] };
  },
});

async function findNewest(context: Context, stack_id: string): Promise<Action> {
  const actionRows = await context.call(actions.list, { stack_id }, { limit: recentLimit });
  const [newest] = actionRows.toSorted((one, other) => (other.id ?? 0) - (one.id ?? 0));
  if (newest) return newest;
  throw new CliError('not_found', 'no action', { hint: { path: 'action list', stack_id } });
}

export const actionCommands: Menu = {
  'action list': call(actions.list, { examples: ['stackops action list -s shop'] }),
  'action get': allowLatest(actionGetCommand, actions.list, findNewest),
  'action wait': allowLatest(waitCommand, actions.list, findNewest),
};
