import type { Context } from '../../contract/command.ts';
import { shortHash } from '../../contract/values/git-hash.ts';
import { write } from '../../kinds/write.ts';
import { readOrUndefined } from '../../problems/unreadable.ts';
import { actions } from '../../resources/action.ts';
import { type DeploymentRow, deployments, recent, strategies } from '../../resources/deployment.ts';
import { stacks } from '../../resources/stack.ts';
import { type BusySigns, busyWith, readBusySigns, unseenSigns } from '../status/busy.ts';
import { ifBusyField, refusedAsBusy, skippedPlan, waitForOthers } from './if-busy.ts';
import { deployedRecord, planDeployment } from './plan.ts';
import { refuseShareAlone, strategyHint } from './rollout.ts';

export const deploymentCreate = write({
  about: deployments.create.about,
  params: { ...deployments.create.params, if_busy: ifBusyField },
  examples: [
    'stackops deployment create -s shop -y',
    'stackops deployment create -s shop --git-ref main --if-busy wait -y --wait --wait-timeout 20m',
    'stackops deployment create -s blog/production --rollout-strategy canary --canary-percentage 5 -y',
  ],
  calls: [deployments.list, stacks.get, actions.list, deployments.create],
  exits: [[8, 'with --wait: not finished in time; else no response, probably started']],
  record: deployedRecord(strategies),
  confirm: { level: 'yes', act: 'Deploy stack' },
  plan: async (context, { if_busy, ...request }) => {
    refuseShareAlone(request);
    const { stack_id, git_ref, services, deploy_strategy } = request;
    const seen = await (if_busy ? readBusySigns(context.call, stack_id) : readDeployments(context, stack_id));
    const known = seen.deployments ?? undefined;
    const busy = busyWith(seen);
    if (busy.length > 0 && if_busy === 'fail') throw refusedAsBusy(busy, stack_id);
    if (busy.length > 0 && if_busy === 'skip') return skippedPlan(busy);
    if (busy.length === 0 && if_busy) tellUnseen(context, seen);
    return planDeployment(context, {
      request,
      known,
      ...(if_busy === 'wait' && { whenFree: () => waitForOthers(context, stack_id) }),
      facts: (branch = 'its configured branch') => [
        `from ${git_ref ?? branch}`,
        ...(services ? [`only ${services}`] : []),
        ...(deploy_strategy ? [`deploy strategy ${deploy_strategy}`] : []),
        ...situation(known ?? [], busy),
      ],
      hintFor: (refusal) => strategyHint(request, refusal),
    });
  },
});

async function readDeployments(context: Context, stack_id: string): Promise<BusySigns> {
  return { deployments: await readOrUndefined(context.call(deployments.list, { stack_id }, { limit: recent })) };
}

/** What was not looked at may keep the stack busy. */
function tellUnseen(context: Context, seen: BusySigns): void {
  const unseen = unseenSigns(seen);
  if (unseen.length > 0) context.warn(`--if-busy did not check ${unseen.join(', ')}: not shown by the service`);
}

/** What is live and since when, and what keeps the stack busy. */
function situation(known: readonly DeploymentRow[], busy: readonly string[]): readonly string[] {
  const live = known.find(({ is_live }) => is_live);
  const since = live && (live.finished_at ?? live.started_at);
  const commit = live?.git_hash ? `commit ${shortHash(live.git_hash)}` : live && `deployment ${live.id}`;
  return [...(live ? [`live: ${commit} since ${since}`] : []), ...busy];
}
