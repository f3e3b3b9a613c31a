import type { Changes, WriteOptions } from '../cli/world.ts';
import type { Watch } from '../contract/observe.ts';
import type { ReplyOf } from '../contract/operation.ts';
import type { Redactor } from '../contract/redactor.ts';
import { durationText } from '../contract/values/clock.ts';
import { exitCodeOf } from '../problems/exit-codes.ts';
import { Problem } from '../problems/problem.ts';
import { unlessUnreadable } from '../problems/unreadable.ts';
import type { ActiveWrite, ChangeParts } from './active-write.ts';
import type { Entry } from './journal/journal.ts';
import { checkAfterLoss, probablyStarted, type SentWrite } from './lost-answer.ts';
import {
  answeredBy,
  answerOfFailure,
  endOfFailure,
  referenceOf,
  replyContent,
  sentChangeOf,
  withContent,
} from './sent-change.ts';

/**
 * How changes are made and watched: a snapshot first where only a difference shows them, a record in the journal,
 * a check when the answer is lost, and with --wait a watch to their end.
 */
export function createChanges(parts: ChangeParts): Changes {
  const made: Entry[] = [];
  return {
    write: async (operation, input, options) => {
      const { watchWritten } = await import('./wait/written.ts');
      const { observer } = options;
      const change: ActiveWrite = { parts, options, operation, input };
      const snapshot = await snapshotBefore(change);
      const entry = await (await parts.journal()).begin(await sentChangeOf(change));
      const { answer, isProbable } = await send(change, snapshot, entry);
      made.push(entry);
      const content = replyContent(operation, answer);
      const watch = watchWritten(parts.read, { operation, input, observer, snapshot, answer: content });
      const isFollowed = watch?.isOver || options.wait;
      if (!watch || !(isFollowed || isProbable)) return answer as ReplyOf<typeof operation>;
      if (!isFollowed) {
        const pending = probablyStarted(watch, answer);
        await entry.answered({
          ...answeredBy(operation, answer),
          outcome: 'confirmed',
          exit_code: exitCodeOf(pending),
        });
        throw pending;
      }
      return (await followRecorded(change, { watch, entry, answer })) as ReplyOf<typeof operation>;
    },
    follow: (watch, options) => follow(parts, watch, options),
    wereSent: () => made.length > 0,
    undoneBy: async (undo) => {
      await made[0]?.undoneBy(undo);
    },
  };
}

/** A missing scope or an unsupported read must not prevent the change. */
async function snapshotBefore({ parts, options, input }: ActiveWrite): Promise<unknown> {
  const { observer } = options;
  const isUsed = options.wait || (options.reconcile && observer?.check);
  if (!observer?.snapshot || !isUsed) return undefined;
  const reading = options.during(
    () => 'reading the current state',
    () => observer.snapshot?.(parts.read, input) ?? Promise.resolve(),
  );
  return unlessUnreadable(reading);
}

async function send(change: ActiveWrite, snapshot: unknown, entry: Entry): Promise<SentWrite> {
  const { parts, options, operation, input } = change;
  try {
    const answer = await options.during(
      () => options.label,
      () => parts.call(operation, input),
    );
    await entry.answered(answeredBy(operation, answer));
    return { answer };
  } catch (error) {
    await entry.answered(answerOfFailure(error, change));
    const found = await checkAfterLoss(change, snapshot, error);
    if (found === undefined) throw error;
    await entry.answered({ outcome: 'confirmed', exit_code: 0, ...referenceOf(operation, found.answer) });
    return found;
  }
}

interface Followed {
  readonly watch: Watch;
  readonly entry: Entry;
  readonly answer: unknown;
}

async function followRecorded(change: ActiveWrite, { watch, entry, answer }: Followed): Promise<unknown> {
  const { parts, options, operation } = change;
  try {
    const value = await follow(parts, watch, options);
    await entry.ended({ outcome: 'succeeded', exit_code: 0 });
    return withContent(operation, answer, value);
  } catch (error) {
    await entry.ended(endOfFailure(error, change));
    if (!(error instanceof Problem) || !error.details.partial) throw error;
    throw error.with({ partial: { value: withContent(operation, answer, error.details.partial.value) } });
  }
}

async function follow(parts: ChangeParts, watch: Watch, options: WriteOptions): Promise<unknown> {
  const { watchToEnd } = await import('./wait/engine.ts');
  const { signal, sleep, deadline, elapsed } = parts.host;
  const startedMs = elapsed();
  const { waiting } = options;
  const { slowdown } = parts;
  const over = deadline(waiting.timeoutMs);
  let seen = 'checking';
  const changed = (text: string): void => {
    seen = text;
    options.changed(`${watch.name}: ${text}`);
  };
  return options.during(
    () => `${watch.name}: ${seen}, ${durationText(elapsed() - startedMs)}`,
    () =>
      watchToEnd(quoted(watch, parts.host.redactor), { ...waiting, elapsed, sleep, signal, over, slowdown, changed }),
  );
}

/** A status holds text of the service, which may repeat secret values. */
function quoted(watch: Watch, { quote }: Redactor): Watch {
  const check = async () => {
    const status = await watch.check();
    return { ...status, text: quote(status.text) };
  };
  return {
    ...watch,
    // A check may find it out.
    get name() {
      return watch.name;
    },
    check,
  };
}
