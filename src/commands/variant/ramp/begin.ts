import { assertAllowed, findAmong } from '../../../builders/resource/find.ts';
import type { Context } from '../../../contract/command.ts';
import { shortHash } from '../../../contract/values/git-hash.ts';
import { isoText, msOf, relativeText } from '../../../contract/values/time.ts';
import { CliError } from '../../../errors/cli-error.ts';
import { describeStack } from '../../../resources/stack.ts';
import { variant, variantKind } from '../../../resources/variant.ts';
import { busyWith } from '../../status/busy.ts';
import { begin, resume } from './machine/machine.ts';
import type { Next, Rules } from './machine/state.ts';
import { ended, rollBack } from './machine/transitions.ts';
import type { RampInput } from './options.ts';
import type { SavedRamp } from './ramp-file.ts';
import { activeOf, type Canary, changeIn, newestOf, type Rollout, weightLine } from './read-canary.ts';
import { isCommitted } from './share.ts';

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
    first: begin(rules, share),
    question: {
      name: uid,
      text: async () => `Ramp ${uid} of ${await describeStack(context, stack_id)} ${way}`,
      details: () => [`commit ${shortHash(commit)}`],
      ...(rules.commit && { warning: 'The commit is final.' }),
    },
    isAsked: true,
    back: undefined,
  };
}

const staleMs = 24 * 3_600_000;

/** A ramp that was paused or killed. Throws rejected if another user changed something meanwhile. */
export function resumedRamp(context: Context, saved: SavedRamp, rules: Rules, rollout: Rollout) {
  const { variant: uid, commit, active_commit: activeCommit, deployment, options } = saved;
  const canary = { stack_id: options.stack_id, uid, commit, activeCommit, deployment };
  const first = firstStep(saved, canary, rules, rollout);
  const { share } = first.state;
  const seenAt = new Date(msOf(saved.updated_at));
  const isAsked = context.now().getTime() - seenAt.getTime() > staleMs;
  const question = {
    name: uid,
    text: async () => `Resume the ramp of ${uid} at ${share} %`,
    details: () => [`commit ${shortHash(commit)}`, `last seen ${relativeText(seenAt, context.now())}`],
  };
  const back = share > rules.abortTo ? weightLine(canary, rules.abortTo) : undefined;
  return { canary, saved, first, question, isAsked, back };
}

/** Continues at the saved step, which soaks anew. */
function firstStep({ phase, step, share }: SavedRamp, canary: Canary, rules: Rules, rollout: Rollout): Next {
  if (phase === 'committing') {
    // A commit that was sent is never followed by a share, nor sent again.
    if (isCommitted(rollout.variants, canary)) return ended(share, { kind: 'committed' });
    return ended(share, { kind: 'unknown', what: 'commit', why: 'it was sent, and the service does not show it' });
  }
  const target = { setting: rules.steps[step], returning: rules.abortTo }[phase as string];
  const why = changeIn(rollout, canary, [share, ...(target === undefined ? [] : [target])]);
  if (why !== undefined) {
    const hint = { path: 'variant list', stack_id: canary.stack_id };
    throw new CliError('rejected', `cannot resume: ${why}`, { nothing: 'sent', hint });
  }
  const now = rollout.variants.find(({ uid }) => uid === canary.uid)?.percentage ?? share;
  if (phase === 'returning') return rollBack(rules, now, { kind: 'stopped', how: 'abort', by: 'request' });
  const at = rules.steps.indexOf(now);
  return at < 0 ? begin(rules, now) : resume(rules, { step: at, share: now }, 0);
}
