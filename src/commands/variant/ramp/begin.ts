import { shortHash } from '../../../contract/values/git-hash.ts';
import { isoText, msOf, relativeText } from '../../../contract/values/time.ts';
import { findAmong, refuseUnfit } from '../../../builders/resource/find.ts';
import { Problem } from '../../../errors/cli-error.ts';
import { describeStack } from '../../../resources/stack.ts';
import { kindOf, variant } from '../../../resources/variant.ts';
import { busyWith } from '../../status/busy.ts';
import { begin, resume } from './machine/machine.ts';
import { ended, takeBack } from './machine/transitions.ts';
import type { Next, Rules } from './machine/state.ts';
import type { RampInput } from './options.ts';
import type { SavedRamp } from './ramp-file.ts';
import type { RampContext } from './services.ts';
import { isCommitted } from './share.ts';
import { activeOf, type Canary, changeIn, newestOf, type RampWorld, weightLine } from './world.ts';

/** A new ramp. Throws not_found, ambiguous or rejected where none may begin. */
export function newRamp(context: RampContext, options: RampInput, rules: Rules, world: RampWorld) {
  const { stack_id, id = 'canary' } = options;
  const row = findAmong(variant, world.variants, id, { stack_id });
  refuseUnfit(variant, { row, input: { stack_id } }, (one) =>
    kindOf(one) === 'canary' ? undefined : `${kindOf(one) ?? 'of unknown type'}, not a canary`,
  );
  const { uid, git_hash: commit, percentage: share } = row;
  const refused = (reason: string) =>
    new Problem('rejected', `${reason}; nothing was sent`, { hint: { path: 'status', stack_id } });
  if (!commit) throw refused(`variant ${uid} shows no commit`);
  const [busy] = busyWith({ deployments: world.deployments });
  if (busy !== undefined) throw refused(busy);
  const [first = 0] = rules.steps;
  if (first <= share) throw refused(`variant ${uid} has ${share} % already, and the first step is ${first} %`);
  if (!world.deployments) context.warn('the token may not read deployments: a new one does not end the ramp');
  const activeCommit = activeOf(world.variants)?.git_hash ?? null;
  const way = `from ${share} % to ${rules.steps.at(-1)} %${rules.commit ? ' and commit it' : ''}`;
  return {
    canary: { stack_id, uid, commit, activeCommit, deployment: newestOf(world.deployments) },
    saved: { started_at: isoText(context.now()), share_before: share, options },
    first: begin(rules, share),
    question: {
      name: uid,
      text: async () => `Ramp ${uid} of ${await describeStack(context, stack_id)} ${way}`,
      facts: () => [`commit ${shortHash(commit)}`],
      ...(rules.commit && { warning: 'The commit is final.' }),
    },
    back: undefined,
  };
}

const staleMs = 24 * 3_600_000;

/** One that was paused or killed. Throws rejected where somebody else changed something meanwhile. */
export function resumedRamp(context: RampContext, saved: SavedRamp, rules: Rules, world: RampWorld) {
  const { variant: uid, commit, active_commit: activeCommit, deployment, options } = saved;
  const canary = { stack_id: options.stack_id, uid, commit, activeCommit, deployment };
  const first = firstStep(saved, canary, rules, world);
  const { share } = first.state;
  const seenAt = new Date(msOf(saved.updated_at));
  const isAsked = context.now().getTime() - seenAt.getTime() > staleMs || context.isProtected;
  const question = {
    name: uid,
    text: async () => `Resume the ramp of ${uid} at ${share} %`,
    facts: () => [`commit ${shortHash(commit)}`, `last seen ${relativeText(seenAt, context.now())}`],
  };
  // Returns the traffic that the earlier run left.
  const back = share > rules.abortTo ? weightLine(canary, rules.abortTo) : undefined;
  return { canary, saved, first, question: isAsked ? question : undefined, back };
}

/** Where it continues; its step soaks anew. */
function firstStep({ phase, step, share }: SavedRamp, canary: Canary, rules: Rules, world: RampWorld): Next {
  if (phase === 'committing') {
    // A commit that was sent is never followed by a share, nor sent again.
    if (isCommitted(world.variants, canary)) return ended(share, { kind: 'committed' });
    return ended(share, { kind: 'unknown', what: 'commit', why: 'it was sent, and the service does not show it' });
  }
  const target = { setting: rules.steps[step], returning: rules.abortTo }[phase as string];
  const why = changeIn(world, canary, [share, ...(target === undefined ? [] : [target])]);
  if (why !== undefined) {
    const hint = { path: 'variant list', stack_id: canary.stack_id };
    throw new Problem('rejected', `cannot resume: ${why}; nothing was sent`, { hint });
  }
  const now = world.variants.find(({ uid }) => uid === canary.uid)?.percentage ?? share;
  if (phase === 'returning') return takeBack(rules, now, { kind: 'stopped', how: 'abort', by: 'request' });
  const at = rules.steps.indexOf(now);
  return at < 0 ? begin(rules, now) : resume(rules, { step: at, share: now }, 0);
}
