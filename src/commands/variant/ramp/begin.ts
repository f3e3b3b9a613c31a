import { assertAllowed, findAmong } from '../../../builders/resource/find.ts';
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
import { activeOf, type Canary, changeIn, newestOf, type RampWorld, weightLine } from './read-canary.ts';
import type { RampContext } from './services.ts';
import { isCommitted } from './share.ts';

/** A new ramp. Throws not_found, ambiguous or rejected where none may begin. */
export function newRamp(context: RampContext, options: RampInput, rules: Rules, app: RampWorld) {
  const { stack_id, id = 'canary' } = options;
  const row = findAmong(variant, app.variants, id, { stack_id });
  assertAllowed(variant, { row, input: { stack_id } }, (one) =>
    variantKind(one) === 'canary' ? undefined : `${variantKind(one) ?? 'of unknown type'}, not a canary`,
  );
  const { uid, git_hash: commit, percentage: share } = row;
  const refused = (reason: string) =>
    new CliError('rejected', reason, { nothing: 'sent', hint: { path: 'status', stack_id } });
  if (!commit) throw refused(`variant ${uid} shows no commit`);
  const [busy] = busyWith({ deployments: app.deployments });
  if (busy !== undefined) throw refused(busy);
  const [first = 0] = rules.steps;
  if (first <= share) throw refused(`variant ${uid} has ${share} % already, and the first step is ${first} %`);
  if (!app.deployments) context.warn('the token may not read deployments: a new one does not end the ramp');
  const activeCommit = activeOf(app.variants)?.git_hash ?? null;
  const way = `from ${share} % to ${rules.steps.at(-1)} %${rules.commit ? ' and commit it' : ''}`;
  return {
    canary: { stack_id, uid, commit, activeCommit, deployment: newestOf(app.deployments) },
    saved: { started_at: isoText(context.now()), share_before: share, options },
    first: begin(rules, share),
    question: {
      name: uid,
      text: async () => `Ramp ${uid} of ${await describeStack(context, stack_id)} ${way}`,
      details: () => [`commit ${shortHash(commit)}`],
      ...(rules.commit && { warning: 'The commit is final.' }),
    },
    back: undefined,
  };
}

const staleMs = 24 * 3_600_000;

/** One that was paused or killed. Throws rejected where somebody else changed something meanwhile. */
export function resumedRamp(context: RampContext, saved: SavedRamp, rules: Rules, app: RampWorld) {
  const { variant: uid, commit, active_commit: activeCommit, deployment, options } = saved;
  const canary = { stack_id: options.stack_id, uid, commit, activeCommit, deployment };
  const first = firstStep(saved, canary, rules, app);
  const { share } = first.state;
  const seenAt = new Date(msOf(saved.updated_at));
  const isAsked = context.now().getTime() - seenAt.getTime() > staleMs || context.isProtected;
  const question = {
    name: uid,
    text: async () => `Resume the ramp of ${uid} at ${share} %`,
    details: () => [`commit ${shortHash(commit)}`, `last seen ${relativeText(seenAt, context.now())}`],
  };
  // Returns the traffic that the earlier run left.
  const back = share > rules.abortTo ? weightLine(canary, rules.abortTo) : undefined;
  return { canary, saved, first, question: isAsked ? question : undefined, back };
}

/** Where it continues; its step soaks anew. */
function firstStep({ phase, step, share }: SavedRamp, canary: Canary, rules: Rules, app: RampWorld): Next {
  if (phase === 'committing') {
    // A commit that was sent is never followed by a share, nor sent again.
    if (isCommitted(app.variants, canary)) return ended(share, { kind: 'committed' });
    return ended(share, { kind: 'unknown', what: 'commit', why: 'it was sent, and the service does not show it' });
  }
  const target = { setting: rules.steps[step], returning: rules.abortTo }[phase as string];
  const why = changeIn(app, canary, [share, ...(target === undefined ? [] : [target])]);
  if (why !== undefined) {
    const hint = { path: 'variant list', stack_id: canary.stack_id };
    throw new CliError('rejected', `cannot resume: ${why}`, { nothing: 'sent', hint });
  }
  const now = app.variants.find(({ uid }) => uid === canary.uid)?.percentage ?? share;
  if (phase === 'returning') return rollBack(rules, now, { kind: 'stopped', how: 'abort', by: 'request' });
  const at = rules.steps.indexOf(now);
  return at < 0 ? begin(rules, now) : resume(rules, { step: at, share: now }, 0);
}
