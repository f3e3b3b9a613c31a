import { flag, integer, optional } from '../../contract/field.ts';
import { write } from '../../kinds/write.ts';
import type { Problem } from '../../problems/problem.ts';
import { deployments } from '../../resources/deployment.ts';
import { inStack, orWord } from '../../resources/shared.ts';
import { busyWith } from '../status/busy.ts';
import { deploymentNamed } from './get.ts';
import { deployedRecord, planDeployment } from './plan.ts';
import { findRollback, isLiveAlready, rangeOf } from './rollback-target.ts';

/** How many deployments are searched for the live one and the one before it. */
const searched = 100;

export const deploymentRollback = write({
  about: 'Redeploy the commit of an earlier deployment and wait.',
  params: {
    stack_id: inStack,
    deployment_id: optional(
      orWord(
        integer('Target (default: the previous success with another commit).', {
          label: 'deployment',
          names: 'deployment',
        }),
        'latest',
        'live',
      ),
    ),
    deployment_profile: deployments.create.params.deployment_profile,
    user_reference: deployments.create.params.user_reference,
    detach: optional(flag('Do not wait for it to finish.')),
  },
  positionals: ['deployment_id'],
  examples: ['stackops deployment rollback -s shop', 'stackops deployment rollback 1040 -s shop -y --detach'],
  calls: [deployments.list, deployments.get, deployments.create],
  exits: [[8, 'not finished within --wait-timeout; with --detach: no response, but it probably started']],
  record: deployedRecord(),
  wait: 'always',
  confirm: { level: 'yes', act: 'Roll back stack' },
  plan: async (context, { deployment_id, detach = false, ...request }) => {
    const { stack_id } = request;
    const byId = typeof deployment_id === 'number';
    const given = byId ? await context.call(deployments.get, { stack_id, deployment_id }) : undefined;
    const known = await context.call(deployments.list, { stack_id }, { limit: searched });
    const isWord = !byId && deployment_id !== undefined;
    const chosen = isWord ? deploymentNamed(deployment_id, known, stack_id) : given;
    const found = findRollback({ stack_id, known, chosen });
    return planDeployment(context, {
      request: { ...request, git_ref: found.target.git_hash },
      known,
      alreadyLive: isLiveAlready(found) ? found.live : undefined,
      wait: !detach,
      facts: () => [...rangeOf(found), ...busyWith({ deployments: known })],
      hintFor: containerHint,
    });
  },
});

function containerHint({ kind, message }: Problem): string | undefined {
  if (kind !== 'rejected' || !/git_ref|container/i.test(message)) return undefined;
  return 'to roll back a container stack, deploy earlier image tags with stackops redeploy --services';
}
