import type { Step } from '../../../contract/plan.ts';
import { edits } from '../../../kinds/perform/edit.ts';
import { perform } from '../../../kinds/perform/perform.ts';
import { observeBy, send } from '../../../kinds/perform/send.ts';
import { whyText } from '../../../problems/or-warn.ts';
import { Problem } from '../../../problems/problem.ts';
import { kindOf, type VariantRow, variants } from '../../../resources/variant.ts';
import type { SetOutcome } from './machine/state.ts';
import type { RampContext } from './services.ts';
import {
  activeOf,
  type Canary,
  changedVariant,
  changeIn,
  endsReading,
  polled,
  type RampWorld,
  readWorld,
} from './world.ts';

/** Where a share is set: the service, a clock, and the canary. */
export interface Setter {
  readonly context: RampContext;
  readonly canary: Canary;
  readonly sleep: (ms: number) => Promise<void>;
}

/** One request, and what shows that it was carried out. */
interface Wanted {
  readonly from: number;
  readonly steps: (row: VariantRow) => readonly Step[];
  readonly isShown: (rows: readonly VariantRow[]) => boolean;
  /** Shares that are nobody else's doing, once it was sent. */
  readonly shares: readonly number[];
  readonly mostSends: number;
}

/** After the request, or before it while the service cannot be read. */
const patienceMs = 60_000;
const pollMs = 2_000;
/** How long the old share must be shown before a request without an answer is sent again. */
const lostMs = 6_000;

/** Gives the canary another share, and looks until it is shown. */
export function setShare(setter: Setter, from: number, share: number): Promise<SetOutcome> {
  const { context, canary } = setter;
  const { uid, stack_id } = canary;
  return carryOut(setter, {
    from,
    steps: (row) =>
      edits(context, [
        {
          id: { uid },
          name: `variant ${uid}`,
          held: row,
          read: async (read) => {
            const rows: readonly VariantRow[] = await read(variants.list, { stack_id });
            return rows.find((one) => one.uid === uid);
          },
          valueIn: (held: VariantRow | undefined) => held?.percentage,
          wanted: share,
          replaces: [{ kind: 'share', key: `traffic of variant ${uid}`, before: from, after: share }],
          operation: variants.update,
          request: { stack_id, id: uid, operation: 'percentage', canary_percentage: share },
        },
      ]).steps,
    isShown: (rows) => rows.some((one) => one.uid === uid && one.percentage === share && kindOf(one) !== 'active'),
    shares: [from, share],
    mostSends: 3,
  });
}

/** Makes the canary the active version: sent once, whatever comes of it. */
export function commitCanary(setter: Setter, share: number): Promise<SetOutcome> {
  const { context, canary } = setter;
  const { stack_id, uid } = canary;
  const isActive = (rows: readonly VariantRow[]) => isCommitted(rows, canary);
  const observer = observeBy(variants.update, async (read) => isActive(await read(variants.list, { stack_id })));
  return carryOut(setter, {
    from: share,
    steps: () => [
      {
        id: { uid },
        name: `variant ${uid}`,
        change: 'committed',
        before: share,
        after: null,
        send: () => send(context, variants.update, { stack_id, id: uid, operation: 'commit' }, { observer }),
      },
    ],
    isShown: isActive,
    shares: [],
    mostSends: 1,
  });
}

/** Whether the commit of the canary is the active version. */
export function isCommitted(rows: readonly VariantRow[], { commit, activeCommit }: Canary): boolean {
  return activeOf(rows)?.git_hash === commit && activeCommit !== commit;
}

/** What is done by one request, looked at before and until it is shown; without an answer it may be sent again. */
async function carryOut(setter: Setter, wanted: Wanted): Promise<SetOutcome> {
  for (let sends = 1; ; sends += 1) {
    const before = await rowBefore(setter, wanted, sends);
    if ('kind' in before) return before;
    const failure = await sent(setter.context, wanted.steps(before.row));
    if (failure && !mayBeCarriedOut(failure)) return refusal(failure, sends);
    const isRepeated = failure !== undefined && sends < wanted.mostSends;
    const seen = await shownWithin(setter, wanted, isRepeated ? lostMs : patienceMs);
    if (seen !== 'old') return seen;
    if (!isRepeated) return notShown(failure, wanted);
  }
}

/** Undefined once it was answered well. */
async function sent(context: RampContext, steps: readonly Step[]): Promise<unknown> {
  try {
    await perform(context, { steps, summarize: () => ({ lines: [] }) });
    return undefined;
  } catch (error) {
    return error;
  }
}

interface BeforeSend {
  readonly row: VariantRow;
}

/** The row of the canary, if all is as the ramp left it; the service may take a minute to answer. */
async function rowBefore(setter: Setter, wanted: Wanted, sends: number): Promise<SetOutcome | BeforeSend> {
  const { context, canary } = setter;
  const { from, isShown } = wanted;
  const judge = (seen: RampWorld | Problem): SetOutcome | BeforeSend | undefined => {
    if (seen instanceof Problem) return endsReading(seen) ? refusal(seen, sends) : undefined;
    // One that was sent before may have been carried out meanwhile.
    if (sends > 1 && isShown(seen.variants)) return { kind: 'shown' };
    const why = changeIn(seen, canary, [from]);
    const row = seen.variants.find(({ uid }) => uid === canary.uid);
    return why === undefined && row ? { row } : { kind: 'changed', why: why ?? `variant ${canary.uid} is gone` };
  };
  const found = await readUntil(setter, () => readWorld(context, canary.stack_id, polled), judge);
  return found ?? (sends === 1 ? { kind: 'unread' } : notShown(undefined, wanted));
}

/** What the service shows within a time; `old` where the last it showed is nothing new. */
async function shownWithin(setter: Setter, { isShown, shares }: Wanted, limitMs: number): Promise<SetOutcome | 'old'> {
  const { context, canary } = setter;
  const judge = (seen: readonly VariantRow[] | Problem, ms: number): SetOutcome | 'old' | undefined => {
    if (seen instanceof Problem) return undefined;
    if (isShown(seen)) return { kind: 'shown' };
    if (isCommitted(seen, canary)) return { kind: 'active' };
    const why = shares.length > 0 ? changedVariant(seen, canary, shares) : undefined;
    if (why !== undefined) return { kind: 'changed', why };
    return ms >= limitMs ? 'old' : undefined;
  };
  const seen = await readUntil(setter, () => context.call(variants.list, { stack_id: canary.stack_id }, polled), judge);
  return seen ?? { kind: 'unknown', why: 'the service could not be read' };
}

/** Reads until something is seen, at most a minute. */
async function readUntil<Seen, Found>(
  { context, sleep }: Setter,
  read: () => Promise<Seen>,
  judge: (seen: Seen | Problem, ms: number) => Found | undefined,
): Promise<Found | undefined> {
  const startMs = context.elapsed();
  for (;;) {
    const seen = await read().catch(unlessBug);
    const ms = context.elapsed() - startMs;
    const found = judge(seen, ms);
    if (found !== undefined || ms >= patienceMs) return found;
    await sleep(pollMs);
  }
}

/** Whether a request that failed may have been carried out, or may be sent again. */
function mayBeCarriedOut(error: unknown): boolean {
  return error instanceof Problem && ['outcome_unknown', 'unavailable', 'interrupted'].includes(error.kind);
}

function refusal(cause: unknown, sends: number): SetOutcome {
  const why = whyText(cause);
  // One before it may still be carried out.
  return sends === 1 ? { kind: 'refused', why, cause } : { kind: 'unknown', why };
}

function notShown(cause: unknown, { mostSends }: Wanted): SetOutcome {
  // What is sent only once may be sent later where it was not carried out, by the word of the service.
  if (mostSends === 1 && cause instanceof Problem && cause.kind === 'unavailable') return { kind: 'unread' };
  return { kind: 'unknown', why: cause instanceof Error ? cause.message : 'the service does not show it' };
}

function unlessBug(error: unknown): Problem {
  if (error instanceof Problem) return error;
  throw error;
}
