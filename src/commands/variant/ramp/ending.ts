import { changeLine, verbs } from '../../../builders/execute/summary.ts';
import type { CommandLine } from '../../../contract/command-line.ts';
import type { Change, Summary } from '../../../contract/plan.ts';
import { shortHash } from '../../../contract/values/text.ts';
import { durationText } from '../../../contract/values/time.ts';
import { CliError, type ErrorKind, exitCodesOfSignals } from '../../../errors/cli-error.ts';
import type { RampRun } from './effects.ts';
import type { CheckFailure, EndedState, RampEnd } from './machine/state.ts';
import { type Canary, possibleShares, weightCommand } from './read-canary.ts';
import type { EventName } from './report.ts';

type RampFacts = Pick<RampRun, 'canary' | 'rules'> & {
  readonly shareBefore: number;
  readonly checks: readonly { readonly name: string }[];
};

/** Returns the report on an ended ramp: its change record, summary, event, error, and the output of a failed check. */
export function endingOf({ end, share, mayHave }: EndedState, ramp: RampFacts) {
  const { canary, shareBefore } = ramp;
  const { uid, stack_id } = canary;
  const change = changeRecordOf(end, share, ramp);
  // A ramp that left the canary with less traffic than before offers no undo.
  const isUndoable = change.change === 'updated' && share > shareBefore;
  const verb = change.change === 'committed' ? verbs.commit : verbs.update;
  const commitCommand = { path: 'variant commit', operands: [uid], stack_id };
  const summary: Summary = {
    lines: [changeLine(`variant ${uid}`, change, verb, [detailText(change, ramp)])],
    ...(isUndoable && { undo: [weightCommand(canary, shareBefore)] }),
    ...(end.kind === 'passed' && { next: { about: 'make it the active version', command: [commitCommand] } }),
  };
  const shares = possibleShares({ share, mayHave }).map((one) => `${one} %`);
  const [event, error] = endNoticeOf(end, shares.join(' or '), ramp);
  const isOutcomeOpen = end.kind === 'unknown' && end.what !== 'active';
  const isResumable = event === 'paused' || end.kind === 'refused' || isOutcomeOpen;
  const checkOutput = ('failure' in end && end.failure?.output) || [];
  return { change, summary, event, error, isResumable, checkOutput };
}

function changeRecordOf(end: RampEnd, share: number, { canary: { uid }, shareBefore }: RampFacts): Change {
  const shareChange = share === shareBefore ? 'unchanged' : 'updated';
  const change = end.kind === 'committed' || end.kind === 'unknown' ? end.kind : shareChange;
  return { uid, change, before: shareBefore, after: share, action: null, message: null, error: null };
}

function detailText({ change, before, after }: Change, { canary }: RampFacts): string {
  if (change === 'committed') return `commit ${shortHash(canary.activeCommit)} -> ${shortHash(canary.commit)}`;
  return change === 'updated' ? `${before} % -> ${after} %` : `${after} %`;
}

type EndOf<Kind> = RampEnd & { readonly kind: Kind };
type Notice = readonly [event?: EventName | undefined, error?: CliError];

function endNoticeOf(end: RampEnd, shares: string, ramp: RampFacts): Notice {
  const { canary, rules } = ramp;
  const { uid, stack_id } = canary;
  const shareText = `${uid} keeps ${shares}`;
  const makePausedError = (kind: ErrorKind, why: string) =>
    new CliError(kind, `paused: ${why}; ${shareText}`, { hint: resumeCommand(canary) });
  if (end.kind === 'stopped') return stopNotice(end, shares, ramp);
  if (end.kind === 'failed') return failureNotice(end, shares, ramp);
  if (end.kind === 'refused') return [undefined, end.cause.with({}, `${end.cause.message}; ${shareText}`)];
  if (end.kind === 'unknown') return [undefined, outcomeUnknownError(end, ramp)];
  if (end.kind === 'held') {
    const heldText = `${checkName(end.failure, ramp)} held the step for ${durationText(rules.holdLimitMs)}`;
    return ['paused', makePausedError('pending', `${heldText} (${end.failure.reason})`)];
  }
  if (end.kind === 'changed') {
    const why = `${causeText(end, ramp)}${end.observed}; the ramp ended and changed nothing more`;
    return ['world_changed', new CliError('rejected', why, { hint: { path: 'variant list', stack_id } })];
  }
  if (end.kind === 'unreachable') return ['paused', makePausedError('unavailable', 'the service could not be reached')];
  if (end.kind === 'unsaved') return ['paused', makePausedError('pending', 'its state could not be saved')];
  if (end.kind === 'returned') return ['aborted'];
  return end.kind === 'committed' ? ['committed'] : [];
}

function resumeCommand({ stack_id }: Canary): CommandLine {
  return { path: 'variant ramp', flags: ['--resume'], stack_id };
}

function stopNotice({ how, by }: EndOf<'stopped'>, shares: string, { canary }: RampFacts): Notice {
  const [event, kind, verb, hint] =
    how === 'abort'
      ? (['aborted', 'operation_failed', 'has', undefined] as const)
      : (['paused', 'pending', 'keeps', resumeCommand(canary)] as const);
  const exitCode = exitCodesOfSignals[by];
  const shareText = `${canary.uid} ${verb} ${shares}`;
  if (exitCode === undefined) return [event, new CliError(kind, `${event}: ${shareText}`, { hint })];
  return [event, new CliError('interrupted', `${event} (${by}): ${shareText}`, { hint, exitCode })];
}

function failureNotice({ failure, how, at: failedShare }: EndOf<'failed'>, shares: string, ramp: RampFacts): Notice {
  const { canary, rules } = ramp;
  const stepText = `step ${rules.steps.indexOf(failedShare) + 1} of ${rules.steps.length}, ${failedShare} %`;
  const failureText = `${checkName(failure, ramp)} failed (${stepText}): ${failure.reason}; ${canary.uid}`;
  if (how === 'abort') return ['aborted', new CliError('operation_failed', `${failureText} has ${shares}`)];
  const hint = weightCommand(canary, rules.abortTo);
  return ['paused', new CliError('operation_failed', `${failureText} keeps ${shares}`, { hint })];
}

function outcomeUnknownError(end: EndOf<'unknown'>, ramp: RampFacts): CliError {
  const { what, why } = end;
  const { canary, rules } = ramp;
  const { uid, stack_id } = canary;
  const listCommand = { path: 'variant list', stack_id };
  const backCommand = weightCommand(canary, rules.abortTo);
  const [message, hint] = {
    active: [`${uid} became the active version by a request for a share`, { path: 'deployment rollback', stack_id }],
    return: [`${causeText(end, ramp)}${uid} may not have ${rules.abortTo} %: ${why}`, backCommand],
    commit: [`outcome unknown; ${uid} may be the active version: ${why}`, listCommand],
    step: [`outcome unknown; the share of ${uid} may have been changed: ${why}`, backCommand],
  }[what] as [string, typeof backCommand];
  return new CliError('outcome_unknown', message, { hint, why, check: listCommand, extra: { request_sent: true } });
}

function causeText({ failure }: { readonly failure?: CheckFailure | undefined }, ramp: RampFacts): string {
  return failure ? `${checkName(failure, ramp)} failed: ${failure.reason}; ` : '';
}

function checkName({ check: checkIndex }: CheckFailure, { checks }: RampFacts): string {
  return `check ${checks[checkIndex]?.name ?? checkIndex + 1}`;
}
