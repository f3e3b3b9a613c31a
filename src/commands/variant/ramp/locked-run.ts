import { exitCodeOf } from '../../../problems/exit-codes.ts';
import { variants } from '../../../resources/variant.ts';
import { secondRamp } from './ask-ramp.ts';
import { endingOf } from './ending.ts';
import { resume } from './machine/machine.ts';
import type { Next } from './machine/state.ts';
import { createReporter, type RampResult } from './report.ts';
import { type Ended, runRamp } from './run.ts';
import type { RampContext } from './services.ts';
import type { Plan, Rig } from './work.ts';

/** A ramp that may begin. */
export interface PlannedRamp extends Plan {
  /** What it begins with. */
  readonly first: Next;
  /** The program that is told of each event. */
  readonly eventCommand: readonly string[] | undefined;
}

/** Runs a ramp while no other one of this stack can run here. */
export async function runLocked(context: RampContext, planned: PlannedRamp): Promise<RampResult> {
  const { first, eventCommand, ...plan } = planned;
  const { services, files, rules, canary } = plan;
  const lock = files.lock();
  if (typeof lock === 'string') throw secondRamp(lock, canary.stack_id);
  try {
    files.removeLeftovers();
    if (plan.isNew) files.clearLog();
    // One that was meant for an earlier ramp; this one can be asked from now on.
    files.takeRequest();
    await context.approve(() => sendAll(context, planned));
    context.note(`output of the checks: ${files.log}`);
    const onEvent = eventCommand && { commandLine: eventCommand, env: () => plan.envOf(rig.state) };
    const reporter = createReporter(context, services, onEvent);
    // It was planned before it was asked about.
    const { state, effects } = first.state.phase === 'soaking' ? resume(rules, first.state, context.elapsed()) : first;
    const rig: Rig = { ...plan, context, lock, reporter, state };
    return await report(rig, await runRamp(rig, effects));
  } finally {
    lock.release();
  }
}

/** All that a ramp may send: whoever approves it is not asked again at night. */
async function sendAll(context: RampContext, { canary, rules, first }: PlannedRamp): Promise<void> {
  const place = { stack_id: canary.stack_id, id: canary.uid };
  for (const share of [...rules.steps.filter((one) => one > first.state.share), rules.abortTo]) {
    await context.call(variants.update, { ...place, operation: 'percentage', canary_percentage: share });
  }
  if (rules.commit) await context.call(variants.update, { ...place, operation: 'commit' });
}

/** Tells how a ramp ended; throws what its exit code says. */
async function report({ context, reporter, files, saved, ...rig }: Rig, ended: Ended): Promise<RampResult> {
  const { share } = ended;
  const place = { ...rig, shareBefore: saved.share_before, now: context.now() };
  const { change, summary, event, problem, isResumable, printed } = endingOf(ended, place);
  if (!isResumable) files.remove();
  for (const line of printed) context.note(`  | ${line}`);
  const why = problem && { reason: [problem.message, ...printed].join('\n') };
  if (event) reporter.tell(event, { share, ...why });
  const exit_code = problem ? exitCodeOf(problem) : 0;
  const row = reporter.tell('ended', { variant: rig.canary.uid, share, ...why, exit_code, change });
  await reporter.finished();
  const value: RampResult = { ...row, summary };
  if (problem) throw problem.with({ partial: { value } });
  return value;
}
