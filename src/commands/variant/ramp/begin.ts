import { assertAllowed, findAmong } from '../../../builders/resource/find.ts';
import type { Context } from '../../../contract/command.ts';
import { shortHash } from '../../../contract/values/git-hash.ts';
import { isoText, msOf, relativeText } from '../../../contract/values/time.ts';
import { CliError } from '../../../errors/cli-error.ts';
import { describeStack } from '../../../resources/stack.ts';
import { variant, variantKind } from '../../../resources/variant.ts';
import { busyWith } from '../../status/busy.ts';
import type { RampRun } from './effects.ts';
import { begin, resume } from './machine/machine.ts';
import type { Next, RampEnd, Rules } from './machine/state.ts';
import { ended, rollBack } from './machine/transitions.ts';
import type { RampInput } from './options.ts';
import type { SavedRamp } from './ramp-file.ts';
import { activeOf, type Canary, changeIn, newestOf, type Rollout, weightLine } from './read-canary.ts';
import { isCommitted } from './share.ts';

const staleMs = 24 * 3_600_000;

/** A new ramp. Throws not_found, ambiguous or rejected. */
export function newRamp(context: Context, options: RampInput, rules: Rules, rollout: Rollout) {
  const { stack_id, id = 'canary' } = options;
  const row = findAmong(variant, rollout.variants, id, { stack_id });
  assertAllowed(variant, { row, input: { stack_id } }, (one) =>
    variantKind(one) === 'canary' ? undefined : `${variantKind(one) ?? 'of unknown type'}, not a canary`,
  );
  const { uid, git_hash: commit, percentage: share } = row;
  const refused = (reason: string) =>
    new CliError('rejected', reason, { nothing: 'sent', hint: { path: 'status', stack_id } });
  if (!commit) throw refused(`variant ${uid} shows no commit`);
  if (typeof share !== 'number') throw refused(`variant ${uid} shows no share of traffic`);
  const [busy] = busyWith({ deployments: rollout.deployments });
  if (busy !== undefined) throw refused(busy);
  const [first = 0] = rules.steps;
  if (first <= share) throw refused(`variant ${uid} has ${share} % already, and the first step is ${first} %`);
  if (!rollout.deployments) context.warn('the token may not read deployments: a new one does not end the ramp');
  const activeCommit = activeOf(rollout.variants)?.git_hash ?? null;
  const way = `from ${share} % to ${rules.steps.at(-1)} %${rules.commit ? ' and commit it' : ''}`;
  return {
    canary: { stack_id, uid, commit, activeCommit, deployment: newestOf(rollout.deployments) },
    saved: { started_at: isoText(context.now()), share_before: share, options },
    firstAt: (nowMs: number) => begin(rules, share, nowMs),
    question: {
      name: uid,
      text: async () => `Ramp ${uid} of ${await describeStack(context, stack_id)} ${way}`,
      details: () => [`commit ${shortHash(commit)}`],
      ...(rules.commit && { warning: 'The commit is final.' }),
    },
    isAsked: true,
    plan: [],
    back: undefined,
  };
}

/**
 * A ramp that was paused or killed: continues it, or takes its traffic back with `--abort`. Throws rejected if another user
 * changed something meanwhile.
 */
export function resumedRamp(
  { context, files }: Pick<RampRun, 'context' | 'files'>,
  { mode, earlier }: { readonly mode: 'resume' | 'abort'; readonly earlier: SavedRamp },
  rules: Rules,
  rollout: Rollout,
) {
  const canary = savedCanary(earlier);
  const { uid, stack_id, commit } = canary;
  const now = shareNow(earlier, rollout);
  const seenAt = new Date(msOf(earlier.updated_at));
  const isAbort = mode === 'abort';
  const isRequested = isAbort || files.requested() === 'abort';
  const way = `the traffic of ${uid} back from ${now} % to ${rules.abortTo} %`;
  return {
    canary,
    saved: isAbort ? { ...earlier, share_before: now } : earlier,
    firstAt: firstStep(isRequested ? { ...earlier, requested: 'abort' } : earlier, rules, rollout, isAbort),
    question: {
      name: uid,
      text: async () =>
        isAbort ? `Take ${way} in ${await describeStack(context, stack_id)}` : `Resume the ramp of ${uid} at ${now} %`,
      details: () => [`commit ${shortHash(commit)}`, `last seen ${relativeText(seenAt, context.now())}`],
    },
    isAsked: isAbort ? now > rules.abortTo : context.now().getTime() - seenAt.getTime() > staleMs,
    plan: [isAbort ? `would take ${way}` : `would resume the ramp of ${uid} at ${now} %`],
    back: now > rules.abortTo ? weightLine(canary, rules.abortTo) : undefined,
  };
}

function savedCanary({ variant: uid, commit, active_commit: activeCommit, deployment, options }: SavedRamp): Canary {
  return { stack_id: options.stack_id, uid, commit, activeCommit, deployment };
}

function shareNow({ variant: uid, share }: SavedRamp, { variants }: Rollout): number {
  return variants.find((one) => one.uid === uid)?.percentage ?? share;
}

/** Continues at the saved step, which soaks anew, or with the way back. */
function firstStep(saved: SavedRamp, rules: Rules, rollout: Rollout, isAbort: boolean): (nowMs: number) => Next {
  const { phase, step, share } = saved;
  const canary = savedCanary(saved);
  if (phase === 'committing') {
    // A commit that was sent is never followed by a share, nor sent again.
    const why = 'it was sent, and the service does not show it';
    const outcome: RampEnd = isCommitted(rollout.variants, canary)
      ? { kind: 'committed' }
      : { kind: 'unknown', what: 'commit', why };
    return () => ended({ share }, outcome);
  }
  const isBack = phase === 'returning' || saved.requested === 'abort';
  const target = phase === 'setting' ? rules.steps[step] : undefined;
  const shares = [share, saved.may_have, target].filter((one) => one !== undefined);
  const why = changeIn(rollout, canary, isBack ? [...shares, rules.abortTo] : shares);
  if (why !== undefined) {
    const hint = { path: 'variant list', stack_id: canary.stack_id };
    throw new CliError('rejected', `cannot ${isAbort ? 'abort' : 'resume'}: ${why}`, { nothing: 'sent', hint });
  }
  const now = shareNow(saved, rollout);
  const at = rules.steps.indexOf(now);
  const end: RampEnd = isAbort ? { kind: 'returned' } : { kind: 'stopped', how: 'abort', by: 'request' };
  return (nowMs) => {
    if (isBack) return rollBack(rules, { share: now, mayHave: Math.max(...shares) }, end, nowMs);
    return at < 0 ? begin(rules, now, nowMs) : resume(rules, { step: at, share: now }, nowMs);
  };
}
