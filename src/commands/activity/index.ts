import { customCommand } from '../../builders/custom-command.ts';
import { changeEach } from '../../builders/execute/change-each.ts';
import type { Context, FindStacks, Menu } from '../../contract/command.ts';
import { flag, many, oneOf, optional, text, type Values } from '../../contract/field.ts';
import { stackParam } from '../../contract/params.ts';
import { rows } from '../../contract/reply.ts';
import { durationMs, readMoment, suggestDuration } from '../../contract/values/time.ts';
import { type WatchedState, watchFlags } from '../../contract/watch.ts';
import { CliError, rethrowWithPartial } from '../../errors/cli-error.ts';
import { actions } from '../../resources/action.ts';
import { backups } from '../../resources/backup.ts';
import { deployments } from '../../resources/deployment.ts';
import { environments } from '../../resources/env.ts';
import { stackSettings } from '../../resources/setting.ts';
import { stacks, titleOf } from '../../resources/stack.ts';
import { watchList } from '../deployment/watching.ts';
import { ActivityEvent, EventWithStack, eventTypes } from './events.ts';
import { type ActivityOptions, readActivity, sortEvents } from './read.ts';

const params = {
  stack_id: optional(stackParam),
  all: optional(flag('Show all stacks.')),
  since: optional(text('How far back: 2h, 3d, or a time such as 2026-03-02 (default 24h).', { placeholder: 'time' })),
  type: optional(many(oneOf(eventTypes, 'Type.'), 'Only these types.', { placeholder: 'types' })),
  ...watchFlags,
};
type ActivityInput = Values<typeof params>;

export const activityCommands: Menu = {
  activity: customCommand({
    moreEffects: ['reads_machine'],
    about: 'Show what happened in a stack, newest first.',
    params,
    examples: [
      'stackops activity -s shop',
      'stackops activity -s shop --since 3d --type env,deployment',
      'stackops activity -s shop,blog/staging --since 2026-03-02T18:45:00Z',
    ],
    calls: [stacks.list, deployments.list, environments.list, stackSettings.list, actions.list, backups.list],
    reply: rows(ActivityEvent),
    isRead: true,
    showsSeveral: true,
    run: readEvents,
    watch: async (context, input, findStacks) =>
      watchList(context, {
        every: input.every,
        read: (_, note) => readEvents({ ...context, note, warn: note }, input, findStacks),
        // The last state of a name counts, so the newest event comes last.
        statesOf: (events) => events.toReversed().map(watchedState),
        section: 'activity',
      }),
    present: (events, { all }, { terminal }) => ({
      kind: 'table',
      record: all || events.some(({ stack }) => stack !== undefined) ? EventWithStack : ActivityEvent,
      // A terminal has no room for whole e-mail addresses, so it shows only the part before the `@`.
      rows: terminal ? events.map((event) => ({ ...event, by: event.by?.replace(/@.*/, '') ?? null })) : events,
      empty: 'No events in this time.',
    }),
  }),
};

type ActivityEvents = readonly (ActivityEvent & { readonly stack?: string })[];
type EventFilter = Pick<ActivityOptions, 'types' | 'sinceMs'>;
type NamedStack = Pick<ActivityOptions, 'stack_id' | 'stack' | 'isOneOfAll'>;

async function readEvents(context: Context, input: ActivityInput, findStacks?: FindStacks): Promise<ActivityEvents> {
  const { since = '24h', type = eventTypes } = input;
  const filter = { types: [...new Set(type)], sinceMs: readSince(since, context.now()) };
  const namedStacks = await findNamedStacks(context, input, findStacks);
  if (namedStacks) return readSeveralStacks(context, namedStacks, filter);
  const stack_id = String(await context.resolveTarget(stackParam));
  return readActivity(context, { ...filter, stack_id, stack: context.host.stackName(stack_id) });
}

function watchedState({ type, name, event, stack }: ActivityEvents[number]): WatchedState {
  return { section: type, name: stack === undefined ? name : `${stack} ${name}`, state: event, isPassing: true };
}

async function findNamedStacks(context: Context, { all }: ActivityInput, findStacks?: FindStacks) {
  const { stackName, settings } = context.host;
  if (!all) {
    const uids = await findStacks?.();
    return uids?.map((stack_id) => ({ stack_id, stack: stackName(stack_id) }));
  }
  const hasStackFlag = findStacks || settings.get('stack').origin.kind === 'flag';
  if (hasStackFlag) throw new CliError('usage', 'use --all or -s, not both');
  const stackRows = await context.call(stacks.list, {});
  return stackRows.map((row) => ({ stack_id: row.uid, stack: titleOf(row), isOneOfAll: true }));
}

async function readSeveralStacks(context: Context, namedStacks: readonly NamedStack[], filter: EventFilter) {
  const joinLists = (lists: readonly ActivityEvents[]) => sortEvents(lists.flat());
  const reading = changeEach<NamedStack, ActivityEvents>({ keepGoing: true }, namedStacks, {
    nameOf: ({ stack }) => stack,
    atOnce: 8,
    changeItem: async (namedStack) => {
      const events = await readActivity(context, { ...filter, ...namedStack });
      return events.map((event) => ({ stack: namedStack.stack, ...event }));
    },
    unfinishedRow: () => [],
  });
  return joinLists(await reading.catch(rethrowWithPartial(joinLists)));
}

function readSince(text: string, now: Date): number {
  const ageMs = durationMs(text);
  const ms = ageMs === undefined ? readMoment(text)?.getTime() : now.getTime() - ageMs;
  if (ms !== undefined) return ms;
  const by = suggestDuration(text, 'h');
  const formatsText = 'a duration such as 2h or 3d, or a time such as 2026-03-02 or 2026-03-02T18:45:00Z';
  const correction = by === undefined ? undefined : { replace: { word: text, by: [by], at: '--since' } };
  throw new CliError('usage', `--since must be ${formatsText}, not "${text}"`, { correction });
}
