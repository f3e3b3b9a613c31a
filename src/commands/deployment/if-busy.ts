import type { Context } from '../../contract/command.ts';
import { oneOf, optional } from '../../contract/field.ts';
import type { Plan } from '../../contract/plan.ts';
import { Problem } from '../../problems/problem.ts';
import { type DeploymentRow, deployments, isOngoing, recent } from '../../resources/deployment.ts';
import { underWay } from './plan.ts';

export const ifBusyField = optional(
  oneOf(['wait', 'skip', 'fail'], 'If the stack is busy.', { placeholder: 'action' }),
);

/** `busy`: a sentence for each deployment in progress. */
export function refusedAsBusy(busy: readonly string[], stack_id: string): Problem {
  const hint = { path: 'deployment list', stack_id };
  return new Problem('rejected', `${busy.join(', ')}; nothing was sent`, { hint });
}

export function skippedPlan(busy: readonly string[]): Plan {
  const message = busy.join(', ');
  const step = { id: { id: null }, name: 'the deployment', change: 'deployed', before: null, after: null } as const;
  return {
    steps: [{ ...step, isIdle: true, send: () => Promise.reject(new Error('nothing is sent')) }],
    finish: async (changes) => changes.map((change) => ({ ...change, message })),
    summarize: () => ({ lines: [`skipped: ${message}`] }),
  };
}

/**
 * Waits until no deployment is in progress, however the last one ends; returns the newest deployments. Throws what the
 * wait threw, as a failure of a request that was not sent.
 */
export async function waitForOthers(context: Context, stack_id: string): Promise<readonly DeploymentRow[]> {
  const read = () => context.call(deployments.list, { stack_id }, { limit: recent });
  const first = await read();
  if (context.dryRun || !first.some(isOngoing)) return first;
  let newest = first;
  const watch = {
    name: 'the deployment in progress',
    resume: { path: 'deployment list', stack_id },
    check: async () => {
      newest = await read();
      const text = underWay(newest).join(', ');
      return { state: text ? 'running' : 'good', text: text || 'finished', value: newest } as const;
    },
  };
  await context.follow(watch).catch((error: unknown) => {
    if (!(error instanceof Problem)) throw error;
    const { hint } = error.details;
    throw new Problem(error.kind, `not deployed: ${error.message}`, hint === undefined ? {} : { hint });
  });
  return newest;
}
