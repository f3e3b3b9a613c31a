import { changeLine, verbs } from '../../../builders/execute/summary.ts';
import type { Change, Summary } from '../../../contract/plan.ts';
import { shortHash } from '../../../contract/values/text.ts';
import { durationText } from '../../../contract/values/time.ts';
import { CliError, type ErrorKind, exitCodesOfSignals } from '../../../errors/cli-error.ts';
import type { RampRun } from './effects.ts';
import type { CheckFailure, Ended, RampEnd } from './machine/state.ts';
import { possibleShares, weightCommand } from './read-canary.ts';
import type { EventName } from './report.ts';

type RampLocation = Pick<RampRun, 'canary' | 'rules'> & {
  readonly shareBefore: number;
  readonly checks: readonly { readonly name: string }[];
};

/** Returns the report on an ended ramp: its change record, summary, event, error, and the output of a failed check. */
export function endingOf({ end, share, mayHave }: Ended, location: RampLocation) {
  const { canary, shareBefore } = location;
  const { uid, stack_id } = canary;
  const change = changeOf(end, share, location);
  // A ramp that left the canary with less traffic than before offers no undo.
  const isUndoable = change.change === 'updated' && share > shareBefore;
  const verb = change.change === 'committed' ? verbs.commit : verbs.update;
  const next = {
    about: 'make it the active version',
    command: [{ path: 'variant commit', operands: [uid], stack_id }],
  };
  const summary: Summary = {
    lines: [changeLine(`variant ${uid}`, change, verb, [detailText(change, location)])],
    ...(isUndoable && { undo: [weightCommand(canary, shareBefore)] }),
    ...(end.kind === 'passed' && { next }),
  };
  const shares = possibleShares({ share, mayHave }).map((one) => `${one} %`);
  const [event, error] = newsOf(end, shares.join(' or '), location);
  const isOpen = end.kind === 'unknown' && end.what !== 'active';
  const isResumable = event === 'paused' || end.kind === 'refused' || isOpen;
  const checkOutput = ('failure' in end && end.failure?.output) || [];
  return { change, summary, event, error, isResumable, checkOutput };
}

function changeOf(end: RampEnd, share: number, { canary: { uid }, shareBefore }: RampLocation): Change {
  const shareChange = share === shareBefore ? 'unchanged' : 'updated';
  const change = end.kind === 'committed' || end.kind === 'unknown' ? end.kind : shareChange;
  return { uid, change, before: shareBefore, after: share, action: null, message: null, error: null };
}

function detailText({ change, before, after }: Change, { canary }: RampLocation): string {
  if (change === 'committed') return `commit ${shortHash(canary.activeCommit)} -> ${shortHash(canary.commit)}`;
  return change === 'updated' ? `${before} % -> ${after} %` : `${after} %`;
}

type News = readonly [event?: EventName | undefined, error?: CliError];

function newsOf(end: RampEnd, shares: string, location: RampLocation): News {
  const { canary, rules } = location;
  const { uid, stack_id } = canary;
  const shareText = `${uid} keeps ${shares}`;
  const pausedNews = (kind: ErrorKind, why: string): News => {
    const hint = { path: 'variant ramp', flags: ['--resume'], stack_id };
    return ['paused', new CliError(kind, `paused: ${why}; ${shareText}`, { hint })];
  };
  if (end.kind === 'stopped') return stopNews(end, shares, location);
  if (end.kind === 'failed') return failureNews(end, shares, location);
  if (end.kind === 'refused') return [undefined, end.cause.with({}, `${end.cause.message}; ${shareText}`)];
  if (end.kind === 'unknown') return [undefined, outcomeUnknownError(end, location)];
  if (end.kind === 'held') {
    const heldText = `${checkName(end.failure, location)} held the step for ${durationText(rules.holdLimitMs)}`;
    return pausedNews('pending', `${heldText} (${end.failure.reason})`);
  }
  if (end.kind === 'changed') {
    const why = `${causeText(end, location)}${end.observed}; the ramp ended and changed nothing more`;
    return ['world_changed', new CliError('rejected', why, { hint: { path: 'variant list', stack_id } })];
  }
  if (end.kind === 'unreachable') return pausedNews('unavailable', 'the service could not be reached');
  if (end.kind === 'unsaved') return pausedNews('pending', 'its state could not be saved');
  if (end.kind === 'returned') return ['aborted'];
  return end.kind === 'committed' ? ['committed'] : [];
}

function stopNews({ how, by }: RampEnd & { readonly kind: 'stopped' }, shares: string, { canary }: RampLocation): News {
  const { uid, stack_id } = canary;
  const resume = { path: 'variant ramp', flags: ['--resume'], stack_id };
  const [event, kind, verb, hint] =
    how === 'abort'
      ? (['aborted', 'operation_failed', 'has', undefined] as const)
      : (['paused', 'pending', 'keeps', resume] as const);
  const exitCode = exitCodesOfSignals[by];
  const shareText = `${uid} ${verb} ${shares}`;
  if (exitCode === undefined) return [event, new CliError(kind, `${event}: ${shareText}`, { hint })];
  return [event, new CliError('interrupted', `${event} (${by}): ${shareText}`, { hint, exitCode })];
}

function failureNews(
  { failure, how, at }: RampEnd & { readonly kind: 'failed' },
  shares: string,
  location: RampLocation,
): News {
  const { canary, rules } = location;
  const stepText = `step ${rules.steps.indexOf(at) + 1} of ${rules.steps.length}, ${at} %`;
  const failureText = `${checkName(failure, location)} failed (${stepText}): ${failure.reason}; ${canary.uid}`;
  if (how === 'abort') return ['aborted', new CliError('operation_failed', `${failureText} has ${shares}`)];
  const hint = weightCommand(canary, rules.abortTo);
  return ['paused', new CliError('operation_failed', `${failureText} keeps ${shares}`, { hint })];
}

function outcomeUnknownError(end: RampEnd & { readonly kind: 'unknown' }, location: RampLocation): CliError {
  const { what, why } = end;
  const { canary, rules } = location;
  const { uid, stack_id } = canary;
  const listCommand = { path: 'variant list', stack_id };
  const backCommand = weightCommand(canary, rules.abortTo);
  const [message, hint] = {
    active: [`${uid} became the active version by a request for a share`, { path: 'deployment rollback', stack_id }],
    return: [`${causeText(end, location)}${uid} may not have ${rules.abortTo} %: ${why}`, backCommand],
    commit: [`outcome unknown; ${uid} may be the active version: ${why}`, listCommand],
    step: [`outcome unknown; the share of ${uid} may have been changed: ${why}`, backCommand],
  }[what] as [string, typeof backCommand];
  return new CliError('outcome_unknown', message, { hint, why, check: listCommand, extra: { request_sent: true } });
}

function causeText({ failure }: { readonly failure?: CheckFailure | undefined }, location: RampLocation): string {
  return failure ? `${checkName(failure, location)} failed: ${failure.reason}; ` : '';
}

function checkName({ check }: CheckFailure, { checks }: RampLocation): string {
  return `check ${checks[check]?.name ?? check + 1}`;
}
