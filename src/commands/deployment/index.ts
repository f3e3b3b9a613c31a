import { call } from '../../builders/call.ts';
import type { Command, Context, Menu } from '../../contract/command.ts';
import type { Values } from '../../contract/field.ts';
import { type WatchedState, watchFlags } from '../../contract/watch.ts';
import { type DeploymentRow, deployments, isInProgress, recentLimit, stateText } from '../../resources/deployment.ts';
import { deploymentCancel } from './cancel.ts';
import { deploymentCreate } from './create.ts';
import { deploymentGet, deploymentWait } from './get.ts';
import { deploymentPromote } from './promote.ts';
import { restartCommand } from './restart.ts';
import { deploymentRollback } from './rollback.ts';
import { watchList } from './watching.ts';

const listCommand = call(deployments.list, {
  examples: [
    'stackops deployment list -s shop --limit 5',
    'stackops deployment list -s shop --json --fields id,outcome.meaning',
  ],
});

const params = { ...deployments.list.params, ...watchFlags };

const deploymentListCommand: Command<typeof params, readonly DeploymentRow[]> = {
  ...listCommand,
  params,
  handler: {
    ...listCommand.handler,
    watch: async (context: Context, { stack_id, every }: Values<typeof params>) =>
      watchList(context, {
        every,
        read: (signal) => context.call(deployments.list, { stack_id }, { limit: recentLimit, signal }),
        statesOf: (rows) => rows.map(watchedState),
        section,
        isDeploying: (rows) => rows.some(isInProgress),
      }),
  },
};

const section = 'deployment';

function watchedState(row: DeploymentRow): WatchedState {
  return { section, name: String(row.id), state: row.is_live ? 'live' : stateText(row), isPassing: true };
}

export const deploymentCommands: Menu = {
  'deployment list': deploymentListCommand,
  'deployment get': deploymentGet,
  'deployment create': deploymentCreate,
  'deployment wait': deploymentWait,
  'deployment cancel': deploymentCancel,
  'deployment rollback': deploymentRollback,
  'deployment promote': deploymentPromote,
};

const redeployExamples = deploymentCreate.examples.map((line) => line.replace('deployment create', 'redeploy'));
export const redeployCommands: Menu = { redeploy: { ...deploymentCreate, examples: redeployExamples } };
export const restartCommands: Menu = { restart: restartCommand };
