import { optional, text } from '../../contract/field.ts';
import { shortHash } from '../../contract/values/git-hash.ts';
import { write } from '../../kinds/write.ts';
import { readOrUndefined } from '../../problems/unreadable.ts';
import { actions } from '../../resources/action.ts';
import { type DeploymentRow, deployments, strategies } from '../../resources/deployment.ts';
import { environments } from '../../resources/env.ts';
import { stacks } from '../../resources/stack.ts';
import { ifBusy, readSigns, roomFor } from './if-busy.ts';
import { deployedRecord, planDeployment } from './plan.ts';
import { refuseShareAlone } from './summary.ts';

export const requireEnv = optional(
  text('Refuse unless all its variables are set.', { names: 'file', placeholder: 'file' }),
);

export const deploymentCreate = write({
  about: deployments.create.about,
  params: { ...deployments.create.params, if_busy: ifBusy, require_env: requireEnv },
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
  record: deployedRecord(strategies),
  confirm: { level: 'yes', act: 'Deploy stack' },
  plan: async (context, { if_busy, require_env, ...request }) => {
    refuseShareAlone(request);
    const { stack_id, git_ref, services, deploy_strategy } = request;
    if (require_env !== undefined)
      await (await import('../env/check.ts')).requireVariables(context, stack_id, require_env);
    const reading = readSigns(context, stack_id, if_busy);
    const seen = if_busy ? await reading : ((await readOrUndefined(reading)) ?? {});
    const known = seen.deployments ?? undefined;
    const { busy, skipped, whenFree } = roomFor(context, seen, { stack_id, if_busy });
    if (skipped) return skipped;
    return planDeployment(context, {
      request,
      known,
      whenFree,
      facts: (branch = 'its configured branch') => [
        `from ${git_ref ?? branch}`,
        ...(services ? [`only ${services}`] : []),
        ...(deploy_strategy ? [`deploy strategy ${deploy_strategy}`] : []),
        ...situation(known ?? [], busy),
      ],
    });
  },
});

/** What is live, and what is under way. */
export function situation(known: readonly DeploymentRow[], busy: readonly string[]): readonly string[] {
  const live = known.find(({ is_live }) => is_live);
  const since = live && (live.finished_at ?? live.started_at);
  const commit = live?.git_hash ? `commit ${shortHash(live.git_hash)}` : live && `deployment ${live.id}`;
  return [...(live ? [`live: ${commit} since ${since}`] : []), ...busy];
}
