import { sightOf, watchAction } from '../../changes/wait/action.ts';
import { watchFrom } from '../../changes/wait/known.ts';
import type { Menu } from '../../contract/command.ts';
import { script } from '../../kinds/script.ts';
import { actionMenu, actions, isAction, queuedAs } from '../../resources/action.ts';

const wait = script({
  about: 'Wait until an action has ended.',
  params: actions.get.params,
  positionals: ['id'],
  examples: ['stackops action wait 812 -s shop', 'stackops action wait 812 -s shop --wait-timeout 5m --json'],
  calls: [actions.get],
  reply: actions.get.reply,
  waits: true,
  run: async (context, place) => {
    // An id that is mistyped is told as such before anything is watched.
    const action = await context.call(actions.get, place);
    const watch = watchAction((operation, input, more) => context.call(operation, input, more), place, action);
    const ended = await context.follow(watchFrom(sightOf(action), watch));
    return isAction(ended) ? ended : action;
  },
  tells: true,
  present: (action) => queuedAs(action.resource_type)(action),
});

export const actionCommands: Menu = { ...actionMenu, 'action wait': wait };
