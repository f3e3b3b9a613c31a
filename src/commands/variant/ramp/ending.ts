import type { CommandLine } from '../../../contract/command-line.ts';
import type { Change, Summary } from '../../../contract/plan.ts';
import { shortHash } from '../../../contract/values/git-hash.ts';
import { durationText } from '../../../contract/values/time.ts';
import { changeLine, verbs } from '../../../kinds/perform/summary.ts';
import { exitCodesOfSignals } from '../../../problems/exit-codes.ts';
import { Problem } from '../../../problems/problem.ts';
import type { RampEnd, Rules } from './machine/state.ts';
import { clockOf } from './report.ts';
import type { Ended } from './run.ts';
import { type Canary, weightLine } from './world.ts';

/** What is told of a ramp that has ended. */
export interface RampEnding {
  readonly change: Change;
  readonly summary: Summary;
  /** Undefined where it went well. */
  readonly problem: Problem | undefined;
  /** Lines of the check that ended it. */
  readonly printed: readonly string[];
}

interface RampPlace {
  readonly canary: Canary;
  readonly rules: Rules;
  readonly shareBefore: number;
  readonly checks: readonly { readonly name: string }[];
  readonly now: Date;
}

export function endingOf({ end, share }: Ended, place: RampPlace): RampEnding {
  const { canary, shareBefore } = place;
  const { uid, stack_id } = canary;
  const change = changeOf(end, share, place);
  const name = `variant ${uid}`;
  // Traffic that was taken from a canary is not offered to it again.
  const isUndoable = change.change === 'updated' && share > shareBefore;
  return {
    change,
    summary: {
      lines: [
        changeLine(name, change, change.change === 'committed' ? verbs.commit : verbs.update, [detail(change, canary)]),
      ],
      ...(isUndoable && { undo: [weightLine(canary, shareBefore)] }),
      ...(end.kind === 'passed' && {
        next: { about: 'make it the active version', command: [{ path: 'variant commit', operands: [uid], stack_id }] },
      }),
    },
    problem: problemOf(end, share, place),
    printed: 'bad' in end ? (end.bad?.said.split('\n').slice(1) ?? []) : [],
  };
}

function changeOf(end: RampEnd, share: number, { canary: { uid }, shareBefore }: RampPlace): Change {
  const made = share === shareBefore ? 'unchanged' : 'updated';
  const change = end.kind === 'committed' || end.kind === 'unknown' ? end.kind : made;
  return { uid, change, before: shareBefore, after: share, action: null, message: null, error: null };
}

function detail({ change, before, after }: Change, { activeCommit, commit }: Canary): string {
  if (change === 'committed') return `commit ${shortHash(activeCommit)} -> ${shortHash(commit)}`;
  return change === 'updated' ? `${before} % -> ${after} %` : `${after} %`;
}

function problemOf(end: RampEnd, share: number, place: RampPlace): Problem | undefined {
  const { canary, rules } = place;
  const { uid, stack_id } = canary;
  const hint = { path: 'variant ramp', flags: ['--resume'], stack_id };
  const stays = `${uid} keeps ${share} %`;
  switch (end.kind) {
    case 'passed':
    case 'committed':
      return undefined;
    case 'held': {
      const held = `check ${nameOf(end.bad.check, place)} held the step for ${durationText(rules.holdLimitMs)}`;
      return new Problem('pending', `paused: ${held} (${firstLine(end.bad.said)}); ${stays}`, { hint });
    }
    case 'blind':
      return new Problem('unavailable', `paused: the service could not be reached; ${stays}`, { hint });
    case 'stopped':
      return stopProblem(end, share, place);
    case 'failed':
      return failureProblem(end, share, place);
    case 'changed': {
      const seen = `${end.seen}; the ramp ended and changed nothing more`;
      const failed = end.bad && `check ${nameOf(end.bad.check, place)} failed: ${firstLine(end.bad.said)}; `;
      return new Problem('rejected', `${failed ?? ''}${seen}`, { hint: { path: 'variant list', stack_id } });
    }
    case 'refused':
      return refusedProblem(end.cause, stays);
    default:
      return unknownProblem(end, place);
  }
}

function stopProblem(
  { how, by }: RampEnd & { readonly kind: 'stopped' },
  share: number,
  { canary }: RampPlace,
): Problem {
  const { uid, stack_id } = canary;
  const exitCode = exitCodesOfSignals[by];
  const signal = exitCode === undefined ? {} : { exitCode };
  const source = exitCode === undefined ? '' : ` (${by})`;
  if (how === 'abort') {
    const kind = exitCode === undefined ? 'operation_failed' : 'interrupted';
    return new Problem(kind, `aborted${source}: ${uid} has ${share} %`, signal);
  }
  return new Problem(exitCode === undefined ? 'pending' : 'interrupted', `paused${source}: ${uid} keeps ${share} %`, {
    ...signal,
    hint: { path: 'variant ramp', flags: ['--resume'], stack_id },
  });
}

function failureProblem(
  { bad, how, at }: RampEnd & { readonly kind: 'failed' },
  share: number,
  place: RampPlace,
): Problem {
  const { canary, now, rules } = place;
  const step = `step ${rules.steps.indexOf(at) + 1} of ${rules.steps.length}, ${at} %, ${clockOf(now)} UTC`;
  const what = `check ${nameOf(bad.check, place)} failed (${step}): ${firstLine(bad.said)}`;
  if (how === 'abort') return new Problem('operation_failed', `${what}; ${canary.uid} has ${share} %`);
  return new Problem('operation_failed', `${what}; ${canary.uid} keeps ${share} %`, {
    hint: weightLine(canary, rules.abortTo),
  });
}

function refusedProblem(cause: unknown, stays: string): Problem {
  if (!(cause instanceof Problem)) return new Problem('unavailable', `${String(cause)}; ${stays}`);
  return new Problem(cause.kind, `${cause.message}; ${stays}`, cause.details);
}

function unknownProblem({ what, why }: RampEnd & { readonly kind: 'unknown' }, place: RampPlace): Problem {
  const { canary, rules } = place;
  const { uid, stack_id } = canary;
  const list = { path: 'variant list', stack_id };
  const problem = (message: string, hint: CommandLine) =>
    new Problem('outcome_unknown', message, { hint, why, check: list, facts: { request_sent: true } });
  switch (what) {
    case 'active':
      return problem(`${uid} became the active version by a request for a share`, {
        path: 'deployment rollback',
        stack_id,
      });
    case 'return':
      return problem(`${uid} may not have ${rules.abortTo} %: ${why}`, weightLine(canary, rules.abortTo));
    case 'commit':
      return problem(`outcome unknown; ${uid} may be the active version: ${why}`, list);
    default:
      return problem(
        `outcome unknown; the share of ${uid} may have been changed: ${why}`,
        weightLine(canary, rules.abortTo),
      );
  }
}

function nameOf(check: number, { checks }: RampPlace): string {
  return checks[check]?.name ?? String(check + 1);
}

function firstLine(said: string): string {
  return said.split('\n')[0] ?? '';
}
