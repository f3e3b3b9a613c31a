import type { Context } from '../../../contract/command.ts';
import { stackParam } from '../../../contract/params.ts';
import type { Summary } from '../../../contract/plan.ts';
import { msOf, relativeText } from '../../../contract/values/time.ts';
import { CliError, exitCodeOf, refusedChangeError, tryOrWarn } from '../../../errors/cli-error.ts';
import { variants } from '../../../resources/variant.ts';
import {
  type BeginAt,
  newRamp,
  type RampBase,
  type ResumedRamp,
  readChecks,
  resumedRamp,
  scheduleLines,
  tryChecks,
  warnOfMisses,
} from './begin.ts';
import { environmentOf, type RampRun, type RampSetup } from './effects.ts';
import { endingOf } from './ending.ts';
import type { EndedState, StopRequest } from './machine/state.ts';
import { modeOf, type RampInput, readCommand, readRules } from './options.ts';
import { rampFiles, readStackOfRamp, type SavedRamp } from './ramp-file.ts';
import { readRollout, weightCommand } from './read-canary.ts';
import { createReporter, eventNow, type RampEvent, type RampResult } from './report.ts';
import { runRamp } from './run.ts';

/** Begins or resumes a ramp of a stack, or shows, pauses or aborts the current ramp of the stack. */
export async function startRamp(context: Context, input: Omit<RampInput, 'stack_id'>): Promise<RampResult> {
  const mode = modeOf(input);
  // The service may be down when a ramp has to be paused, so the stack is looked up on this machine.
  const localStack = mode && mode !== 'resume' ? readStackOfRamp(context) : undefined;
  const stack_id = localStack ?? String(await context.resolveTarget(stackParam));
  const base = { context, files: rampFiles(context, stack_id) };
  const stackArgument = (localStack && context.host.settings.get('stack').value) ?? stack_id;
  if (mode === undefined) return startOrResume(base, { ...input, stack_id });
  if (mode === 'status') return showRamp(base, stackArgument);
  if (mode === 'resume') return resumeRamp(base, mode, noRampError(stack_id, true));
  const lockHolder = base.files.readHolder();
  const missingRampError = noRampError(stackArgument, false);
  if (lockHolder !== undefined) return requestStop(base, mode, lockHolder, missingRampError);
  if (mode === 'pause') throw missingRampError;
  const verifiedStack = String(await context.resolveTarget(stackParam));
  return resumeRamp({ context, files: rampFiles(context, verifiedStack) }, mode, missingRampError);
}

async function resumeRamp(base: RampBase, mode: 'resume' | 'abort', missingRampError: CliError): Promise<RampResult> {
  const saved = base.files.readTrusted();
  if (!saved) throw missingRampError;
  return startOrResume(base, saved.options, { mode, saved });
}

async function showRamp({ context, files }: RampBase, stack_id: string): Promise<RampResult> {
  const saved = files.read();
  if (!saved) throw noRampError(stack_id, true);
  const lockHolder = files.readHolder();
  const stateText = lockHolder === undefined ? (saved.ended ?? 'interrupted') : `running${lockHolder}`;
  const ageText = `began ${relativeText(new Date(msOf(saved.started_at)), context.now())}`;
  const canAbort = lockHolder === undefined && !saved.is_exposed && saved.share > saved.options.abort_to;
  const command = [{ path: 'variant ramp', flags: ['--abort'], stack_id }];
  return printResult(context, eventNow(context, 'status', { ...progressOf(saved), result: stateText }), {
    lines: [`${progressText(saved)}, ${stateText}, ${ageText}`],
    ...(canAbort && { next: { about: 'take the traffic back', command } }),
  });
}

async function requestStop(base: RampBase, mode: StopRequest['how'], lockHolder: string, missingRampError: CliError) {
  const { context, files } = base;
  const saved = files.read();
  if (!saved) throw missingRampError;
  if (!context.dryRun) files.writeRequest(mode);
  const line = `${context.dryRun ? 'would ask' : 'asked'} the ramp${lockHolder} to ${mode}: ${progressText(saved)}`;
  const event = eventNow(context, mode, { ...progressOf(saved), result: `running${lockHolder}` });
  return printResult(context, event, { lines: [line] });
}

async function printResult(context: Context, event: RampEvent, summary: Summary): Promise<RampResult> {
  await context.printEvent(event);
  return { ...event, summary };
}

function progressOf({ variant, step, share }: SavedRamp) {
  return { variant, step: step + 1, share };
}

function progressText({ variant, share, step, options }: SavedRamp): string {
  return `${variant} ${share} %, step ${step + 1} of ${options.steps?.length}`;
}

function noRampError(stack_id: string, isNoneSaved: boolean): CliError {
  const message = `no ramp of this stack ${isNoneSaved ? '' : 'runs '}on this machine`;
  const hint = { path: 'variant list', stack_id };
  return new CliError('not_found', message, { nothing: isNoneSaved ? undefined : 'changed', hint });
}

function secondRampError(lockHolder: string, stack_id: string): CliError {
  const hint = { path: 'variant ramp', flags: ['--status'], stack_id };
  return refusedChangeError(`a ramp of this stack is running${lockHolder}`, hint);
}

async function startOrResume(base: RampBase, options: RampInput, resumed?: ResumedRamp): Promise<RampResult> {
  const { context, files } = base;
  const { stack_id } = options;
  const rules = readRules(options);
  const checksOf = readChecks(options, context);
  const eventCommand = options.on_event === undefined ? undefined : readCommand('--on-event', options.on_event);
  const lockHolder = files.readHolder();
  if (lockHolder !== undefined) throw secondRampError(lockHolder, stack_id);
  const rollout = await readRollout(context, stack_id);
  const beginning = resumed ? resumedRamp(base, resumed, rules, rollout) : newRamp(context, options, rules, rollout);
  const { canary, saved, beginAt } = beginning;
  const { state } = beginAt(context.elapsed());
  const { share } = state;
  const setup = { ...base, rules, canary, checks: checksOf(canary.commit), saved, isNew: !resumed, state };
  const schedule: string[] = [];
  if ('step' in state) {
    if (rules.confirmSteps && !context.ask && !context.dryRun) {
      throw new CliError('usage', '--confirm-steps needs a terminal', { nothing: 'changed' });
    }
    const backCommand = resumed && share > rules.abortTo ? weightCommand(canary, rules.abortTo) : undefined;
    await tryChecks(setup, { share, env: environmentOf(setup) }, backCommand);
    warnOfMisses(context, rules, options);
    schedule.push(...scheduleLines(setup, state.step, share));
  }
  if (context.dryRun) {
    const event = eventNow(context, 'preflight', { variant: canary.uid, share });
    return printResult(context, event, { lines: [...beginning.plan, ...schedule] });
  }
  for (const line of schedule) context.note(line);
  if (beginning.isAsked || context.isProtected) await context.confirm(beginning.question);
  return runLocked(setup, beginAt, eventCommand);
}

async function runLocked(setup: RampSetup, beginAt: BeginAt, eventCommand?: readonly string[]): Promise<RampResult> {
  const { context, files, canary } = setup;
  const lock = files.lock();
  if (typeof lock === 'string') throw secondRampError(lock, canary.stack_id);
  try {
    files.removeLeftovers();
    if (setup.isNew) files.clearLog();
    // An old request is dropped, because only later requests are for this ramp.
    files.dropRequest();
    await context.approve(() => callForApproval(setup));
    context.note(`output of the checks: ${files.log}`);
    const eventProgram = eventCommand && { commandLine: eventCommand, env: () => environmentOf(ramp) };
    // The time of the step begins here, after the question.
    const { state, effects } = beginAt(context.elapsed());
    const ramp: RampRun = { ...setup, lock, reporter: createReporter(context, eventProgram), state };
    return await reportEnd(ramp, await runRamp(ramp, effects));
  } finally {
    await tryOrWarn(context.warn, 'the lock of the ramp is left', lock.release);
  }
}

/** Makes all calls of the ramp within `approve`, which sends none of them, so one approval covers the whole ramp. */
async function callForApproval({ context, canary, rules, state }: RampSetup): Promise<void> {
  const variantIds = { stack_id: canary.stack_id, id: canary.uid };
  const isRampUp = 'step' in state;
  const steps = isRampUp ? rules.steps.filter((one) => one > state.share) : [];
  for (const share of [...steps, rules.abortTo]) {
    await context.call(variants.update, { ...variantIds, operation: 'percentage', canary_percentage: share });
  }
  if (isRampUp && rules.commit) await context.call(variants.update, { ...variantIds, operation: 'commit' });
}

async function reportEnd(ramp: RampRun, endedState: EndedState): Promise<RampResult> {
  const { context, reporter, files, canary } = ramp;
  const { share } = endedState;
  const ending = endingOf(endedState, { ...ramp, shareBefore: ramp.saved.share_before });
  const { change, summary, event, error, isResumable, checkOutput } = ending;
  if (!isResumable) await tryOrWarn(context.warn, 'the state of the ramp is left', files.remove);
  for (const line of checkOutput) context.note(`  | ${line}`);
  const reasonField = error && { reason: [error.message, ...checkOutput].join('\n') };
  if (event) reporter.emit(event, { share, ...reasonField });
  const exit_code = error ? exitCodeOf(error) : 0;
  const row = reporter.emit('ended', { variant: canary.uid, share, ...reasonField, exit_code, change });
  await reporter.finish();
  const value = { ...row, summary };
  if (error) throw error.with({ partial: { value } });
  return value;
}
