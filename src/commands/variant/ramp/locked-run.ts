import { isoText } from '../../../contract/values/time.ts';
import { exitCodeOf } from '../../../problems/exit-codes.ts';
import { Problem } from '../../../problems/problem.ts';
import { variants } from '../../../resources/variant.ts';
import { secondRamp } from './ask-ramp.ts';
import { endingOf } from './ending.ts';
import type { Next, RampEnd, RampState } from './machine/state.ts';
import { readCommand } from './options.ts';
import { createReporter, type EventName, type RampResult } from './report.ts';
import { type Ended, runRamp } from './run.ts';
import type { RampContext } from './services.ts';
import type { Rig } from './work.ts';

/** A ramp that may begin. */
export interface PlannedRamp
  extends Pick<Rig, 'services' | 'files' | 'rules' | 'canary' | 'checks' | 'envOf' | 'saved' | 'isNew'> {
  /** What it begins with. */
  readonly first: (nowMs: number) => Next;
}

/** Runs a ramp while no other one of this stack can run here. */
export async function runLocked(context: RampContext, plan: PlannedRamp): Promise<RampResult> {
  const { services, files, canary, saved } = plan;
  const lock = files.lock();
  if (typeof lock === 'string') throw secondRamp(lock, canary.stack_id);
  try {
    if (plan.isNew) files.clearLog();
    // One that was meant for an earlier ramp; this one can be asked from now on.
    files.takeRequest();
    const begun = plan.first(context.elapsed());
    await context.approve(() => sendAll(context, plan, begun.state.share));
    context.note(`output of the checks: ${files.log}`);
    let { state } = begun;
    const { on_event, on_signal = 'pause' } = saved.options;
    const command = on_event === undefined ? undefined : readCommand('--on-event', on_event);
    const onEvent = command && { commandLine: command, env: () => plan.envOf(state) };
    const reporter = createReporter(context, services, onEvent);
    const entered = (next: RampState) => {
      state = next;
    };
    const rig = { ...plan, context, lock, reporter, onSignal: on_signal, entered };
    return await report(rig, await runRamp(rig, begun));
  } finally {
    lock.release();
  }
}

/** All that a ramp may send: whoever approves it is not asked again at night. */
async function sendAll(context: RampContext, { canary, rules }: PlannedRamp, from: number): Promise<void> {
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
    case 'refused':
      // Not by the service: its state could not be saved.
      return end.cause instanceof Problem && end.cause.kind === 'pending' ? 'paused' : undefined;
    default:
      return undefined;
  }
}
