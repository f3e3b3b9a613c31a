import type { Menu } from '../../contract/command.ts';
import { flag, many, oneOf, optional, text } from '../../contract/field.ts';
import { rows } from '../../contract/reply.ts';
import { script } from '../../kinds/script.ts';
import { actions } from '../../resources/action.ts';
import { backups } from '../../resources/backup.ts';
import { deployments } from '../../resources/deployment.ts';
import { environments } from '../../resources/env.ts';
import { inStack } from '../../resources/shared.ts';
import { stacks } from '../../resources/stack.ts';
import { stackSettings } from '../../resources/stack-setting.ts';
import type { Services } from '../services.ts';
import { readActivity } from './read.ts';
import { ActivityEvent, eventTypes, StackEvent } from './record.ts';
import { everyStack, givenStacks, readSeveral } from './several.ts';
import { readSince } from './since.ts';

/** The command `activity`. */
export function activityCommands(services: Services): Menu {
  return {
    activity: script({
      about: 'Show what happened in a stack, newest first.',
      params: {
        stack_id: optional(inStack),
        all: optional(flag('Show all stacks.')),
        since: optional(
          text('How far back: 2h, 3d, or a time such as 2026-03-02 (default 24h).', { placeholder: 'time' }),
        ),
        type: optional(many(oneOf(eventTypes, 'Type.'), 'Only these types.', { placeholder: 'types' })),
      },
      examples: [
        'stackops activity -s shop',
        'stackops activity -s shop --since 3d --type env,deployment',
        'stackops activity -s shop,blog/staging --since 2026-03-02T18:45:00Z',
      ],
      calls: [stacks.list, deployments.list, environments.list, stackSettings.list, actions.list, backups.list],
      reply: rows(ActivityEvent),
      isRead: true,
      showsSeveral: true,
      run: async (context, { all, since = '24h', type = eventTypes }, findStacks) => {
        const options = { types: [...new Set(type)], sinceMs: readSince(since, context.now()) };
        if (all || findStacks) {
          const found = all
            ? await everyStack(context, services, findStacks)
            : givenStacks(services, await findStacks?.());
          return readSeveral(context, services, { ...options, found });
        }
        const stack_id = String(await context.place(inStack));
        return readActivity(context, services, { ...options, stack_id, stack: services.stackName(stack_id) });
      },
      present: (found, { all }, { terminal }) => ({
        kind: 'table',
        record: all || found.some(({ stack }) => stack !== undefined) ? StackEvent : ActivityEvent,
        // There is no room for whole addresses.
        rows: terminal ? found.map((event) => ({ ...event, by: event.by?.replace(/@.*/, '') ?? null })) : found,
        empty: 'No events in this time.',
      }),
    }),
  };
}
