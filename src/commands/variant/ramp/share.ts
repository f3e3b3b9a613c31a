import { observeBy, send } from '../../../builders/execute/send.ts';
import type { Context } from '../../../contract/command.ts';
import { CliError } from '../../../errors/cli-error.ts';
import { whyText } from '../../../errors/try-or-warn.ts';
import { expectCliError } from '../../../errors/unreadable.ts';
import { type VariantRow, variantKind, variants } from '../../../resources/variant.ts';
import { isFinal } from '../../deployment/watching.ts';
import type { RampEnd, SetEffect, SetOutcome } from './machine/state.ts';
import { activeOf, type Canary, changedVariant, changeIn, polled, readRollout } from './read-canary.ts';

interface Setter {
  readonly context: Context;
  readonly canary: Canary;
}

/** After the request, or before it while the service cannot be read. */
const patienceMs = 60_000;
const pollMs = 2_000;
/** How long the old share must be shown before a request without an answer is sent again. */
const lostMs = 6_000;
const mostSends = 3;

/**
 * Gives the canary another share, or makes it the active version: looks before the request, and after it until it is
 * shown. Without an answer a share may be sent again; a commit is sent once, whatever comes of it.
 */
export async function setShare(setter: Setter, effect: SetEffect): Promise<SetOutcome> {
  try {
    for (let sends = 1; ; sends += 1) {
      const found = await checkBefore(setter, effect, sends);
      if (found !== 'as left') return found;
      const failure = await request(setter, effect).then(() => undefined, expectCliError);
      if (failure && !mayBeCarriedOut(failure)) return refusal(failure, effect, sends);
      const isFinal = !failure || effect.why === 'commit' || sends === mostSends;
      const seen = await shownWithin(setter, effect, isFinal ? patienceMs : lostMs);
      if (seen !== 'old') return seen;
      if (isFinal) return notShown(failure, effect);
    }
  } catch (error) {
    return unknown(effect.why, whyText(error));
  }
}

/** A write like any other: a read proves it where its answer is lost, and `history undo` gives a share back. */
async function request({ context, canary }: Setter, effect: SetEffect): Promise<void> {
  const { stack_id, uid: id } = canary;
  const { why, from, share } = effect;
  const observer = observeBy(variants.update, async (read) =>
    isShown(await read(variants.list, { stack_id }), effect, canary),
  );
  if (why === 'commit') {
    await send(context, variants.update, { stack_id, id, operation: 'commit' }, { observer });
    return;
  }
  const replaces = [{ kind: 'share', key: `traffic of variant ${id}`, before: from, after: share }] as const;
  const input = { stack_id, id, operation: 'percentage', canary_percentage: share };
  await send(context, variants.update, input, { observer, replaces });
}

/** Whether all is as the ramp left it; the service may take a minute to answer. */
async function checkBefore(setter: Setter, effect: SetEffect, sends: number): Promise<SetOutcome | 'as left'> {
  const { context, canary } = setter;
  const read = () => readRollout(context, canary.stack_id, polled);
  const found = await readUntil(setter, read, (seen): SetOutcome | 'as left' | undefined => {
    if (seen instanceof CliError) return isFinal(seen) ? refusal(seen, effect, sends) : undefined;
    // One that was sent before may have been carried out meanwhile.
    if (sends > 1 && isShown(seen.variants, effect, canary)) return 'shown';
    const why = changeIn(seen, canary, [effect.from]);
    return why === undefined ? 'as left' : { kind: 'changed', observed: why };
  });
  return found ?? (sends === 1 ? 'unread' : notShown(undefined, effect));
}

/** What the service shows within a time; `old` where the last it showed is nothing new. */
async function shownWithin(setter: Setter, effect: SetEffect, limitMs: number): Promise<SetOutcome | 'old'> {
  const { context, canary } = setter;
  const { why, from, share } = effect;
  const read = () => context.call(variants.list, { stack_id: canary.stack_id }, polled);
  const seen = await readUntil(setter, read, (rows, ms): SetOutcome | 'old' | undefined => {
    if (rows instanceof CliError) return undefined;
    if (isShown(rows, effect, canary)) return 'shown';
    if (isCommitted(rows, canary)) return unknown('active', 'it became the active version');
    const changed = why === 'commit' ? undefined : changedVariant(rows, canary, [from, share]);
    if (changed !== undefined) return { kind: 'changed', observed: changed };
    return ms >= limitMs ? 'old' : undefined;
  });
  return seen ?? unknown(why, 'the service could not be read');
}

function isShown(rows: readonly VariantRow[], { why, share }: SetEffect, canary: Canary): boolean {
  if (why === 'commit') return isCommitted(rows, canary);
  return rows.some((one) => one.uid === canary.uid && one.percentage === share && variantKind(one) !== 'active');
}

export function isCommitted(rows: readonly VariantRow[], { commit, activeCommit }: Canary): boolean {
  return activeOf(rows)?.git_hash === commit && activeCommit !== commit;
}

async function readUntil<Seen, Found>(
  { context }: Setter,
  read: () => Promise<Seen>,
  judge: (seen: Seen | CliError, ms: number) => Found | undefined,
): Promise<Found | undefined> {
  const startMs = context.elapsed();
  const never = new AbortController().signal;
  for (;;) {
    const seen = await read().catch(expectCliError);
    const ms = context.elapsed() - startMs;
    const found = judge(seen, ms);
    if (found !== undefined || ms >= patienceMs) return found;
    await context.host.sleep(pollMs, never);
  }
}

/** Whether a request that failed may have been carried out, or may be sent again. */
function mayBeCarriedOut({ kind }: CliError): boolean {
  return ['outcome_unknown', 'unavailable', 'interrupted'].includes(kind);
}

/** One before it may still be carried out; and what is not taken back is no refusal. */
function refusal(cause: CliError, { why }: SetEffect, sends: number): RampEnd {
  return sends === 1 && why !== 'return' ? { kind: 'refused', cause } : unknown(why, cause.message);
}

function notShown(cause: CliError | undefined, { why }: SetEffect): SetOutcome {
  // A commit may be sent later where it was not carried out, by the word of the service.
  if (why === 'commit' && cause?.kind === 'unavailable') return 'unread';
  return unknown(why, cause?.message ?? 'the service does not show it');
}

function unknown(what: SetEffect['why'] | 'active', why: string): RampEnd {
  return { kind: 'unknown', what, why };
}
