import type { Context } from '../../../contract/command.ts';
import { shortHash } from '../../../contract/values/git-hash.ts';
import { CliError } from '../../../errors/cli-error.ts';
import { exitCodeOf } from '../../../errors/exit-codes.ts';
import { inStack } from '../../../resources/shared.ts';
import { variants } from '../../../resources/variant.ts';
import { askRamp, noRamp, secondRamp } from './ask-ramp.ts';
import { newRamp, resumedRamp } from './begin.ts';
import { endingOf } from './ending.ts';
import { resume } from './machine/machine.ts';
import type { Next } from './machine/state.ts';
import { modeOf, type RampInput, readCommand, readRules } from './options.ts';
import { missWarning, readChecks, scheduleLines, tryChecks } from './preflight.ts';
import { type RampFiles, rampedStack, rampFiles, type SavedRamp } from './ramp-file.ts';
import { readWorld } from './read-canary.ts';
import { createReporter, eventNow, type RampResult } from './report.ts';
import { type Ended, runRamp } from './run.ts';
import type { RampContext, RampServices } from './services.ts';
import { environmentOf, type RampRun } from './work.ts';

/** `variant ramp`: a new ramp, one that goes on, or what was asked of the one of this stack. */
export async function startRamp(
  given: Context,
  typed: Omit<RampInput, 'stack_id'>,
  services: RampServices,
): Promise<RampResult> {
  // Not a copy: whether it is a dry run may change meanwhile.
  const context: RampContext = Object.assign(Object.create(given), await given.longRun());
  const mode = modeOf(typed);
  const asks = mode !== undefined && mode !== 'resume';
  // The service may be down when a ramp has to be paused.
  const known = asks ? rampedStack(services, context.warn) : undefined;
  const stack_id = known ?? String(await context.resolveTarget(inStack));
  const files = rampFiles(services, stack_id, context.warn);
  if (asks) return askRamp(context, (known && services.stack()) ?? stack_id, files, mode);
  if (mode === undefined) return start(context, services, files, { options: { ...typed, stack_id } });
  const earlier = files.readTrusted();
  if (!earlier) throw noRamp(stack_id, true);
  return start(context, services, files, { options: earlier.options, earlier });
}

async function start(
  context: RampContext,
  services: RampServices,
  files: RampFiles,
  { options, earlier }: { readonly options: RampInput; readonly earlier?: SavedRamp },
): Promise<RampResult> {
  const { stack_id, on_event } = options;
  const rules = readRules(options);
  const checksOf = readChecks(options, services);
  const eventCommand = on_event === undefined ? undefined : readCommand('--on-event', on_event);
  if (rules.confirmSteps && !context.ask && !context.dryRun) {
    throw new CliError('usage', '--confirm-steps needs a terminal', { nothing: 'changed' });
  }
  const holder = files.holder();
  if (holder !== undefined) throw secondRamp(holder, stack_id);
  const app = await readWorld(context, stack_id);
  const begun = earlier ? resumedRamp(context, earlier, rules, app) : newRamp(context, options, rules, app);
  const { canary, saved, first, question, back } = begun;
  const { phase, share } = first.state;
  const checks = checksOf(canary.commit);
  const envOf = environmentOf(canary, rules, saved.share_before);
  if (phase === 'setting' || phase === 'soaking') {
    await tryChecks(context, services, checks, { share, env: envOf(first.state), back });
  }
  const warning = missWarning(rules, options);
  if (warning !== undefined) context.warn(warning);
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
  if (question) await context.confirm(question);
  const plan = { context, services, files, rules, canary, checks, envOf, saved, isNew: !earlier };
  return runLocked(plan, first, eventCommand);
}

async function runLocked(
  plan: Omit<RampRun, 'lock' | 'reporter' | 'state'>,
  first: Next,
  eventCommand: readonly string[] | undefined,
): Promise<RampResult> {
  const { context, services, files, rules, canary } = plan;
  const lock = files.lock();
  if (typeof lock === 'string') throw secondRamp(lock, canary.stack_id);
  try {
    files.removeLeftovers();
    if (plan.isNew) files.clearLog();
    // One that was meant for an earlier ramp; this one can be asked from now on.
    files.takeRequest();
    await context.approve(() => sendAll(plan, first.state.share));
    context.note(`output of the checks: ${files.log}`);
    const onEvent = eventCommand && { commandLine: eventCommand, env: () => plan.envOf(ramp.state) };
    const reporter = createReporter(context, services, onEvent);
    // It was planned before it was asked about.
    const { state, effects } = first.state.phase === 'soaking' ? resume(rules, first.state, context.elapsed()) : first;
    const ramp: RampRun = { ...plan, lock, reporter, state };
    return await report(ramp, await runRamp(ramp, effects));
  } finally {
    lock.release();
  }
}

/** All that a ramp may send: whoever approves it is not asked again at night. */
async function sendAll({ context, canary, rules }: Pick<RampRun, 'context' | 'canary' | 'rules'>, from: number) {
  const place = { stack_id: canary.stack_id, id: canary.uid };
  for (const share of [...rules.steps.filter((one) => one > from), rules.abortTo]) {
    await context.call(variants.update, { ...place, operation: 'percentage', canary_percentage: share });
  }
  if (rules.commit) await context.call(variants.update, { ...place, operation: 'commit' });
}

/** Tells how a ramp ended; throws what its exit code says. */
async function report({ context, reporter, files, saved, ...ramp }: RampRun, ended: Ended): Promise<RampResult> {
  const { share } = ended;
  const place = { ...ramp, shareBefore: saved.share_before, now: context.now() };
  const { change, summary, event, error, isResumable, printed } = endingOf(ended, place);
  if (!isResumable) files.remove();
  for (const line of printed) context.note(`  | ${line}`);
  const why = error && { reason: [error.message, ...printed].join('\n') };
  if (event) reporter.tell(event, { share, ...why });
  const exit_code = error ? exitCodeOf(error) : 0;
  const row = reporter.tell('ended', { variant: ramp.canary.uid, share, ...why, exit_code, change });
  await reporter.finished();
  const value: RampResult = { ...row, summary };
  if (error) throw error.with({ partial: { value } });
  return value;
}
