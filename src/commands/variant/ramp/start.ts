import type { Context } from '../../../contract/command.ts';
import { shortHash } from '../../../contract/values/git-hash.ts';
import { isoText } from '../../../contract/values/time.ts';
import { Problem } from '../../../problems/problem.ts';
import { describeStack } from '../../../resources/stack.ts';
import { askRamp, resumeRamp } from './ask-ramp.ts';
import { environmentOf, type RampResult, runLocked, secondRamp, type Tools } from './locked-run.ts';
import { begin } from './machine/machine.ts';
import type { RampState, Rules } from './machine/state.ts';
import { modeOf, type RampInput, readRules } from './options.ts';
import {
  canaryOf,
  checksOf,
  findCanary,
  missWarning,
  refuseFirstStep,
  refuseUnreadable,
  scheduleLines,
  tryChecks,
} from './preflight.ts';
import { rampFiles } from './ramp-file.ts';
import type { RampContext, RampServices } from './services.ts';
import { readWorld } from './world.ts';

/** `variant ramp`: a new ramp, or what was asked of the one of this stack. */
export async function ramp(given: Context, input: RampInput, services: RampServices): Promise<RampResult> {
  // Not a copy: whether it is a dry run may change meanwhile.
  const context: RampContext = Object.assign(Object.create(given), await given.longRun());
  const mode = modeOf(input);
  const files = await rampFiles(services, input.stack_id, context.warn);
  const tools = { services, files };
  if (mode === undefined) return newRamp(context, input, tools);
  return mode === 'resume' ? resumeRamp(context, input, tools) : askRamp(context, input, files, mode);
}

async function newRamp(context: RampContext, input: RampInput, tools: Tools): Promise<RampResult> {
  const { services, files } = tools;
  const { stack_id } = input;
  const rules = readRules(input);
  refuseUnreadable(input);
  refuseUnasked(context, rules);
  const holder = files.holder();
  if (holder !== undefined) throw secondRamp(holder, stack_id);
  const world = await readWorld(context, stack_id);
  const row = findCanary(world, input);
  refuseFirstStep(rules, row, stack_id);
  if (!world.deployments) context.warn('the token may not read deployments: a new one does not end the ramp');
  const canary = canaryOf(world, row, stack_id);
  const checks = checksOf(input, canary, services);
  const share = row.percentage;
  const envOf = environmentOf(canary, rules, share);
  const before: RampState = { phase: 'setting', step: -1, share };
  await tryChecks(context, services, checks, { share, env: envOf(before) });
  const lines = scheduleLines(rules, { checks, canary, share, now: context.now() });
  const warning = missWarning(rules, input);
  if (warning !== undefined) context.warn(warning);
  if (context.dryRun) {
    const row = { v: 1, at: isoText(context.now()), event: 'preflight', variant: canary.uid, share };
    await context.event(row);
    return { ...row, summary: { lines } };
  }
  for (const line of lines) context.note(line);
  await context.confirm({
    name: canary.uid,
    text: async () => {
      const way = `from ${share} % to ${rules.steps.at(-1)} %`;
      return `Ramp ${canary.uid} of ${await describeStack(context, stack_id)} ${way}${rules.commit ? ' and commit it' : ''}`;
    },
    facts: () => [`commit ${shortHash(canary.commit)}`],
    ...(rules.commit && { warning: 'The commit is final.' }),
  });
  const saved = { started_at: isoText(context.now()), share_before: share, options: input };
  return runLocked(context, tools, { input, rules, canary, checks, envOf, saved }, () => {
    files.clearLog();
    return begin(rules, share);
  });
}

function refuseUnasked({ ask, dryRun }: RampContext, { confirmSteps }: Rules): void {
  if (!confirmSteps || ask || dryRun) return;
  throw new Problem('usage', '--confirm-steps needs a terminal; nothing was changed');
}
