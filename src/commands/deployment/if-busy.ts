import type { Context } from '../../contract/command.ts';
import { oneOf, optional } from '../../contract/field.ts';
import type { Plan } from '../../contract/plan.ts';
import { Problem } from '../../problems/problem.ts';
import type { DeploymentRow } from '../../resources/deployment.ts';
import { busySign, busyWith, readBusySigns, readSign } from '../status/busy.ts';

export const ifBusyField = optional(
  oneOf(['wait', 'skip', 'fail'], 'If the stack is busy.', { placeholder: 'action' }),
);

/** `busy`: what keeps the stack busy. */
export function refusedAsBusy(busy: readonly string[], stack_id: string): Problem {
  const hint = { path: 'status', stack_id };
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
 * Waits until nothing keeps the stack busy, however that ends; returns the newest deployments. Throws what the wait threw,
 * as a failure of a request that was not sent.
 */
export async function waitForOthers(context: Context, stack_id: string): Promise<readonly DeploymentRow[]> {
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
