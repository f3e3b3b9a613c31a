import type { Context } from '../../contract/command.ts';
import { oneOf, optional } from '../../contract/field.ts';
import type { Plan } from '../../contract/plan.ts';
import { shortHash } from '../../contract/values/git-hash.ts';
import { write } from '../../kinds/write.ts';
import { Problem } from '../../problems/problem.ts';
import { readOrUndefined } from '../../problems/unreadable.ts';
import { actions } from '../../resources/action.ts';
import { type DeploymentRow, deployments, recent, strategies } from '../../resources/deployment.ts';
import { stacks } from '../../resources/stack.ts';
import { type BusySigns, busySign, busyWith, readBusySigns, readSign, unseenSigns } from '../status/busy.ts';
import { deployedRecord, planDeployment } from './plan.ts';
import { refuseShareAlone, strategyHint } from './summary.ts';

export const deploymentCreate = write({
  about: deployments.create.about,
  params: {
    ...deployments.create.params,
    if_busy: optional(oneOf(['wait', 'skip', 'fail'], 'If the stack is busy.', { placeholder: 'action' })),
  },
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
    const list = () => readOrUndefined(context.call(deployments.list, { stack_id }, { limit: recent }));
    const seen: BusySigns = if_busy ? await readBusySigns(context.call, stack_id) : { deployments: await list() };
    const known = seen.deployments ?? undefined;
    const busy = busyWith(seen);
    if (busy.length > 0 && if_busy === 'fail') {
      throw new Problem('rejected', `${busy.join(', ')}; nothing was sent`, { hint: { path: 'status', stack_id } });
    }
    if (busy.length > 0 && if_busy === 'skip') return skippedPlan(busy);
    // What was not looked at may keep the stack busy.
    const unseen = busy.length === 0 && if_busy ? unseenSigns(seen) : [];
    if (unseen.length > 0) context.warn(`--if-busy did not check ${unseen.join(', ')}: not shown by the service`);
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

function situation(known: readonly DeploymentRow[], busy: readonly string[]): readonly string[] {
  const live = known.find(({ is_live }) => is_live);
  const since = live && (live.finished_at ?? live.started_at);
  const commit = live?.git_hash ? `commit ${shortHash(live.git_hash)}` : live && `deployment ${live.id}`;
  return [...(live ? [`live: ${commit} since ${since}`] : []), ...busy];
}

function skippedPlan(busy: readonly string[]): Plan {
  const message = busy.join(', ');
  const step = { id: { id: null }, name: 'the deployment', change: 'deployed', before: null, after: null } as const;
  return {
    steps: [{ ...step, isIdle: true, send: () => Promise.reject(new Error('nothing is sent')) }],
    finish: async (changes) => changes.map((change) => ({ ...change, message })),
    summarize: () => ({ lines: [`skipped: ${message}`] }),
  };
}

/**
 * Waits until nothing keeps the stack busy, however that ends; returns the newest deployments. Throws what the wait threw,
 * as a failure of a request that was not sent.
 */
async function waitForOthers(context: Context, stack_id: string): Promise<readonly DeploymentRow[]> {
  let seen = await readBusySigns(context.call, stack_id);
  if (context.dryRun || !busySign(seen)) return seen.deployments ?? [];
  const watch = {
    name: 'the operation in progress',
    resume: { path: 'status', stack_id },
    check: async () => {
      // What kept it busy is read alone; the rest only once that is over.
      const before = busySign(seen);
      const again = before && (await readSign(context.call, stack_id, before.sign));
      seen = again && busySign(again) ? again : await readBusySigns(context.call, stack_id);
      const text = busyWith(seen).join(', ');
      return { state: text ? 'running' : 'good', text: text || 'finished', value: seen.deployments } as const;
    },
  };
  await context.follow(watch).catch((error: unknown) => {
    if (!(error instanceof Problem)) throw error;
    const { hint } = error.details;
    throw new Problem(error.kind, `not deployed: ${error.message}`, hint === undefined ? {} : { hint });
  });
  return seen.deployments ?? [];
}
