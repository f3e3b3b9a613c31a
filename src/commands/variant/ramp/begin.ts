import { assertAllowed, findAmong } from '../../../builders/resource/find.ts';
import type { Context } from '../../../contract/command.ts';
import type { CommandLine } from '../../../contract/command-line.ts';
import { shortHash } from '../../../contract/values/text.ts';
import { exactDurationText, isoText, msOf, relativeText } from '../../../contract/values/time.ts';
import { CliError, type ErrorKind, exitCodesOfSignals, refusedChangeError } from '../../../errors/cli-error.ts';
import { readStackTitle } from '../../../resources/stack.ts';
import { variant, variantKind } from '../../../resources/variant.ts';
import { busyReasons } from '../../status/busy.ts';
import { type CheckOptions, programCheck, type RampCheck, readCanaryTest, urlCheck } from './checks.ts';
import { isCanaryCommitted, type RampRun } from './effects.ts';
import { beginSteps } from './machine/machine.ts';
import { finish, type Next, type RampEnd, type RampRules, rollBack } from './machine/state.ts';
import { type RampInput, readCheckUrl, readCommand } from './options.ts';
import type { SavedRamp } from './ramp-file.ts';
import { activeVariantOf, type Canary, changeByOthers, newestDeploymentId, type Rollout } from './read-canary.ts';
import { clockTime } from './report.ts';

const staleMs = 24 * 3_600_000;

/** Throws `not_found` or `ambiguous` unless one variant fits, and `rejected` if it or the stack cannot begin a ramp. */
export function newRamp(context: Context, options: RampInput, rules: RampRules, rollout: Rollout) {
  const { stack_id, id = 'canary' } = options;
  const row = findAmong(variant, rollout.variants, id, { stack_id });
  const kind = variantKind(row) ?? 'of unknown type';
  assertAllowed(variant, row, { stack_id }, kind === 'canary' ? undefined : `${kind}, not a canary`);
  const { uid, git_hash: commit, percentage: share } = row;
  const refusalFor = (reason: string) => refusedChangeError(reason, { path: 'status', stack_id });
  if (!commit) throw refusalFor(`variant ${uid} shows no commit`);
  if (typeof share !== 'number') throw refusalFor(`variant ${uid} shows no share of traffic`);
  const [busyReason] = busyReasons(rollout);
  if (busyReason !== undefined) throw refusalFor(busyReason);
  const [first = 0] = rules.steps;
  if (first <= share) throw refusalFor(`variant ${uid} has ${share} % already, and the first step is ${first} %`);
  if (!rollout.deployments) context.warn('the token may not read deployments: a new one does not end the ramp');
  const activeCommit = activeVariantOf(rollout.variants)?.git_hash ?? null;
  const shareChangeText = `from ${share} % to ${rules.steps.at(-1)} %${rules.commit ? ' and commit it' : ''}`;
  return {
    canary: { stack_id, uid, commit, activeCommit, newestDeployment: newestDeploymentId(rollout.deployments) },
    saved: { started_at: isoText(context.now()), share_before: share, options },
    beginAt: (nowMs: number) => beginSteps(rules, share, nowMs),
    question: {
      name: uid,
      text: async () => `Ramp ${uid} of ${await readStackTitle(context, stack_id)} ${shareChangeText}`,
      details: () => [`commit ${shortHash(commit)}`],
      ...(rules.commit && { warning: 'The commit is final.' }),
    },
    isAsked: true,
    plan: [],
  };
}

export type RampBase = Pick<RampRun, 'context' | 'files'>;

export interface ResumedRamp {
  readonly mode: 'resume' | 'abort';
  readonly saved: SavedRamp;
}

/** `--abort` takes the traffic back. Throws `rejected` if another user changed the variants or deployed meanwhile. */
export function resumedRamp(base: RampBase, { mode, saved }: ResumedRamp, rules: RampRules, rollout: Rollout) {
  const { context, files } = base;
  const { variant: uid, commit, active_commit: activeCommit, deployment: newestDeployment, options } = saved;
  const { stack_id } = options;
  const canary = { stack_id, uid, commit, activeCommit, newestDeployment };
  const share = rollout.variants.find((one) => one.uid === uid)?.percentage ?? saved.share;
  const lastSeenAt = new Date(msOf(saved.updated_at));
  const isAbort = mode === 'abort';
  const isReturning =
    isAbort || [files.readRequest(), saved.requested].includes('abort') || saved.phase === 'returning';
  const rampText = `the ramp of ${uid} at ${share} %`;
  const shareChangeText = `the traffic of ${uid} back from ${share} % to ${rules.abortTo} %`;
  return {
    canary,
    saved: isAbort ? { ...saved, share_before: share } : saved,
    beginAt: beginningOf(saved, rules, rollout, { canary, share, isAbort, isReturning }),
    question: {
      name: uid,
      text: async () =>
        isAbort ? `Take ${shareChangeText} in ${await readStackTitle(context, stack_id)}` : `Resume ${rampText}`,
      details: () => [`commit ${shortHash(commit)}`, `last seen ${relativeText(lastSeenAt, context.now())}`],
    },
    isAsked: isAbort ? share > rules.abortTo : context.now().getTime() - lastSeenAt.getTime() > staleMs,
    plan: [isAbort ? `would take ${shareChangeText}` : `would resume ${rampText}`],
  };
}

export type BeginAt = (nowMs: number) => Next;

interface Resumption {
  readonly canary: Canary;
  /** The share that the service shows now. */
  readonly share: number;
  readonly isAbort: boolean;
  readonly isReturning: boolean;
}

function beginningOf(saved: SavedRamp, rules: RampRules, rollout: Rollout, resumption: Resumption): BeginAt {
  const { phase, step, share: savedShare, may_have } = saved;
  const { canary, share, isAbort, isReturning } = resumption;
  if (phase === 'committing') {
    // The commit may have been carried out, so no share is set and the commit is not sent again.
    const why = 'it was sent, and the service does not show it';
    const isCommitShown = isCanaryCommitted(rollout.variants, canary);
    const outcome: RampEnd = isCommitShown ? { kind: 'committed' } : { kind: 'unknown', what: 'commit', why };
    return () => finish({ share: savedShare }, outcome);
  }
  const target = phase === 'setting' ? rules.steps[step] : undefined;
  const shares = [savedShare, may_have, target].filter((one) => one !== undefined);
  const why = changeByOthers(rollout, canary, isReturning ? [...shares, rules.abortTo] : shares);
  if (why !== undefined) {
    const hint = { path: 'variant list', stack_id: canary.stack_id };
    throw refusedChangeError(`cannot ${isAbort ? 'abort' : 'resume'}: ${why}`, hint);
  }
  if (!isReturning) return (nowMs) => beginSteps(rules, share, nowMs);
  const end: RampEnd = isAbort ? { kind: 'returned' } : { kind: 'stopped', how: 'abort', by: 'request' };
  return (nowMs) => rollBack(rules, { share, mayHave: Math.max(...shares) }, end, nowMs);
}

/** Returns a function that makes the checks of a ramp for its canary's commit. Throws `usage` for an invalid check. */
export function readChecks(input: RampInput, context: Context): (commit: string) => readonly RampCheck[] {
  const { check = [], check_url = [], only_from, expect, requests, check_timeout: timeoutMs } = input;
  const programChecks = check.map((text) => programCheck(readCommand('--check', text), { text, timeoutMs }, context));
  const urls = check_url.map(readCheckUrl);
  const canaryTestFor = only_from === undefined ? undefined : readCanaryTest(only_from);
  return (commit) => {
    const urlRules = { timeoutMs, expect, requests, isCanary: canaryTestFor?.(commit), commit: shortHash(commit) };
    const checks = [...programChecks, ...urls.map((url) => urlCheck(url, urlRules, context.host))];
    const hasUniqueName = ({ name }: RampCheck) => checks.filter((one) => one.name === name).length === 1;
    return checks.map((one, at) => (hasUniqueName(one) ? one : { ...one, name: `${one.name} (${at + 1})` }));
  };
}

type PlannedRamp = Pick<RampRun, 'context' | 'canary' | 'rules' | 'checks'>;

/**
 * Runs each check once before any change. Throws `usage` if a check cannot start, `operation_failed` with `backCommand`
 * as its hint if a check fails, `interrupted` after a signal, and `pending` if a check holds. A hold is accepted if the
 * other version answered.
 */
export async function tryChecks({ context, checks }: PlannedRamp, options: CheckOptions, backCommand?: CommandLine) {
  const controller = new AbortController();
  const onSignal = (signal: NodeJS.Signals) => {
    if (signal in exitCodesOfSignals) controller.abort(signal);
  };
  const tryOne = async (check: RampCheck) => ({ check, ...(await check.run(options, controller.signal)) });
  const tryAll = () => Promise.all(checks.map(tryOne));
  const tryWithProgress = () => context.during(() => 'trying the checks', tryAll);
  // The program of a check has its own process group and would outlive this process, so a signal stops it first.
  const findings = await context.host.programs.withSignalHandler(onSignal, tryWithProgress);
  const { aborted, reason: signal } = controller.signal;
  if (aborted) {
    const details = { nothing: 'changed', exitCode: exitCodesOfSignals[signal] } as const;
    throw new CliError('interrupted', `interrupted (${signal})`, details);
  }
  for (const { check, result, reason, output = [], hasOtherAnswered, isUnstartable } of findings) {
    if (result === 'good' || (result === 'held' && hasOtherAnswered)) continue;
    for (const line of output) context.note(`  | ${line}`);
    const makeError = (kind: ErrorKind, state: string) =>
      new CliError(kind, `check ${check.name} ${state} before the ramp: ${reason}`, { nothing: 'changed' });
    if (isUnstartable) throw makeError('usage', 'could not start');
    if (result === 'held') throw makeError('pending', 'holds');
    throw makeError('operation_failed', 'failed').with({ hint: backCommand });
  }
}

/** Returns lines with the times of the next steps, the checks, the number of requests, and what a failure does. */
export function scheduleLines({ context, canary, rules, checks }: PlannedRamp, nextStep: number, share: number) {
  const { everyMs, initialDelayMs, intervalMs, minChecks } = rules;
  const steps = rules.steps.slice(nextStep);
  // A step lasts until its checks are done, even if that is longer than --every.
  const stepMs = Math.max(everyMs, initialDelayMs + (minChecks - 1) * intervalMs);
  const clockFormat = stepMs % 60_000 === 0 ? 'hh:mm' : 'hh:mm:ss';
  const nowMs = context.now().getTime();
  const timeOf = (step: number) => clockTime(new Date(nowMs + step * stepMs)).slice(0, clockFormat.length);
  const times = steps.map((step, at) => `${timeOf(at)} ${step} %`);
  const end = `${timeOf(steps.length)} UTC ${rules.commit ? 'commit' : 'end'}`;
  const countRequests = ({ requestsAt }: RampCheck) => Math.round((requestsAt(steps[0] ?? 1) * 60_000) / intervalMs);
  const requestCount = checks.reduce((sum, check) => sum + countRequests(check), 0);
  return [
    `${canary.uid}, commit ${shortHash(canary.commit)}, has ${share} %. At the earliest:`,
    `  ${[...times, end].join(', ')}`,
    ...checks.map(({ name, about }) => `  check ${name} every ${exactDurationText(intervalMs)}: ${about}`),
    `  requests a minute: 4 to the service${requestCount > 0 ? `, up to ${requestCount} by checks` : ''}`,
    `  ${failureText(rules)}`,
  ];
}

function failureText({ onFailure, abortTo, failureLimit }: RampRules): string {
  const limitText = failureLimit === 0 ? 'the first failure' : `more than ${failureLimit} failures in a step`;
  return `after ${limitText}: ${onFailure === 'abort' ? `back to ${abortTo} %` : 'the share stays'}`;
}

/** Warns if checks of a public address may miss the canary. */
export function warnOfMisses({ warn }: Context, rules: RampRules, { check_url = [], only_from }: RampInput): void {
  const { everyMs, intervalMs, minChecks } = rules;
  const [share = 100] = rules.steps;
  if (check_url.length === 0 || only_from !== undefined || share === 100) return;
  const checkCount = Math.max(minChecks, Math.floor(everyMs / intervalMs));
  const missedPercent = Math.round(100 * (1 - share / 100) ** checkCount);
  warn(
    `at ${share} %, ${checkCount} checks of a public address miss the canary with ${missedPercent} %; --only-from tells it apart`,
  );
}
