import type { Changes, Run } from '../cli/app.ts';
import type { Input } from '../contract/field.ts';
import type { Redactor } from '../contract/host.ts';
import { ProbableMatch, type Watch } from '../contract/observe.ts';
import type { ReplyOf } from '../contract/operation.ts';
import { durationText } from '../contract/values/time.ts';
import { CliError, exitCodeOf, readOrUndefined, tryOrWarn, whyText } from '../errors/cli-error.ts';
import type { Entry } from './journal/journal.ts';
import {
  type ActiveWrite,
  answeredBy,
  answerOfFailure,
  type ChangeParts,
  endOfFailure,
  referenceOf,
  replyContent,
  sentChangeOf,
  unreadableAnswer,
  unseenEnd,
  withContent,
} from './sent-change.ts';

/**
 * Makes and watches changes: a snapshot where only a difference shows the change, a record in the journal, a check when
 * the answer is lost and, with --wait, a watch to the end.
 */
export function createChanges(parts: ChangeParts): Changes {
  const made: Entry[] = [];
  return {
    write: async (run, operation, input, { observer, replaces, undoes, wait = run.limits.wait } = {}) => {
      await run.requireApproval(operation, input);
      const { watchWritten } = await import('./wait/engine.ts');
      const change: ActiveWrite = { parts, run, operation, input, wait, observer };
      const snapshot = await snapshotBefore(change);
      const sent = { ...(await sentChangeOf(change)), ...(undoes !== undefined && { undoes }) };
      const entry = await (await parts.journal()).begin(sent, replaces);
      const { answer, isProbable } = await send(change, snapshot, entry);
      made.push(entry);
      const watch = watchOf(answer, () => {
        const content = replyContent(operation, answer);
        return watchWritten(parts.read, { operation, input, observer, snapshot, answer: content });
      });
      const isFollowed = watch?.isOver || wait;
      if (!watch || !(isFollowed || isProbable)) return answer as ReplyOf<typeof operation>;
      if (!isFollowed) {
        const pending = probablyStarted(watch, answer);
        const confirmed = { outcome: 'confirmed', exit_code: exitCodeOf(pending) } as const;
        await record(change, () => entry.answered({ ...answeredBy(operation, answer), ...confirmed }));
        throw pending;
      }
      return (await followRecorded(change, watch, entry, answer)) as ReplyOf<typeof operation>;
    },
    follow,
    recordProgram: async (run, { stack_id, servers }) => {
      const target = { stack: stack_id, stack_name: parts.stackName(stack_id) };
      const program = { operation: 'server run', method: 'SSH', path: servers.join(', ') };
      const sent = { ...parts.origin(), ...target, command: run.recorded(), ...program };
      const entry = await (await parts.journal()).begin(sent);
      return async (exit_code) => {
        await entry.answered({ outcome: 'done', exit_code });
        if (exit_code !== 0) await entry.ended({ outcome: 'failed', exit_code });
      };
    },
    wereSent: () => made.length > 0,
    undoneBy: async (undo) => {
      await made[0]?.undoneBy(undo);
    },
  };
}

function watchOf(answer: unknown, watching: () => Watch | undefined): Watch | undefined {
  try {
    return watching();
  } catch (error) {
    // The end of an unreadable answer cannot be observed.
    const status = { state: 'unseen', text: whyText(error), value: answer } as const;
    return { name: 'the change', resume: undefined, check: async () => status };
  }
}

async function snapshotBefore({ parts, run, input, wait, observer }: ActiveWrite): Promise<unknown> {
  const { snapshot, check } = observer ?? {};
  if (!snapshot || !(wait || (run.limits.reconcile && check))) return undefined;
  // A failed snapshot must not prevent the change.
  return readOrUndefined(run.progress.during('reading the current state', () => snapshot(parts.read, input)));
}

async function send(change: ActiveWrite, snapshot: unknown, entry: Entry) {
  const { parts, run, operation, input } = change;
  try {
    const answer = await run.progress.during(run.line.path, () => parts.call(operation, input));
    await record(change, () => entry.answered(answeredBy(operation, answer)));
    return { answer, isProbable: false };
  } catch (failure) {
    const error = failure instanceof CliError ? failure : unreadableAnswer(failure, change);
    await record(change, () => entry.answered(answerOfFailure(error, change)));
    const found = await checkAfterLoss(change, snapshot, error);
    if (found === undefined) throw error;
    const confirmed = { outcome: 'confirmed', exit_code: 0 } as const;
    await record(change, () => entry.answered({ ...confirmed, ...referenceOf(operation, found.answer) }));
    return found;
  }
}

async function record({ run }: ActiveWrite, event: () => Promise<void>): Promise<void> {
  // A missing line must not fail a change that was sent.
  await tryOrWarn(run.say.warn, 'the outcome is not recorded in the journal', event);
}

async function followRecorded(change: ActiveWrite, watch: Watch, entry: Entry, answer: unknown): Promise<unknown> {
  const { run, operation, input } = change;
  try {
    const value = await follow(run, watch, input);
    await record(change, () => entry.ended({ outcome: 'succeeded', exit_code: 0 }));
    return withContent(operation, answer, value);
  } catch (failure) {
    const error = failure instanceof CliError ? failure : unseenEnd(failure, watch, answer);
    await record(change, () => entry.ended(endOfFailure(error, change)));
    if (!error.details.partial) throw error;
    throw error.with({ partial: { value: withContent(operation, answer, error.details.partial.value) } });
  }
}

async function follow(run: Run, watch: Watch, { stack_id }: Input = {}): Promise<unknown> {
  const { app, session, limits, say, progress, state } = run;
  const { watchToEnd } = await import('./wait/engine.ts');
  const { signal, sleep, deadline, elapsed, redactor } = app;
  const { rateLimit } = session;
  const startedMs = elapsed();
  state.waitingSinceMs ??= startedMs;
  const over = deadline(limits.timeoutMs);
  const stack = state.stackNames?.get(String(stack_id));
  const nameNow = () => (stack === undefined ? watch.name : `${stack}: ${watch.name}`);
  let status = 'checking';
  const changed = (text: string): void => {
    status = text;
    say.changed(`${nameNow()}: ${text}`);
  };
  return progress.during(
    () => `${nameNow()}: ${status}, ${durationText(elapsed() - startedMs)}`,
    () =>
      watchToEnd(withQuotedStatus(watch, redactor), { ...limits, elapsed, sleep, signal, over, rateLimit, changed }),
  );
}

/** The status quotes the service, which may repeat secret values. */
function withQuotedStatus(watch: Watch, { quote }: Redactor): Watch {
  const check = async () => {
    const status = await watch.check();
    const { text, fault } = status;
    return { ...status, text: quote(text), ...(fault !== undefined && { fault: quote(fault) }) };
  };
  return {
    ...watch,
    // A check may set the name.
    get name() {
      return watch.name;
    },
    check,
  };
}

async function checkAfterLoss(change: ActiveWrite, snapshot: unknown, error: CliError) {
  const { run, observer } = change;
  const isUnknown = error.kind === 'outcome_unknown';
  if (!isUnknown || !run.limits.reconcile || !observer?.check || run.app.signal.aborted) return undefined;
  const found = await run.progress.during('no response; checking', () => checkRepeatedly(change, snapshot));
  if (found === undefined) return undefined;
  const isProbable = found instanceof ProbableMatch;
  const applied = isProbable ? 'probably applied' : 'applied';
  run.say.warn(`${error.why}; checked afterwards: the change was ${applied}`);
  const answer: unknown = isProbable ? found.answer : found;
  return { answer, isProbable };
}

async function checkRepeatedly({ parts, run, input, observer }: ActiveWrite, snapshot: unknown): Promise<unknown> {
  const { elapsed, signal, sleep } = run.app;
  const deadlineMs = elapsed() + (observer?.checkForMs ?? 0);
  for (;;) {
    // A failed check leaves the outcome unknown.
    const answer: unknown = await observer?.check?.(parts.read, input, snapshot).catch(() => undefined);
    if (answer !== undefined || elapsed() >= deadlineMs || signal.aborted) return answer;
    await sleep(2_000, signal).catch(() => undefined);
  }
}

function probablyStarted({ name, resume }: Watch, value: unknown): CliError {
  const message = `${name} was probably started by this command: no response came, and it is the only new one`;
  return new CliError('pending', message, { hint: resume, partial: { value } });
}
