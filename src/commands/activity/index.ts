import type { Menu } from '../../contract/command.ts';
import { many, oneOf, optional, text } from '../../contract/field.ts';
import { rows } from '../../contract/reply.ts';
import { script } from '../../kinds/script.ts';
import { actions } from '../../resources/action.ts';
import { backups } from '../../resources/backup.ts';
import { deployments } from '../../resources/deployment.ts';
import { environments } from '../../resources/env.ts';
import { inStack } from '../../resources/shared.ts';
import { stackSettings } from '../../resources/stack-setting.ts';
import type { Services } from '../services.ts';
import { readActivity } from './read.ts';
import { ActivityEvent, eventTypes } from './record.ts';
import { readSince } from './since.ts';

/** The command `activity`. */
export function activityCommands(services: Services): Menu {
  return {
    activity: script({
      about: 'Show what happened in a stack, newest first.',
      params: {
        stack_id: inStack,
        since: optional(
          text('How far back: 2h, 3d, or a time such as 2026-03-02 (default 24h).', { placeholder: 'time' }),
        ),
        type: optional(many(oneOf(eventTypes, 'Type.'), 'Only these types.', { placeholder: 'types' })),
      },
      examples: [
        'stackops activity -s shop',
        'stackops activity -s shop --since 3d --type env,deployment',
        'stackops activity -s shop,blog/staging --since 2026-03-02T18:45:00Z --sort -time',
      ],
      calls: [deployments.list, environments.list, stackSettings.list, actions.list, backups.list],
      reply: rows(ActivityEvent),
      isRead: true,
      run: async (context, { stack_id, since = '24h', type = eventTypes }) =>
        readActivity(context, services, {
          stack_id,
          types: [...new Set(type)],
          sinceMs: readSince(since, context.now()),
        }),
      present: (found) => ({ kind: 'table', record: ActivityEvent, rows: found, empty: 'No events in this time.' }),
    }),
  };
}
