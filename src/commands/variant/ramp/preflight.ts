import type { CommandLine } from '../../../contract/command-line.ts';
import { shortHash } from '../../../contract/values/git-hash.ts';
import { preciseDuration } from '../../../contract/values/time.ts';
import { CliError, type ErrorKind } from '../../../errors/cli-error.ts';
import { exitCodesOfSignals } from '../../../errors/exit-codes.ts';
import { type CheckOptions, programCheck, type RampCheck } from './check.ts';
import type { Rules } from './machine/state.ts';
import { type RampInput, readAddress, readCommand } from './options.ts';
import { clockOf } from './report.ts';
import type { RampContext, RampServices } from './services.ts';
import { readOnlyFrom, urlCheck } from './url-check.ts';

/** The checks of a ramp, as soon as the commit of its canary is known. Throws usage for one that cannot be meant. */
export function readChecks(input: RampInput, services: RampServices): (commit: string) => readonly RampCheck[] {
  const { check = [], check_url = [], only_from, expect, requests, check_timeout: timeoutMs } = input;
  const programs = check.map((text) => programCheck(readCommand('--check', text), { text, timeoutMs }, services));
  const addresses = check_url.map(readAddress);
  const isOf = only_from === undefined ? undefined : readOnlyFrom(only_from);
  return (commit) => {
    const rules = { timeoutMs, expect, requests, isOurs: isOf?.(commit), commit: shortHash(commit) };
    const checks = [...programs, ...addresses.map((url) => urlCheck(url, rules, services))];
    const isAlone = ({ name }: RampCheck) => checks.filter((one) => one.name === name).length === 1;
    return checks.map((one, at) => (isAlone(one) ? one : { ...one, name: `${one.name} (${at + 1})` }));
  };
}

/**
 * Runs each check once; `back` returns the traffic that an earlier run left. Throws operation_failed, pending, usage or
 * interrupted; nothing was changed then.
 */
export async function tryChecks(
  context: RampContext,
  { withSignalHandler }: Pick<RampServices, 'withSignalHandler'>,
  checks: readonly RampCheck[],
  { back, ...place }: CheckOptions & { readonly back: CommandLine | undefined },
): Promise<void> {
  const stop = new AbortController();
  const onSignal = (signal: NodeJS.Signals) => {
    if (signal in exitCodesOfSignals) stop.abort(signal);
  };
  // A check leads its own group: if a second signal ended us at once, it would go on without us.
  const tried = await withSignalHandler(onSignal, () =>
    context.during(
      () => 'trying the checks',
      () => Promise.all(checks.map(async (check) => ({ check, found: await check.run(place, stop.signal) }))),
    ),
  );
  const { aborted, reason } = stop.signal;
  if (aborted) {
    const exitCode = exitCodesOfSignals[reason];
    throw new CliError('interrupted', `interrupted (${reason})`, { nothing: 'changed', exitCode });
  }
  for (const { check, found } of tried) {
    const { result, said, isAnswered, isUnstartable } = found;
    if (result === 'good' || (result === 'held' && isAnswered)) continue;
    const [reason = '', ...printed] = said.split('\n');
    for (const line of printed) context.note(`  | ${line}`);
    const refuse = (kind: ErrorKind, state: string) =>
      new CliError(kind, `check ${check.name} ${state} before the ramp: ${reason}`, { nothing: 'changed' });
    if (isUnstartable) throw refuse('usage', 'could not start');
    if (result === 'held') throw refuse('pending', 'holds');
    throw refuse('operation_failed', 'failed').with({ hint: back });
  }
}

/** The schedule, the checks, and how many requests they are. */
export function scheduleLines(rules: Rules, checks: readonly RampCheck[], now: Date): readonly string[] {
  const form = rules.everyMs % 60_000 === 0 ? 'hh:mm' : 'hh:mm:ss';
  const timeOf = (step: number) => clockOf(new Date(now.getTime() + step * rules.everyMs)).slice(0, form.length);
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

function failureText({ onFailure, abortTo, failureLimit }: Rules): string {
  const after = failureLimit === 0 ? 'the first failure' : `more than ${failureLimit} failures in a step`;
  return `after ${after}: ${onFailure === 'abort' ? `back to ${abortTo} %` : 'the share stays'}`;
}

/** What address checks miss that cannot tell the canary from the other version; undefined where there are none. */
export function missWarning(
  { steps, everyMs, intervalMs }: Rules,
  { check_url = [], only_from }: RampInput,
): string | undefined {
  const [share = 100] = steps;
  if (check_url.length === 0 || only_from !== undefined || share === 100) return undefined;
  const count = Math.max(1, Math.floor(everyMs / intervalMs));
  const missed = Math.round(100 * (1 - share / 100) ** count);
  return `at ${share} %, ${count} checks of a public address miss the canary with ${missed} %; --only-from tells it apart`;
}
