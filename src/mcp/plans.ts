import type { ServerContext } from '@modelcontextprotocol/server';
import type { ServedCall, ShownPlan } from '../cli/app.ts';
import type { CallResult, ToolAnswer } from './call.ts';

export type RunCall = (call: Omit<ServedCall, 'stacks' | 'start'>, context: ServerContext) => Promise<CallResult>;

interface Remembered {
  readonly plan: ShownPlan;
  readonly reference: string;
  readonly atMs: number;
}

const lifetimeMs = 600_000;
/** A plan without changes sends no requests. */
const noRequests: ShownPlan = { requests: [], basis: '' };

/** Remembers the plans of this server: a change is made once, of a plan that was shown and is still the same. */
export function createPlans(run: RunCall, host: { readonly elapsed: () => number; readonly reference: () => string }) {
  const shown = new Map<string, Remembered>();

  const plan = async (argv: readonly string[], context: ServerContext): Promise<ToolAnswer> => {
    const reference = host.reference();
    const { answer, plan: made = noRequests } = await run({ tool: 'plan', argv, reference }, context);
    forgetOld();
    if (answer.exit_code === 0) shown.set(keyOf(argv), { plan: made, reference, atMs: host.elapsed() });
    return answer;
  };

  const change = async (
    argv: readonly string[],
    confirm: string | undefined,
    context: ServerContext,
  ): Promise<ToolAnswer> => {
    forgetOld();
    const planned = shown.get(keyOf(argv));
    // The plan is removed before the first await, so a second change cannot use it.
    shown.delete(keyOf(argv));
    if (!planned) return notPlanned;
    const call = { tool: 'change', argv, reference: planned.reference, planned: planned.plan } as const;
    const { answer } = await run({ ...call, ...(confirm !== undefined && { confirm }) }, context);
    if (answer.error?.['stale_plan'] !== true) return answer;
    const { exit_code: _, ...now } = await plan(argv, context);
    return { ...answer, ...(now.data !== undefined && { data: now.data, notes: [isPlanNow, ...(now.notes ?? [])] }) };
  };

  function forgetOld(): void {
    for (const [key, { atMs }] of shown) if (host.elapsed() - atMs > lifetimeMs) shown.delete(key);
  }
  return { plan, change };
}

const isPlanNow = 'data is the plan as it is now; show it to the person before you call change again';

function keyOf(argv: readonly string[]): string {
  return JSON.stringify(argv);
}

const notPlanned: ToolAnswer = {
  exit_code: 2,
  error: {
    code: 'usage',
    message: 'this change was not planned in the last 10 minutes, or was made already; nothing was sent',
    hint: 'call plan with the same argv, and show the person what it returns',
    exit_code: 2,
  },
};
