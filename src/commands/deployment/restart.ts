import { write } from '../../builders/write.ts';
import type { Context } from '../../contract/command.ts';
import { flag, optional, text } from '../../contract/field.ts';
import { stackParam } from '../../contract/params.ts';
import { isSameCommit } from '../../contract/values/text.ts';
import { refusedChangeError, unusedFlagError } from '../../errors/cli-error.ts';
import { actions } from '../../resources/action.ts';
import { type DeploymentRequest, type DeploymentRow, deployments } from '../../resources/deployment.ts';
import { servers } from '../../resources/server.ts';
import { stacks } from '../../resources/stack.ts';
import { liveAmong } from './get.ts';
import {
  deployChangeRecord,
  type IfBusy,
  ifBusyFlag,
  planDeployment,
  readBusyState,
  refuseContainerStack,
} from './plan.ts';
import { commitText, liveFacts } from './summary.ts';

const { deployment_profile, user_reference, deploy_strategy } = deployments.create.params;

export const restartCommand = write({
  about: 'Deploy the live commit again.',
  params: {
    stack_id: stackParam,
    deployment_profile,
    user_reference,
    deploy_strategy,
    if_busy: ifBusyFlag,
    servers: optional(flag('Reboot its servers instead, in turn; asks for its name.')),
  },
  examples: [
    'stackops restart -s shop -y --wait',
    'stackops restart -s shop --deploy-strategy rolling --if-busy wait -y',
    'stackops restart -s shop --servers --confirm shop/production',
  ],
  calls: [deployments.list, servers.list, servers.get, stacks.get, actions.list, deployments.create, servers.reboot],
  exits: [[8, 'with --wait: not finished in time; else no response, probably started']],
  waitsWith: 'servers',
  record: deployChangeRecord({ deploy_strategy, server: optional(text('Name of the server, with --servers.')) }),
  confirm: { level: 'yes', act: 'Restart stack' },
  plan: async (context, { servers: isReboot, ...input }) => {
    if (!isReboot) return planRestart(context, input);
    const { stack_id, if_busy, ...deployInput } = input;
    const [unusedFlag] = Object.keys(deployInput).map((name) => `--${name.replaceAll('_', '-')}`);
    if (unusedFlag !== undefined) throw unusedFlagError(unusedFlag, '--servers deploys nothing');
    return (await import('./restart-servers.ts')).planReboots(context, stack_id, if_busy);
  },
});

type RestartInput = DeploymentRequest & { readonly if_busy?: IfBusy };

/** Plans a deployment of the live commit. `wait` overrides --wait. */
export async function planRestart(context: Context, { if_busy, ...request }: RestartInput, wait?: boolean) {
  const { stack_id, deploy_strategy: strategy } = request;
  const [busySigns] = await Promise.all([
    readBusyState(context, stack_id, if_busy),
    refuseContainerStack(context, stack_id, containerHint),
  ]);
  const git_ref = liveCommit(busySigns.deployments ?? [], stack_id);
  return planDeployment(context, {
    request: { ...request, git_ref },
    busySigns,
    if_busy,
    // After a running deployment, the restart would bring back the commit that is live now, so a busy stack is refused.
    busyHint: { path: 'restart', flags: ['--if-busy', 'wait'], stack_id },
    wait,
    refuseLater: (rows) => refuseOtherCommit(rows, git_ref, stack_id),
    act: 'Restart stack',
    details: () => [...(strategy ? [`deploy strategy ${strategy}`] : []), ...liveFacts(busySigns.deployments)],
    containerHint,
  });
}

const containerHint = 'to restart a container stack, deploy its images again with stackops redeploy';

function liveCommit(rows: readonly DeploymentRow[], stack_id: string): string {
  const live = liveAmong(rows);
  if (live?.git_hash) return live.git_hash;
  if (live) throw refusedChangeError('what is live shows no commit', containerHint);
  throw refusedChangeError('no deployment is shown as live', { path: 'deployment list', stack_id });
}

function refuseOtherCommit(rows: readonly DeploymentRow[], git_ref: string, stack_id: string): void {
  const live = liveAmong(rows);
  if (isSameCommit(live?.git_hash, git_ref)) return;
  // The user confirmed the commit that was live before the wait, so another live commit is refused.
  const message = `${commitText(live?.git_hash)} is live now, not ${commitText(git_ref)}`;
  throw refusedChangeError(message, { path: 'restart', stack_id });
}
