import { call } from '../../builders/call.ts';
import type { Command, Context, Menu } from '../../contract/command.ts';
import type { Values } from '../../contract/field.ts';
import { defaultEvery, type Watched, watchFlags } from '../../contract/watch.ts';
import { CliError } from '../../errors/cli-error.ts';
import { type DeploymentRow, deployments, isInProgress, recent, stateText } from '../../resources/deployment.ts';
import { cancel } from './cancel.ts';
import { deploymentCreate } from './create.ts';
import { deploymentGet, wait } from './get.ts';
import { deploymentPromote } from './promote.ts';
import { restart } from './restart.ts';
import { deploymentRollback } from './rollback.ts';
import { backoffMs, deployingMs, isFinal, unreadText, watchPace } from './watching.ts';

const listed = call(deployments.list, {
  examples: [
    'stackops deployment list -s shop --limit 5',
    'stackops deployment list -s shop --json --fields id,outcome.meaning',
  ],
});

const params = { ...deployments.list.params, ...watchFlags };

const deploymentList: Command<typeof params, readonly DeploymentRow[]> = {
  ...listed,
  params,
  handler: {
    ...listed.handler,
    watch: async (context: Context, { stack_id, every = defaultEvery }: Values<typeof params>) =>
      watchNewest(context, stack_id, every * 1000),
  },
};

const section = 'deployment';

function watchNewest(context: Context, stack_id: string, everyMs: number): Watched<readonly DeploymentRow[]> {
  let last: { readonly rows: readonly DeploymentRow[]; readonly at: Date } | undefined;
  return {
    read: async (stop) => {
      const unread: string[] = [];
      try {
        const rows = await context.call(deployments.list, { stack_id }, { limit: recent, signal: stop });
        last = { rows, at: context.now() };
      } catch (error) {
        if (!last || !(error instanceof CliError) || isFinal(error)) throw error;
        unread.push(unreadText(error, last.at));
      }
      const states = last.rows.map((row) => {
        return { section, name: String(row.id), state: row.is_live ? 'live' : stateText(row), isPassing: true };
      });
      return {
        value: last.rows,
        states: [...states, ...unread.map((why) => ({ section, name: '-', state: `unreadable: ${why}` }))],
        notes: unread.map((why) => `not read: ${why}`),
      };
    },
    pauseMs: () => {
      const isDeploying = last?.rows.some(isInProgress);
      return backoffMs(isDeploying ? Math.min(deployingMs, everyMs) : everyMs, context.rateLimit());
    },
    pace: () => watchPace(context, everyMs),
  };
}

export const deploymentCommands: Menu = {
  'deployment list': deploymentList,
  'deployment get': deploymentGet,
  'deployment create': deploymentCreate,
  'deployment wait': wait,
  'deployment cancel': cancel,
  'deployment rollback': deploymentRollback,
  'deployment promote': deploymentPromote,
};

/** The one shortcut of the tool: `stackops redeploy` is `stackops deployment create`. */
const redeploy: typeof deploymentCreate = {
  ...deploymentCreate,
  examples: deploymentCreate.examples.map((line) => line.replace('stackops deployment create', 'stackops redeploy')),
};
export const redeployCommands: Menu = { redeploy };
export const restartCommands: Menu = { restart };
