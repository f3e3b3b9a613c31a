import type { Summary } from '../../../contract/plan.ts';
import { isoText } from '../../../contract/values/time.ts';
import { exitCodeOf } from '../../../problems/exit-codes.ts';
import { Problem } from '../../../problems/problem.ts';
import { variants } from '../../../resources/variant.ts';
import { endingOf } from './ending.ts';
import type { Next, RampEnd, RampState, Rules } from './machine/state.ts';
import { type RampInput, readCommand } from './options.ts';
import type { RampFiles } from './ramp-file.ts';
import { createReporter, type EventName, type RampEvent } from './report.ts';
import { type Ended, runRamp } from './run.ts';
import type { RampContext, RampServices } from './services.ts';
import type { Rig } from './work.ts';
import type { Canary } from './world.ts';

/** The last event of a ramp, and what people are told of it. */
export type RampResult = RampEvent & { readonly summary: Summary };

/** What any ramp needs. */
export interface Tools {
  readonly services: RampServices;
  readonly files: RampFiles;
}

export function secondRamp(holder: string, stack_id: string): Problem {
  return new Problem('rejected', `a ramp of this stack is running${holder}; nothing was sent`, {
    hint: { path: 'variant ramp', flags: ['--status'], stack_id },
  });
}

interface Planned extends Pick<Rig, 'rules' | 'canary' | 'checks' | 'envOf' | 'saved'> {
  readonly input: RampInput;
}

/** Runs a ramp while no other one of this stack can run here. */
export async function runLocked(
  context: RampContext,
  { services, files }: Tools,
  plan: Planned,
  first: () => Next,
): Promise<RampResult> {
  const { input, canary } = plan;
  const lock = files.lock();
  if (typeof lock === 'string') throw secondRamp(lock, canary.stack_id);
  try {
    // One that was meant for an earlier ramp; this one can be asked from now on.
    files.takeRequest();
    const begun = first();
    await context.approve(() => sendAll(context, plan, begun.state.share));
    context.note(`output of the checks: ${files.log}`);
    let state = begun.state;
    const command = input.on_event === undefined ? undefined : readCommand('--on-event', input.on_event);
    const onEvent = command && { commandLine: command, env: () => plan.envOf(state) };
    const reporter = createReporter(context, services, onEvent);
    const entered = (next: RampState) => {
      state = next;
    };
    const rig = { ...plan, context, services, files, lock, reporter, onSignal: input.on_signal ?? 'pause', entered };
    reporter.tell('preflight', { variant: canary.uid, share: state.share });
    return await report(rig, await runRamp(rig, begun));
  } finally {
    lock.release();
  }
}

/** All that a ramp may send: whoever approves it is not asked again at night. */
async function sendAll(context: RampContext, { canary, rules }: Planned, from: number): Promise<void> {
  const place = { stack_id: canary.stack_id, id: canary.uid };
  for (const share of [...rules.steps.filter((one) => one > from), rules.abortTo]) {
    await context.call(variants.update, { ...place, operation: 'percentage', canary_percentage: share });
  }
  if (rules.commit) await context.call(variants.update, { ...place, operation: 'commit' });
}

/** Ends that a ramp can go on from. */
function isResumable(end: RampEnd): boolean {
  if (end.kind === 'stopped' || end.kind === 'failed') return end.how === 'pause';
  return ['held', 'blind', 'refused'].includes(end.kind);
}

/** Tells how a ramp ended; throws what its exit code says. */
async function report(
  { context, canary, rules, checks, reporter, files, saved }: Rig,
  ended: Ended,
): Promise<RampResult> {
  const { end, share } = ended;
  const place = { canary, rules, checks, shareBefore: saved.share_before, now: context.now() };
  const { change, summary, problem, printed } = endingOf(ended, place);
  if (!isResumable(end)) files.remove();
  for (const line of printed) context.note(`  | ${line}`);
  const reason = problem ? [problem.message, ...printed].join('\n') : undefined;
  const why = reason === undefined ? {} : { reason };
  const event = eventOf(end);
  if (event) reporter.tell(event, { share, ...why });
  const exit_code = problem ? exitCodeOf(problem) : 0;
  const row = {
    v: 1,
    at: isoText(context.now()),
    event: 'ended',
    variant: canary.uid,
    share,
    ...why,
    exit_code,
    change,
  };
  reporter.tell('ended', row);
  await reporter.finished();
  const value: RampResult = { ...row, summary };
  if (problem) throw problem.with({ partial: { value } });
  return value;
}

function eventOf(end: RampEnd): EventName | undefined {
  switch (end.kind) {
    case 'committed':
      return 'committed';
    case 'changed':
      return 'world_changed';
    case 'stopped':
    case 'failed':
      return end.how === 'abort' ? 'aborted' : 'paused';
    case 'held':
    case 'blind':
      return 'paused';
    default:
      return undefined;
  }
}

/** What checks and event programs are told of a ramp; never a credential. */
export function environmentOf(canary: Canary, { steps }: Rules, shareBefore: number): Rig['envOf'] {
  return (state) => {
    const step = 'step' in state ? state.step : steps.indexOf(state.share);
    return {
      STACKOPS_STACK: canary.stack_id,
      STACKOPS_VARIANT: canary.uid,
      STACKOPS_COMMIT: canary.commit,
      STACKOPS_ACTIVE_COMMIT: canary.activeCommit ?? '',
      STACKOPS_STEP: String(step + 1),
      STACKOPS_SHARE: String(state.share),
      STACKOPS_SHARE_BEFORE: String(steps[step - 1] ?? shareBefore),
    };
  };
}
