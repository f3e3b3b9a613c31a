import type { Context } from '../../contract/command.ts';
import type { CommandLine } from '../../contract/command-line.ts';
import { oneOf, optional, type ValueOf } from '../../contract/field.ts';
import type { Plan } from '../../contract/plan.ts';
import { refusedChangeError } from '../../errors/cli-error.ts';
import type { DeploymentRow } from '../../resources/deployment.ts';
import { type BusySigns, busyReasons, firstBusySign, readBusySigns, uncheckedSources } from '../status/busy.ts';
import { waitForBlocker } from './watching.ts';

export const ifBusyFlag = optional(oneOf(['wait', 'skip', 'fail'], 'If the stack is busy.', { placeholder: 'action' }));
export type IfBusy = ValueOf<typeof ifBusyFlag> | undefined;

/** Reads the newest deployments of a stack and, with --if-busy, all sources that can show that the stack is busy. */
export async function readBusyState(context: Context, stack_id: string, if_busy: IfBusy): Promise<BusySigns> {
  return readBusySigns(context.call, stack_id, if_busy ? undefined : ['deployments']);
}

export interface BusyPolicy {
  readonly busySigns: BusySigns;
  readonly if_busy?: IfBusy;
  /** The hint of the refusal, for a command that refuses a busy stack even without --if-busy. */
  readonly busyHint?: CommandLine;
}

/**
 * Applies --if-busy. With `skip` and a busy stack, the returned `skipPlan` replaces the deployment. With `wait`,
 * `whenFree` waits until the stack is free and returns its newest deployments. For a busy stack, throws `rejected` with
 * `fail` or, without --if-busy, with `busyHint`.
 */
export function checkBusy(context: Context, stack_id: string, { busySigns, if_busy, busyHint }: BusyPolicy) {
  const reasons = busyReasons(busySigns);
  const path = firstBusySign(busySigns)?.sign === 'actions' ? 'action list' : 'status';
  const failHint = if_busy === 'fail' ? { path, stack_id } : undefined;
  const hint = if_busy ? failHint : busyHint;
  if (reasons.length > 0 && hint) throw refusedChangeError(reasons.join(', '), hint);
  // The stack may be busy in a way that only an unread source shows, so a warning names the source.
  const unchecked = reasons.length === 0 && if_busy ? uncheckedSources(busySigns) : [];
  if (unchecked.length > 0) context.warn(`--if-busy did not check ${unchecked.join(', ')}: not shown by the service`);
  return {
    reasons,
    skipPlan: reasons.length > 0 && if_busy === 'skip' ? skipPlanOf(reasons) : undefined,
    whenFree: if_busy === 'wait' ? () => waitUntilFree(context, stack_id) : undefined,
  };
}

function skipPlanOf(reasons: readonly string[]): Plan {
  const message = reasons.join(', ');
  const step = { id: { id: null }, name: 'the deployment', change: 'deployed', before: null, after: null } as const;
  return {
    steps: [{ ...step, isIdle: true, send: () => Promise.reject(new Error('nothing is sent')) }],
    finish: async (changes) => changes.map((change) => ({ ...change, message })),
    summarize: () => ({ lines: [`skipped: ${message}`] }),
  };
}

async function waitUntilFree(context: Context, stack_id: string): Promise<readonly DeploymentRow[]> {
  let busySigns = await readBusySigns(context.call, stack_id);
  if (context.dryRun || !firstBusySign(busySigns)) return busySigns.deployments ?? [];
  const watch = {
    name: 'the operation in progress',
    resume: { path: 'status', stack_id },
    check: async () => {
      // While the source that showed the stack as busy still shows it so, only that source is read.
      const lastSign = firstBusySign(busySigns);
      const sameSource = lastSign && (await readBusySigns(context.call, stack_id, [lastSign.sign]));
      busySigns = sameSource && firstBusySign(sameSource) ? sameSource : await readBusySigns(context.call, stack_id);
      const text = busyReasons(busySigns).join(', ');
      return { state: text ? 'running' : 'good', text: text || 'finished', value: busySigns.deployments } as const;
    },
  };
  await waitForBlocker(context, watch, 'not deployed');
  return busySigns.deployments ?? [];
}
