import type { Command, Context } from '../../contract/command.ts';
import type { Values } from '../../contract/field.ts';
import { defaultEvery, type Watched, watchFlags } from '../../contract/watch.ts';
import { call } from '../../kinds/call.ts';
import { Problem } from '../../problems/problem.ts';
import { type DeploymentRow, deployments, isInProgress, recent, stateText } from '../../resources/deployment.ts';
import { deployingMs, isFinal, sparedMs, unreadText, watchPace } from '../watching.ts';

const listed = call(deployments.list, {
  examples: [
    'stackops deployment list -s shop --limit 5',
    'stackops deployment list -s shop --json --fields id,outcome.meaning',
  ],
});

const params = { ...deployments.list.params, ...watchFlags };

/** All deployments; with --watch the newest. */
export const deploymentList: Command<typeof params, readonly DeploymentRow[]> = {
  ...listed,
  params,
  does: {
    ...listed.does,
    watch: async (context: Context, { stack_id, every = defaultEvery }: Values<typeof params>) =>
      watchNewest(context, stack_id, every * 1000),
  },
};

const section = 'deployment';

function watchNewest(context: Context, stack_id: string, everyMs: number): Watched<readonly DeploymentRow[]> {
  let rows: readonly DeploymentRow[] | undefined;
  let readAt = context.now();
  const note = async (stop: AbortSignal): Promise<string | undefined> => {
    try {
      rows = await context.call(deployments.list, { stack_id }, { limit: recent, signal: stop });
      readAt = context.now();
      return undefined;
    } catch (error) {
      if (!rows || !(error instanceof Problem) || isFinal(error)) throw error;
      return unreadText(error, readAt);
    }
  };
  return {
    read: async (stop) => {
      const unread = await note(stop);
      const value = rows ?? [];
      const states = value.map((row) => ({
        section,
        name: String(row.id),
        state: row.is_live ? 'live' : stateText(row),
        isPassing: true,
      }));
      if (unread === undefined) return { value, states };
      return {
        value,
        states: [...states, { section, name: '-', state: `unreadable: ${unread}` }],
        notes: [`not read: ${unread}`],
      };
    },
    pauseMs: () => {
      const isDeploying = rows?.some(isInProgress);
      return sparedMs(isDeploying ? Math.min(deployingMs, everyMs) : everyMs, context.slowdown());
    },
    pace: () => watchPace(context, everyMs),
  };
}
