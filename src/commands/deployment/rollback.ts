import type { Context, Presentation, Target } from '../../contract/command.ts';
import { flag, integer, optional } from '../../contract/field.ts';
import { shortHash } from '../../contract/git-hash.ts';
import { script } from '../../kinds/script.ts';
import { Problem } from '../../problems/problem.ts';
import { deployments } from '../../resources/deployment.ts';
import { inStack } from '../../resources/shared.ts';
import { underWay } from './create.ts';
import { deployedReply, readStack, requestDeployment } from './request.ts';
import { isLiveAlready, planRollback, rangeOf } from './rollback-plan.ts';
import { type Deployed, type FormerlyLive, presentDeployed } from './words.ts';

/** How far back to look for what is live and what was before it. */
const searched = 100;

interface Words {
  readonly stack_id: string;
  readonly deployment_id?: number;
}

export const rollback = script({
  about: 'Deploy the commit of an earlier deployment again, and wait until that has ended.',
  params: {
    stack_id: inStack,
    deployment_id: optional(
      integer('Deployment to go back to; else the last one that succeeded with another commit.', {
        label: 'deployment',
      }),
    ),
    deployment_profile: deployments.create.params.deployment_profile,
    user_reference: deployments.create.params.user_reference,
    detach: optional(flag('Do not wait for its end.')),
  },
  positionals: ['deployment_id'],
  examples: ['stackops deployment rollback -s shop', 'stackops deployment rollback 1040 -s shop -y --detach'],
  calls: [deployments.list, deployments.get, deployments.create],
  exits: [[8, 'not over within --wait-timeout; with --detach: its answer was lost and it probably started']],
  reply: deployedReply,
  waits: true,
  confirm: { level: 'yes', act: 'Roll back stack', target: describe },
  run: async (context, words): Promise<Deployed> => {
    const { stack_id, deployment_id: _, detach = false, ...more } = words;
    const plan = planRollback(await lookUp(context, words));
    const { live, target } = plan;
    const before = live ? { id: live.id, git_hash: live.git_hash } : null;
    if (live && isLiveAlready(plan)) return { ...live, before };
    try {
      const wish = { ...more, stack_id, git_ref: target.git_hash };
      return { ...(await requestDeployment(context, wish, { detached: detach })), before };
    } catch (error) {
      throw told(error, before);
    }
  },
  present: (value, { stack_id }) => presentRollback(value, stack_id),
});

async function lookUp(context: Context, { stack_id, deployment_id }: Words) {
  const chosen =
    deployment_id === undefined ? undefined : await context.call(deployments.get, { stack_id, deployment_id });
  const known = await context.call(deployments.list, { stack_id }, { limit: searched });
  return { stack_id, chosen, known };
}

async function describe(context: Context, words: Words): Promise<Target | undefined> {
  const found = await lookUp(context, words);
  const plan = planRollback(found);
  if (isLiveAlready(plan)) return undefined;
  const stack = await readStack(context, words.stack_id);
  return { name: stack?.name ?? words.stack_id, facts: [...rangeOf(plan), ...underWay(found.known)] };
}

/** What was live belongs to a result that is no good end, too; and a refusal says what can be done instead. */
function told(error: unknown, before: FormerlyLive): unknown {
  if (!(error instanceof Problem)) return error;
  const { partial } = error.details;
  if (partial && typeof partial.value === 'object') {
    const value = { ...partial.value, before };
    return error.with({ partial: { value } });
  }
  if (error.kind !== 'rejected' || !/git_ref|container/i.test(error.message)) return error;
  const instead = 'a container stack goes back by the tags of its images, with stackops redeploy --services';
  return error.with({ hint: instead });
}

function presentRollback(value: Deployed, stack_id: string): Presentation {
  const { before, id } = value;
  if (before && before.id === id) {
    const line = `Deployment ${before.id} with commit ${shortHash(before.git_hash)} is live already; nothing was sent.`;
    return { kind: 'done', lines: [line] };
  }
  return presentDeployed(value, { stack_id });
}
