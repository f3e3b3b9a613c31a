import type { Context, Target } from '../../contract/command.ts';
import { shortHash } from '../../contract/git-hash.ts';
import type { InputOf } from '../../contract/operation.ts';
import { readBack } from '../../kinds/read-back.ts';
import { script } from '../../kinds/script.ts';
import { unlessUnreadable } from '../../problems/unreadable.ts';
import { type DeploymentRow, deployments, hasSucceeded, isDeployment } from '../../resources/deployment.ts';
import { deployedReply, readStack, requestDeployment } from './request.ts';
import { type Deployed, type FormerlyLive, isOngoing, outcomeOf, presentDeployed } from './words.ts';

type Wish = InputOf<typeof deployments.create>;

/** Enough to see what is live and what is under way; more is not worth a page. */
const recent = 30;

export const create = script({
  about: deployments.create.about,
  params: deployments.create.params,
  examples: [
    'stackops deployment create -s shop -y',
    'stackops deployment create -s shop --git-ref main --user-reference ci-4711 -y',
    'stackops deployment create -s shop -y --wait --wait-timeout 20m',
  ],
  calls: [deployments.list, deployments.create],
  exits: [[8, 'with --wait: not over within --wait-timeout; else: its answer was lost and it probably started']],
  reply: deployedReply,
  confirm: { level: 'yes', act: 'Deploy stack', target: describe },
  run: async (context, wish): Promise<Deployed> => {
    const deployed = await requestDeployment(context, wish);
    if (!isDeployment(deployed) || !hasSucceeded(deployed)) return deployed;
    return { ...deployed, before: await liveBefore(context, wish.stack_id, deployed.id) };
  },
  present: (deployed, { stack_id, services }) => presentDeployed(deployed, { stack_id, services }),
});

/** Whatever succeeded goes live, so the last one that did was live before this one; null where that cannot be read. */
async function liveBefore(context: Context, stack_id: string, id: number): Promise<FormerlyLive> {
  const reading = () => context.call(deployments.list, { stack_id }, { limit: recent });
  const known = (await readBack(context, reading, 'what was live before')) ?? [];
  const former = known
    .filter((one) => Number(one.id) < Number(id) && hasSucceeded(one))
    .toSorted((one, other) => Number(other.id) - Number(one.id))[0];
  return former ? { id: former.id, git_hash: former.git_hash } : null;
}

async function describe(context: Context, { stack_id, git_ref, services }: Wish): Promise<Target> {
  const stack = await readStack(context, stack_id);
  const known = await unlessUnreadable(context.call(deployments.list, { stack_id }, { limit: recent }));
  return {
    name: stack?.name ?? stack_id,
    facts: [
      `from ${git_ref ?? stack?.branch ?? 'its usual branch'}`,
      ...(services ? [`only ${services}`] : []),
      ...situation(known ?? []),
    ],
  };
}

/** What runs now and since when, and what is already on its way. */
function situation(known: readonly DeploymentRow[]): readonly string[] {
  const live = known.find(({ is_live }) => is_live);
  const since = live && (live.finished_at ?? live.started_at);
  const commit = live?.git_hash ? `commit ${shortHash(live.git_hash)}` : live && `deployment ${live.id}`;
  return [...(live ? [`live is ${commit} since ${since}`] : []), ...underWay(known)];
}

/** `deployment 1042 is pending`, for each that has not ended. */
export function underWay(known: readonly DeploymentRow[]): readonly string[] {
  return known
    .filter(isOngoing)
    .map(
      (deployment) => `deployment ${deployment.id} is ${deployment.is_deploying ? 'deploying' : outcomeOf(deployment)}`,
    );
}
