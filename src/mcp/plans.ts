import type { ServerContext } from '@modelcontextprotocol/server';
import type { PlanHashes, ServedCall } from '../cli/app.ts';
import type { RawHost } from '../cli/host.ts';
import type { CallResult, ToolAnswer } from './call.ts';

export interface ToolInput {
  readonly words?: readonly string[];
  readonly argv: readonly string[];
  readonly confirm?: string;
}
export type RunTool = (input: ToolInput, context: ServerContext) => Promise<ToolAnswer>;
export type RunCall = (call: Omit<ServedCall, 'stacks' | 'start'>, context: ServerContext) => Promise<CallResult>;

export type PlanHost = Pick<RawHost, 'elapsed' | 'reference'>;

type RememberedPlan = { readonly plan: PlanHashes; readonly reference: string; readonly atMs: number };

const planLifetimeMs = 600_000;
/** The plan of a command line that changes nothing, so that it sends no requests. */
const emptyPlan: PlanHashes = { requests: [], basis: '' };

/** Returns the tools `plan` and `change`. A change must equal a shown plan. Each shown plan permits one change. */
export function createPlanTools(run: RunCall, host: PlanHost) {
  const plansByArgv = new Map<string, RememberedPlan>();

  const plan: RunTool = async ({ argv }, context) => {
    const reference = host.reference();
    const { answer, plan: shownPlan = emptyPlan } = await run({ tool: 'plan', argv, reference }, context);
    forgetOldPlans();
    const atMs = host.elapsed();
    if (answer.exit_code === 0) plansByArgv.set(JSON.stringify(argv), { plan: shownPlan, reference, atMs });
    return answer;
  };

  const change: RunTool = async ({ argv, confirm }, context) => {
    forgetOldPlans();
    const key = JSON.stringify(argv);
    const rememberedPlan = plansByArgv.get(key);
    // The plan is removed before the first await, so a second change cannot use it.
    plansByArgv.delete(key);
    if (!rememberedPlan) return notPlannedAnswer;
    const call = { tool: 'change', argv, reference: rememberedPlan.reference, planned: rememberedPlan.plan } as const;
    const { answer } = await run({ ...call, ...(confirm !== undefined && { confirm }) }, context);
    if (answer.error?.['stale_plan'] !== true) return answer;
    const { data, notes = [] } = await plan({ argv }, context);
    return { ...answer, ...(data !== undefined && { data, notes: [newPlanNote, ...notes] }) };
  };

  function forgetOldPlans(): void {
    for (const [key, { atMs }] of plansByArgv) if (host.elapsed() - atMs > planLifetimeMs) plansByArgv.delete(key);
  }
  return { plan, change };
}

const newPlanNote = 'data is the plan as it is now; show it to the person before you call change again';

const notPlannedAnswer: ToolAnswer = {
  exit_code: 2,
  error: {
    code: 'usage',
    message: 'this change was not planned in the last 10 minutes, or was made already; nothing was sent',
    hint: 'call plan with the same argv, and show the person what it returns',
    exit_code: 2,
  },
};
