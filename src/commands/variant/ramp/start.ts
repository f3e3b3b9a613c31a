import type { Context } from '../../../contract/command.ts';
import { shortHash } from '../../../contract/values/git-hash.ts';
import { msOf, relativeText } from '../../../contract/values/time.ts';
import { CliError } from '../../../errors/cli-error.ts';
import { exitCodeOf } from '../../../errors/exit-codes.ts';
import { inStack } from '../../../resources/shared.ts';
import { variants } from '../../../resources/variant.ts';
import { newRamp, resumedRamp } from './begin.ts';
import { endingOf } from './ending.ts';
import { resume } from './machine/machine.ts';
import type { Next } from './machine/state.ts';
import { type Mode, modeOf, type RampInput, readCommand, readRules } from './options.ts';
import { readChecks, scheduleLines, tryChecks, warnOfMisses } from './preflight.ts';
import { type RampFiles, rampedStack, rampFiles, type SavedRamp } from './ramp-file.ts';
import { readRollout } from './read-canary.ts';
import { createReporter, eventNow, type RampResult } from './report.ts';
import { type Ended, runRamp } from './run.ts';
import { environmentOf, type RampRun } from './work.ts';

/** Begins or resumes a ramp, or shows, pauses or aborts the running one. */
export async function startRamp(context: Context, input: Omit<RampInput, 'stack_id'>): Promise<RampResult> {
  const mode = modeOf(input);
  const asks = mode !== undefined && mode !== 'resume';
  // The service may be down when a ramp has to be paused.
  const known = asks ? rampedStack(context) : undefined;
  const stack_id = known ?? String(await context.resolveTarget(inStack));
  const files = rampFiles(context, stack_id);
  if (asks) return askRamp({ context, files }, (known && context.host.settings.get('stack').value) ?? stack_id, mode);
  if (mode === undefined) return start(context, files, { options: { ...input, stack_id } });
  const earlier = files.readTrusted();
  if (!earlier) throw noRamp(stack_id, true);
  return start(context, files, { options: earlier.options, earlier });
}

/** Shows the ramp of a stack on this machine, or asks the running one to end. */
async function askRamp(
  { context, files }: Pick<RampRun, 'context' | 'files'>,
  stack_id: string,
  mode: Exclude<Mode, 'resume'>,
): Promise<RampResult> {
  const saved = files.read();
  const holder = files.holder();
  if (!saved || (mode !== 'status' && holder === undefined)) throw noRamp(stack_id, mode === 'status');
  if (mode !== 'status' && !context.dryRun) files.request(mode);
  const { variant, share, step, options } = saved;
  const result = holder === undefined ? (saved.ended ?? 'interrupted') : `running${holder}`;
  const location = `${variant} ${share} %, step ${step + 1} of ${options.steps?.length}`;
  const since = `began ${relativeText(new Date(msOf(saved.started_at)), context.now())}`;
  const asked = `${context.dryRun ? 'would ask' : 'asked'} the ramp${holder} to ${mode}: ${location}`;
  const row = eventNow(context, mode, { variant, step: step + 1, share, result });
  await context.event(row);
  return { ...row, summary: { lines: [mode === 'status' ? `${location}, ${result}, ${since}` : asked] } };
}

function noRamp(stack_id: string, isKnown: boolean): CliError {
  const message = `no ramp of this stack ${isKnown ? '' : 'runs '}on this machine`;
  const hint = { path: 'variant list', stack_id };
  return new CliError('not_found', message, { nothing: isKnown ? undefined : 'changed', hint });
}

function secondRamp(holder: string, stack_id: string): CliError {
  return new CliError('rejected', `a ramp of this stack is running${holder}`, {
    nothing: 'sent',
    hint: { path: 'variant ramp', flags: ['--status'], stack_id },
  });
}

async function start(
  context: Context,
  files: RampFiles,
  { options, earlier }: { readonly options: RampInput; readonly earlier?: SavedRamp },
): Promise<RampResult> {
  const { stack_id, on_event } = options;
  const rules = readRules(options);
  const checksOf = readChecks(options, context);
  const eventCommand = on_event === undefined ? undefined : readCommand('--on-event', on_event);
  if (rules.confirmSteps && !context.ask && !context.dryRun) {
    throw new CliError('usage', '--confirm-steps needs a terminal', { nothing: 'changed' });
  }
  const holder = files.holder();
  if (holder !== undefined) throw secondRamp(holder, stack_id);
  const rollout = await readRollout(context, stack_id);
  const begun = earlier ? resumedRamp(context, earlier, rules, rollout) : newRamp(context, options, rules, rollout);
  const { canary, saved, first, question, isAsked, back } = begun;
  const { phase, share } = first.state;
  const checks = checksOf(canary.commit);
  const envOf = environmentOf(canary, rules, saved.share_before);
  if (phase === 'setting' || phase === 'soaking') {
    await tryChecks({ context, checks }, { share, env: envOf(first.state), back });
  }
  warnOfMisses(context, rules, options);
  const head = `${canary.uid}, commit ${shortHash(canary.commit)}, has ${share} %. At the earliest:`;
  const rest = 'step' in first.state && { ...rules, steps: rules.steps.slice(first.state.step) };
  const schedule = rest ? [head, ...scheduleLines(rest, checks, context.now())] : [];
  if (context.dryRun) {
    const lines = earlier ? [`would resume the ramp of ${canary.uid} at ${share} %`, ...schedule] : schedule;
    const row = eventNow(context, 'preflight', { variant: canary.uid, share });
    await context.event(row);
    return { ...row, summary: { lines } };
  }
  for (const line of schedule) context.note(line);
  if (isAsked || context.isProtected) await context.confirm(question);
  const plan = { context, files, rules, canary, checks, envOf, saved, isNew: !earlier };
  return runLocked(plan, first, eventCommand);
}

async function runLocked(
  plan: Omit<RampRun, 'lock' | 'reporter' | 'state'>,
  first: Next,
  eventCommand: readonly string[] | undefined,
): Promise<RampResult> {
  const { context, files, rules, canary } = plan;
  const lock = files.lock();
  if (typeof lock === 'string') throw secondRamp(lock, canary.stack_id);
  try {
    files.removeLeftovers();
    if (plan.isNew) files.clearLog();
    // Drops a request to an earlier ramp; from here on requests are for this one.
    files.takeRequest();
    await context.approve(() => sendAll(plan, first.state.share));
    context.note(`output of the checks: ${files.log}`);
    const onEvent = eventCommand && { commandLine: eventCommand, env: () => plan.envOf(ramp.state) };
    const reporter = createReporter(context, onEvent);
    // The soak begins after the question.
    const { state, effects } = first.state.phase === 'soaking' ? resume(rules, first.state, context.elapsed()) : first;
    const ramp: RampRun = { ...plan, lock, reporter, state };
    return await report(ramp, await runRamp(ramp, effects));
  } finally {
    lock.release();
  }
}

/** Every request that a ramp may send, for one approval at its beginning. */
async function sendAll({ context, canary, rules }: Pick<RampRun, 'context' | 'canary' | 'rules'>, from: number) {
  const place = { stack_id: canary.stack_id, id: canary.uid };
  for (const share of [...rules.steps.filter((one) => one > from), rules.abortTo]) {
    await context.call(variants.update, { ...place, operation: 'percentage', canary_percentage: share });
  }
  if (rules.commit) await context.call(variants.update, { ...place, operation: 'commit' });
}

/** Reports how a ramp ended; throws its error. */
async function report({ context, reporter, files, saved, ...ramp }: RampRun, ended: Ended): Promise<RampResult> {
  const { share } = ended;
  const place = { ...ramp, shareBefore: saved.share_before, now: context.now() };
  const { change, summary, event, error, isResumable, printed } = endingOf(ended, place);
  if (!isResumable) files.remove();
  for (const line of printed) context.note(`  | ${line}`);
  const why = error && { reason: [error.message, ...printed].join('\n') };
  if (event) reporter.emit(event, { share, ...why });
  const exit_code = error ? exitCodeOf(error) : 0;
  const row = reporter.emit('ended', { variant: ramp.canary.uid, share, ...why, exit_code, change });
  await reporter.finished();
  const value: RampResult = { ...row, summary };
  if (error) throw error.with({ partial: { value } });
  return value;
}
