import type { Step } from '../../../contract/plan.ts';
import { edits } from '../../../kinds/perform/edit.ts';
import { perform } from '../../../kinds/perform/perform.ts';
import { observeBy, send } from '../../../kinds/perform/send.ts';
import { whyText } from '../../../problems/or-warn.ts';
import { Problem } from '../../../problems/problem.ts';
import { kindOf, type VariantRow, variants } from '../../../resources/variant.ts';
import type { RampEnd, SetEffect, SetOutcome } from './machine/state.ts';
import type { RampContext, RampServices } from './services.ts';
import { activeOf, type Canary, changedVariant, changeIn, endsReading, polled, readWorld } from './world.ts';

interface Setter {
  readonly context: RampContext;
  readonly canary: Canary;
  readonly services: Pick<RampServices, 'sleep'>;
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
  const isLastSend = (sends: number) => effect.why === 'commit' || sends === mostSends;
  try {
    for (let sends = 1; ; sends += 1) {
      const before = await rowBefore(setter, effect, sends);
      if (typeof before === 'string' || 'kind' in before) return before;
      const failure = await failureOf(setter, stepsFor(setter, effect, before.row));
      if (failure && !mayBeCarriedOut(failure)) return refusal(failure, effect, sends);
      const isFinal = !failure || isLastSend(sends);
      const seen = await shownWithin(setter, effect, isFinal ? patienceMs : lostMs);
      if (seen !== 'old') return seen;
      if (isFinal) return notShown(failure, effect);
    }
  } catch (error) {
    return unknown(effect, whyText(error));
  }
}

function stepsFor({ context, canary }: Setter, { from, share, why }: SetEffect, row: VariantRow): readonly Step[] {
  const { stack_id, uid } = canary;
  const name = `variant ${uid}`;
  if (why === 'commit') {
    const observer = observeBy(variants.update, async (read) =>
      isCommitted(await read(variants.list, { stack_id }), canary),
    );
    const request = { stack_id, id: uid, operation: 'commit' };
    const commit = () => send(context, variants.update, request, { observer });
    return [{ id: { uid }, name, change: 'committed', before: share, after: null, send: commit }];
  }
  return edits(context, [
    {
      id: { uid },
      name,
      held: row,
      read: async (read): Promise<VariantRow | undefined> =>
        (await read(variants.list, { stack_id })).find((one) => one.uid === uid),
      valueIn: (held) => held?.percentage,
      wanted: share,
      replaces: [{ kind: 'share', key: `traffic of variant ${uid}`, before: from, after: share }],
      operation: variants.update,
      request: { stack_id, id: uid, operation: 'percentage', canary_percentage: share },
    },
  ]).steps;
}

async function failureOf({ context }: Setter, steps: readonly Step[]): Promise<unknown> {
  try {
    await perform(context, { steps, summarize: () => ({ lines: [] }) });
    return undefined;
  } catch (error) {
    return error;
  }
}

/** The row of the canary, if all is as the ramp left it; the service may take a minute to answer. */
async function rowBefore(
  setter: Setter,
  effect: SetEffect,
  sends: number,
): Promise<SetOutcome | { readonly row: VariantRow }> {
  const { context, canary } = setter;
  const read = () => readWorld(context, canary.stack_id, polled);
  const found = await readUntil(setter, read, (seen): SetOutcome | { readonly row: VariantRow } | undefined => {
    if (seen instanceof Problem) return endsReading(seen) ? refusal(seen, effect, sends) : undefined;
    // One that was sent before may have been carried out meanwhile.
    if (sends > 1 && isShown(seen.variants, effect, canary)) return 'shown';
    const why = changeIn(seen, canary, [effect.from]);
    const row = seen.variants.find(({ uid }) => uid === canary.uid);
    return why === undefined && row ? { row } : { kind: 'changed', seen: why ?? `variant ${canary.uid} is gone` };
  });
  return found ?? (sends === 1 ? 'unread' : notShown(undefined, effect));
}

/** What the service shows within a time; `old` where the last it showed is nothing new. */
async function shownWithin(setter: Setter, effect: SetEffect, limitMs: number): Promise<SetOutcome | 'old'> {
  const { context, canary } = setter;
  const { why, from, share } = effect;
  const read = () => context.call(variants.list, { stack_id: canary.stack_id }, polled);
  const seen = await readUntil(setter, read, (rows, ms): SetOutcome | 'old' | undefined => {
    if (rows instanceof Problem) return undefined;
    if (isShown(rows, effect, canary)) return 'shown';
    if (isCommitted(rows, canary)) return unknown({ why: 'active' }, 'it became the active version');
    const changed = why === 'commit' ? undefined : changedVariant(rows, canary, [from, share]);
    if (changed !== undefined) return { kind: 'changed', seen: changed };
    return ms >= limitMs ? 'old' : undefined;
  });
  return seen ?? unknown(effect, 'the service could not be read');
}

function isShown(rows: readonly VariantRow[], { why, share }: SetEffect, canary: Canary): boolean {
  if (why === 'commit') return isCommitted(rows, canary);
  return rows.some((one) => one.uid === canary.uid && one.percentage === share && kindOf(one) !== 'active');
}

/** Whether the commit of the canary is the active version. */
export function isCommitted(rows: readonly VariantRow[], { commit, activeCommit }: Canary): boolean {
  return activeOf(rows)?.git_hash === commit && activeCommit !== commit;
}

/** Reads until something is seen, at most a minute. */
async function readUntil<Seen, Found>(
  { context, services }: Setter,
  read: () => Promise<Seen>,
  judge: (seen: Seen | Problem, ms: number) => Found | undefined,
): Promise<Found | undefined> {
  const startMs = context.elapsed();
  const never = new AbortController().signal;
  for (;;) {
    const seen = await read().catch(unlessBug);
    const ms = context.elapsed() - startMs;
    const found = judge(seen, ms);
    if (found !== undefined || ms >= patienceMs) return found;
    await services.sleep(pollMs, never);
  }
}

/** Whether a request that failed may have been carried out, or may be sent again. */
function mayBeCarriedOut(error: unknown): boolean {
  return error instanceof Problem && ['outcome_unknown', 'unavailable', 'interrupted'].includes(error.kind);
}

/** One before it may still be carried out; and what is not taken back is no refusal. */
function refusal(cause: unknown, effect: SetEffect, sends: number): RampEnd {
  return sends === 1 && effect.why !== 'return' ? { kind: 'refused', cause } : unknown(effect, whyText(cause));
}

function notShown(cause: unknown, effect: SetEffect): SetOutcome {
  // A commit may be sent later where it was not carried out, by the word of the service.
  if (effect.why === 'commit' && cause instanceof Problem && cause.kind === 'unavailable') return 'unread';
  return unknown(effect, cause instanceof Error ? cause.message : 'the service does not show it');
}

function unknown({ why: what }: { readonly why: SetEffect['why'] | 'active' }, why: string): RampEnd {
  return { kind: 'unknown', what, why };
}

function unlessBug(error: unknown): Problem {
  if (error instanceof Problem) return error;
  throw error;
}
