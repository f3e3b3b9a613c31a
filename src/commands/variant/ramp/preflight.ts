import type { Context } from '../../../contract/command.ts';
import type { CommandLine } from '../../../contract/command-line.ts';
import { shortHash } from '../../../contract/values/git-hash.ts';
import { preciseDuration } from '../../../contract/values/time.ts';
import { CliError, type ErrorKind } from '../../../errors/cli-error.ts';
import { exitCodesOfSignals } from '../../../errors/exit-codes.ts';
import { type CheckOptions, programCheck, type RampCheck } from './check.ts';
import type { RampRun } from './effects.ts';
import type { Rules } from './machine/state.ts';
import { type RampInput, readAddress, readCommand } from './options.ts';
import { clockOf } from './report.ts';
import { readOnlyFrom, urlCheck } from './url-check.ts';

/** The checks of a ramp, as soon as the commit of its canary is known. Throws usage for one that cannot be meant. */
export function readChecks(input: RampInput, context: Context): (commit: string) => readonly RampCheck[] {
  const { check = [], check_url = [], only_from, expect, requests, check_timeout: timeoutMs } = input;
  const programs = check.map((text) => programCheck(readCommand('--check', text), { text, timeoutMs }, context));
  const addresses = check_url.map(readAddress);
  const onlyFrom = only_from === undefined ? undefined : readOnlyFrom(only_from);
  return (commit) => {
    const rules = { timeoutMs, expect, requests, isCanary: onlyFrom?.(commit), commit: shortHash(commit) };
    const checks = [...programs, ...addresses.map((url) => urlCheck(url, rules, context.host))];
    const isAlone = ({ name }: RampCheck) => checks.filter((one) => one.name === name).length === 1;
    return checks.map((one, at) => (isAlone(one) ? one : { ...one, name: `${one.name} (${at + 1})` }));
  };
}

/**
 * Runs each check once; `back` returns the traffic that an earlier run left. Throws operation_failed, pending, usage or
 * interrupted; nothing was changed then.
 */
export async function tryChecks(
  { context, checks }: Pick<RampRun, 'context' | 'checks'>,
  { back, ...options }: CheckOptions & { readonly back: CommandLine | undefined },
): Promise<void> {
  const stop = new AbortController();
  const onSignal = (signal: NodeJS.Signals) => {
    if (signal in exitCodesOfSignals) stop.abort(signal);
  };
  // A check leads its own group, so it would outlive us if a second signal ended us at once.
  const tried = await context.host.programs.withSignalHandler(onSignal, () =>
    context.during(
      () => 'trying the checks',
      () => Promise.all(checks.map(async (check) => ({ check, found: await check.run(options, stop.signal) }))),
    ),
  );
  const { aborted, reason: signal } = stop.signal;
  if (aborted) {
    const exitCode = exitCodesOfSignals[signal];
    throw new CliError('interrupted', `interrupted (${signal})`, { nothing: 'changed', exitCode });
  }
  for (const { check, found } of tried) {
    const { result, reason, output = [], isAnswered, isUnstartable } = found;
    if (result === 'good' || (result === 'held' && isAnswered)) continue;
    for (const line of output) context.note(`  | ${line}`);
    const refuse = (kind: ErrorKind, state: string) =>
      new CliError(kind, `check ${check.name} ${state} before the ramp: ${reason}`, { nothing: 'changed' });
    if (isUnstartable) throw refuse('usage', 'could not start');
    if (result === 'held') throw refuse('pending', 'holds');
    throw refuse('operation_failed', 'failed').with({ hint: back });
  }
}

/** The schedule, the checks, and the number of their requests. */
export function scheduleLines(rules: Rules, checks: readonly RampCheck[], now: Date): readonly string[] {
  const stepMs = leastStepMs(rules);
  const form = stepMs % 60_000 === 0 ? 'hh:mm' : 'hh:mm:ss';
  const timeOf = (step: number) => clockOf(new Date(now.getTime() + step * stepMs)).slice(0, form.length);
  const times = rules.steps.map((step, at) => `${timeOf(at)} ${step} %`);
  const end = `${timeOf(rules.steps.length)} UTC ${rules.commit ? 'commit' : 'end'}`;
  const perMinute = (check: RampCheck) =>
    Math.round((check.requestsAt(rules.steps[0] ?? 1) * 60_000) / rules.intervalMs);
  const requests = checks.reduce((sum, check) => sum + perMinute(check), 0);
  return [
    `  ${[...times, end].join(', ')}`,
    ...checks.map(({ name, about }) => `  check ${name} every ${preciseDuration(rules.intervalMs)}: ${about}`),
    `  requests a minute: 4 to the service${requests > 0 ? `, up to ${requests} by checks` : ''}`,
    `  ${failureText(rules)}`,
  ];
}

/** A step needs its time and all its checks. */
function leastStepMs({ everyMs, initialDelayMs, intervalMs, minChecks }: Rules): number {
  return Math.max(everyMs, initialDelayMs + (minChecks - 1) * intervalMs);
}

function failureText({ onFailure, abortTo, failureLimit }: Rules): string {
  const after = failureLimit === 0 ? 'the first failure' : `more than ${failureLimit} failures in a step`;
  return `after ${after}: ${onFailure === 'abort' ? `back to ${abortTo} %` : 'the share stays'}`;
}

/** Warns where checks of a public address may miss the canary. */
export function warnOfMisses(
  { warn }: Context,
  { steps, everyMs, intervalMs, minChecks }: Rules,
  { check_url = [], only_from }: RampInput,
): void {
  const [share = 100] = steps;
  if (check_url.length === 0 || only_from !== undefined || share === 100) return;
  const count = Math.max(minChecks, Math.floor(everyMs / intervalMs));
  const missed = Math.round(100 * (1 - share / 100) ** count);
  warn(
    `at ${share} %, ${count} checks of a public address miss the canary with ${missed} %; --only-from tells it apart`,
  );
}
