import { observeBy, send } from '../../../builders/execute/send.ts';
import type { Context } from '../../../contract/command.ts';
import { CliError } from '../../../errors/cli-error.ts';
import { whyText } from '../../../errors/try-or-warn.ts';
import { expectCliError } from '../../../errors/unreadable.ts';
import { type VariantRow, variantKind, variants } from '../../../resources/variant.ts';
import { backoffMs, isFinal } from '../../deployment/watching.ts';
import type { Missed, SetEffect, SetOutcome } from './machine/state.ts';
import { activeOf, type Canary, changedVariant, changeIn, polled, readRollout, sharesOf } from './read-canary.ts';

interface Setter {
  readonly context: Context;
  readonly canary: Canary;
}

/** The longest wait for the result of a request that the service accepted. */
const patienceMs = 60_000;
/** The time without a response, or while the service cannot be read. */
const lostMs = 6_000;
const pollMs = 2_000;

/** One try to set a share or to commit: a read, the request, and reads until the result is shown. */
export async function setShare(setter: Setter, effect: SetEffect): Promise<SetOutcome> {
  try {
    return (await outcomeBefore(setter, effect)) ?? (await request(setter, effect));
  } catch (error) {
    return missed(setter, 'unseen', error instanceof CliError ? error : new CliError('internal', whyText(error)));
  }
}

/** Undefined when the canary is as the ramp left it. The way back does not need the deployments. */
async function outcomeBefore(setter: Setter, effect: SetEffect): Promise<SetOutcome | undefined> {
  const { context, canary } = setter;
  const { why, from, share, sends } = effect;
  const isReturn = why === 'return';
  const rollout = await readRollout(context, canary.stack_id, polled, isReturn).catch(expectCliError);
  if (rollout instanceof CliError) return missed(setter, isFinal(rollout) ? 'rejected' : 'unread', rollout);
  const now = shareIn(rollout.variants, canary);
  if (sends > 0 && isShown(rollout.variants, effect, canary)) return { kind: 'shown', share };
  const isLow = isReturn && sharesOf(from).some((one) => one === now && one <= share);
  if (isLow) return { kind: 'shown', share: now ?? share };
  const observed = changeIn(rollout, canary, [...sharesOf(from), ...(sends > 0 ? [share] : [])]);
  return observed === undefined ? undefined : { kind: 'changed', observed };
}

async function request(setter: Setter, effect: SetEffect): Promise<SetOutcome> {
  const { context } = setter;
  const failure = await sendRequest(setter, effect).then(() => undefined, expectCliError);
  if (failure?.kind === 'unavailable') return missed(setter, 'unread', failure);
  const isLost = failure && ['outcome_unknown', 'interrupted'].includes(failure.kind);
  if (failure && !isLost) return missed(setter, 'rejected', failure);
  if (failure && context.rateLimit()?.forMs) return missed(setter, 'unseen', failure);
  return awaitShown(setter, effect, failure);
}

/** The request is journaled like every write, so `history undo` gives a share back. */
async function sendRequest({ context, canary }: Setter, effect: SetEffect): Promise<void> {
  const { stack_id, uid: id } = canary;
  const { why, from, share } = effect;
  const observer = observeBy(variants.update, async (read) =>
    isShown(await read(variants.list, { stack_id }), effect, canary),
  );
  if (why === 'commit') {
    await send(context, variants.update, { stack_id, id, operation: 'commit' }, { observer });
    return;
  }
  const replaces = [{ kind: 'share', key: `traffic of variant ${id}`, before: from.share, after: share }] as const;
  const input = { stack_id, id, operation: 'percentage', canary_percentage: share };
  await send(context, variants.update, input, { observer, replaces });
}

async function awaitShown(setter: Setter, effect: SetEffect, failure: CliError | undefined): Promise<SetOutcome> {
  const { context, canary } = setter;
  const startMs = context.elapsed();
  const isOver = (isRead: boolean) => {
    const limitMs = effect.isRepeatable && (failure || !isRead) ? lostMs : patienceMs;
    return context.elapsed() - startMs >= limitMs || (context.rateLimit()?.forMs ?? 0) > 0;
  };
  for (;;) {
    const rows = await context.call(variants.list, { stack_id: canary.stack_id }, polled).catch(expectCliError);
    if (rows instanceof CliError) {
      if (isOver(false)) return missed(setter, 'unseen', rows);
    } else {
      const found = outcomeIn(rows, effect, canary);
      if (found) return found;
      if (isOver(true)) return missed(setter, 'old', failure ?? notShown());
    }
    await context.host.sleep(backoffMs(pollMs, context.rateLimit()), new AbortController().signal);
  }
}

/** Undefined while the old share is shown. */
function outcomeIn(rows: readonly VariantRow[], effect: SetEffect, canary: Canary): SetOutcome | undefined {
  const { why, from, share } = effect;
  if (isShown(rows, effect, canary)) return { kind: 'shown', share };
  if (isCommitted(rows, canary)) return { kind: 'unknown', what: 'active', why: 'it became the active version' };
  const observed = why === 'commit' ? undefined : changedVariant(rows, canary, [...sharesOf(from), share]);
  return observed === undefined ? undefined : { kind: 'changed', observed };
}

function isShown(rows: readonly VariantRow[], { why, share }: SetEffect, canary: Canary): boolean {
  return why === 'commit' ? isCommitted(rows, canary) : shareIn(rows, canary) === share;
}

/** The share of the canary; undefined if it is gone, or the active version. */
function shareIn(rows: readonly VariantRow[], canary: Canary): number | undefined {
  return rows.find((one) => one.uid === canary.uid && variantKind(one) !== 'active')?.percentage;
}

export function isCommitted(rows: readonly VariantRow[], { commit, activeCommit }: Canary): boolean {
  return activeOf(rows)?.git_hash === commit && activeCommit !== commit;
}

function missed({ context }: Setter, kind: Missed['kind'], cause: CliError): Missed {
  return { kind, cause, waitMs: context.rateLimit()?.forMs ?? 0 };
}

function notShown(): CliError {
  return new CliError('outcome_unknown', 'the service does not show it');
}
