import { write } from '../../builders/write.ts';
import { optional, text } from '../../contract/field.ts';
import { readOrUndefined } from '../../errors/cli-error.ts';
import { actions } from '../../resources/action.ts';
import { deployments, rolloutParams } from '../../resources/deployment.ts';
import { environments } from '../../resources/env.ts';
import { stacks } from '../../resources/stack.ts';
import { deployChangeRecord, ifBusyFlag, planDeployment, readBusyState, refuseContainerStack } from './plan.ts';
import { liveFacts, refuseShareWithoutCanary } from './summary.ts';

export const requireEnvFlag = optional(
  text('Refuse unless all its variables are set.', { nameKind: 'file', placeholder: 'file' }),
);

export const deploymentCreate = write({
  about: deployments.create.about,
  params: { ...deployments.create.params, if_busy: ifBusyFlag, require_env: requireEnvFlag },
  examples: [
    'stackops deployment create -s shop -y',
    'stackops deployment create -s shop --git-ref main --if-busy wait -y --wait --wait-timeout 20m',
    'stackops deployment create -s blog/production --rollout-strategy canary --canary-percentage 5 -y',
  ],
  calls: [deployments.list, stacks.get, actions.list, environments.list, deployments.create],
  severalStacks: 'in turn',
  exits: [
    [6, 'nothing sent: busy, or a variable of --require-env is missing'],
    [8, 'with --wait: not finished in time; else no response, probably started'],
  ],
  record: deployChangeRecord(rolloutParams),
  confirm: { level: 'yes', act: 'Deploy stack' },
  plan: async (context, { if_busy, require_env, ...request }) => {
    refuseShareWithoutCanary(request);
    const { stack_id, git_ref, services, deploy_strategy } = request;
    if (require_env !== undefined)
      await (await import('../env/check.ts')).requireVariables(context, stack_id, require_env);
    const pendingSigns = readBusyState(context, stack_id, if_busy);
    const [busySigns] = await Promise.all([
      if_busy ? pendingSigns : readOrUndefined(pendingSigns).then((signs) => signs ?? {}),
      git_ref === undefined ? undefined : refuseContainerStack(context, stack_id, containerHint),
    ]);
    return planDeployment(context, {
      request,
      busySigns,
      if_busy,
      details: (branch = 'its configured branch') => [
        `from ${git_ref ?? branch}`,
        ...(services ? [`only ${services}`] : []),
        ...(deploy_strategy ? [`deploy strategy ${deploy_strategy}`] : []),
        ...liveFacts(busySigns.deployments),
      ],
    });
  },
});

const containerHint = 'to choose what a container stack deploys, use --services in place of --git-ref';
