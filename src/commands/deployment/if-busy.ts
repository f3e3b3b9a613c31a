import type { Context } from '../../contract/command.ts';
import type { CommandLine } from '../../contract/command-line.ts';
import { oneOf, optional, type ValueOf } from '../../contract/field.ts';
import type { Plan } from '../../contract/plan.ts';
import { refusal } from '../../errors/cli-error.ts';
import type { DeploymentRow } from '../../resources/deployment.ts';
import { type BusySigns, busySign, busyWith, readBusySigns, uncheckedSources } from '../status/busy.ts';
import { waitFirst } from './watching.ts';

export const ifBusy = optional(oneOf(['wait', 'skip', 'fail'], 'If the stack is busy.', { placeholder: 'action' }));
export type IfBusy = ValueOf<typeof ifBusy> | undefined;

/** The newest deployments of a stack; with --if-busy also the other sources that can show that it is busy. */
export async function readBusyState(context: Context, stack_id: string, if_busy: IfBusy): Promise<BusySigns> {
  return readBusySigns(context.call, stack_id, if_busy ? undefined : ['deployments']);
}

export interface BusyPolicy {
  readonly seen: BusySigns;
  readonly if_busy?: IfBusy;
  /** The hint of a command that refuses a busy stack without the flag, too. */
  readonly toWait?: CommandLine;
}

/**
 * Applies --if-busy to a stack in this state: `skipped` replaces the deployment, `whenFree` waits until the stack is
 * free and then returns the newest deployments. Throws rejected for a busy stack otherwise.
 */
export function checkBusy(context: Context, stack_id: string, { seen, if_busy, toWait }: BusyPolicy) {
  const busy = busyWith(seen);
  const path = busySign(seen)?.sign === 'actions' ? 'action list' : 'status';
  const toSee = if_busy === 'fail' ? { path, stack_id } : undefined;
  const hint = if_busy ? toSee : toWait;
  if (busy.length > 0 && hint) throw refusal(busy.join(', '), hint);
  // An unread source may keep the stack busy.
  const unseen = busy.length === 0 && if_busy ? uncheckedSources(seen) : [];
  if (unseen.length > 0) context.warn(`--if-busy did not check ${unseen.join(', ')}: not shown by the service`);
  return {
    busy,
    skipped: busy.length > 0 && if_busy === 'skip' ? skippedPlan(busy) : undefined,
    whenFree: if_busy === 'wait' ? () => waitForOthers(context, stack_id) : undefined,
  };
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

async function waitForOthers(context: Context, stack_id: string): Promise<readonly DeploymentRow[]> {
  let seen = await readBusySigns(context.call, stack_id);
  if (context.dryRun || !busySign(seen)) return seen.deployments ?? [];
  const watch = {
    name: 'the operation in progress',
    resume: { path: 'status', stack_id },
    check: async () => {
      // The busy source is read first, and the others once it is free.
      const before = busySign(seen);
      const again = before && (await readBusySigns(context.call, stack_id, [before.sign]));
      seen = again && busySign(again) ? again : await readBusySigns(context.call, stack_id);
      const text = busyWith(seen).join(', ');
      return { state: text ? 'running' : 'good', text: text || 'finished', value: seen.deployments } as const;
    },
  };
  await waitFirst(context, watch, 'not deployed');
  return seen.deployments ?? [];
}
