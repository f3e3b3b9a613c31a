import type { ChangeRunner, Run } from '../cli/app.ts';
import type { Input } from '../contract/field.ts';
import type { Redactor } from '../contract/host.ts';
import { ProbableMatch, type Watch } from '../contract/observe.ts';
import type { ReplyOf } from '../contract/operation.ts';
import { durationText } from '../contract/values/time.ts';
import { CliError, exitCodeOf, readOrUndefined, tryOrWarn, whyText } from '../errors/cli-error.ts';
import type { EntryWriter } from './journal/journal.ts';
import {
  type ActiveWrite,
  type ChangeParts,
  recordedAnswerOf,
  recordedEndOf,
  recordedFailureOf,
  referenceFields,
  replyContent,
  sentChangeOf,
  unreadableAnswerError,
  unseenEndError,
  withContent,
} from './sent-change.ts';

/** If only a difference proves a change, the state is read first. After a lost answer, reads look for the change. */
export function createChangeRunner(parts: ChangeParts): ChangeRunner {
  /** The journal entry of the change that was answered first. */
  let firstEntry: EntryWriter | undefined;
  return {
    write: async (run, operation, input, { observer, replaces, undoes, wait = run.writeOptions.wait } = {}) => {
      await run.requireApproval(operation, input);
      const { createWrittenWatch } = await import('./wait/engine.ts');
      const change: ActiveWrite = { parts, run, operation, input, wait, observer };
      const snapshot = await snapshotBefore(change);
      const sentChange = { ...(await sentChangeOf(change)), ...(undoes !== undefined && { undoes }) };
      const entry = await (await parts.journal()).begin(sentChange, replaces);
      const { answer, isProbable } = await sendChange(change, snapshot, entry);
      firstEntry ??= entry;
      const watch = watchOf(answer, () => {
        const content = replyContent(operation, answer);
        return createWrittenWatch(parts.read, { operation, input, observer, snapshot, answer: content });
      });
      const isFollowed = watch?.hasResult || wait;
      if (!watch || !(isFollowed || isProbable)) return answer as ReplyOf<typeof operation>;
      if (!isFollowed) {
        const error = probablyStartedError(watch, answer);
        await recordConfirmed(change, entry, answer, exitCodeOf(error));
        throw error;
      }
      return (await followChange(change, watch, entry, answer)) as ReplyOf<typeof operation>;
    },
    follow,
    recordProgram: async (run, { stack_id, servers }) => {
      const stackFields = { stack: stack_id, stack_name: parts.stackName(stack_id) };
      const programFields = { operation: 'server run', method: 'SSH', path: servers.join(', ') };
      const sentChange = { ...parts.origin(), ...stackFields, command: run.argvForJournal(), ...programFields };
      const entry = await (await parts.journal()).begin(sentChange);
      return async (exit_code) => {
        await entry.recordAnswer({ outcome: 'done', exit_code });
        if (exit_code !== 0) await entry.recordEnd({ outcome: 'failed', exit_code });
      };
    },
    wereChangesSent: () => firstEntry !== undefined,
    recordUndo: async (undo) => firstEntry?.recordUndo(undo),
  };
}

function watchOf(answer: unknown, makeWatch: () => Watch | undefined): Watch | undefined {
  try {
    return makeWatch();
  } catch (error) {
    // An unreadable answer names nothing to watch, so the end of the change stays unseen.
    const status = { state: 'unseen', text: whyText(error), value: answer } as const;
    return { name: 'the change', resume: undefined, check: async () => status };
  }
}

async function snapshotBefore({ parts, run, input, wait, observer }: ActiveWrite): Promise<unknown> {
  const { snapshot, check } = observer ?? {};
  if (!snapshot || !(wait || (run.writeOptions.reconcile && check))) return undefined;
  // The change is sent without a snapshot if the service does not offer or allow the read.
  return readOrUndefined(run.progress.during('reading the current state', () => snapshot(parts.read, input)));
}

async function sendChange(change: ActiveWrite, snapshot: unknown, entry: EntryWriter) {
  const { parts, run, operation, input } = change;
  try {
    const answer = await run.progress.during(run.line.path, () => parts.call(operation, input));
    await recordOrWarn(change, () => entry.recordAnswer(recordedAnswerOf(operation, answer)));
    return { answer, isProbable: false };
  } catch (failure) {
    const error = failure instanceof CliError ? failure : unreadableAnswerError(failure, change);
    await recordOrWarn(change, () => entry.recordAnswer(recordedFailureOf(error, change)));
    const match = await checkAfterLoss(change, snapshot, error);
    if (match === undefined) throw error;
    await recordConfirmed(change, entry, match.answer, 0);
    return match;
  }
}

async function recordConfirmed(change: ActiveWrite, entry: EntryWriter, answer: unknown, exit_code: number) {
  await recordOrWarn(change, () =>
    entry.recordAnswer({ outcome: 'confirmed', exit_code, ...referenceFields(change.operation, answer) }),
  );
}

async function recordOrWarn({ run }: ActiveWrite, writeLine: () => Promise<void>): Promise<void> {
  // The change was sent, so a journal line that cannot be written is only a warning.
  await tryOrWarn(run.say.warn, 'the outcome is not recorded in the journal', writeLine);
}

async function followChange(change: ActiveWrite, watch: Watch, entry: EntryWriter, answer: unknown): Promise<unknown> {
  const { run, operation, input } = change;
  try {
    const value = await follow(run, watch, input);
    await recordOrWarn(change, () => entry.recordEnd({ outcome: 'succeeded', exit_code: 0 }));
    return withContent(operation, answer, value);
  } catch (failure) {
    const error = failure instanceof CliError ? failure : unseenEndError(failure, watch, answer);
    await recordOrWarn(change, () => entry.recordEnd(recordedEndOf(error, change)));
    if (!error.details.partial) throw error;
    throw error.with({ partial: { value: withContent(operation, answer, error.details.partial.value) } });
  }
}

async function follow(run: Run, watch: Watch, { stack_id }: Input = {}): Promise<unknown> {
  const { app, session, writeOptions, say, progress, state } = run;
  const { watchToEnd } = await import('./wait/engine.ts');
  const { signal, sleep, deadline, elapsed, redactor } = app;
  const { rateLimit } = session;
  const startedMs = elapsed();
  state.waitingSinceMs ??= startedMs;
  const timeLimitSignal = deadline(writeOptions.timeoutMs);
  const stack = state.stackNames?.get(String(stack_id));
  const nameNow = () => (stack === undefined ? watch.name : `${stack}: ${watch.name}`);
  let statusText = 'checking';
  const onChange = (text: string): void => {
    statusText = text;
    say.noteStatus(`${nameNow()}: ${text}`);
  };
  const waitOptions = { ...writeOptions, elapsed, sleep, signal, timeLimitSignal, rateLimit, onChange };
  return progress.during(
    () => `${nameNow()}: ${statusText}, ${durationText(elapsed() - startedMs)}`,
    () => watchToEnd(withRedactedTexts(watch, redactor), waitOptions),
  );
}

/** Returns the watch with redacted texts. They quote the service, which may repeat secret values. */
function withRedactedTexts(watch: Watch, { quote }: Redactor): Watch {
  return {
    ...watch,
    // A getter, because a check may change the name.
    get name() {
      return watch.name;
    },
    check: async () => {
      const status = await watch.check();
      const { text, fault } = status;
      return { ...status, text: quote(text), ...(fault !== undefined && { fault: quote(fault) }) };
    },
  };
}

async function checkAfterLoss(change: ActiveWrite, snapshot: unknown, error: CliError) {
  const { run, observer } = change;
  const isOutcomeUnknown = error.kind === 'outcome_unknown';
  if (!isOutcomeUnknown || !run.writeOptions.reconcile || !observer?.check || run.app.signal.aborted) return undefined;
  const match = await run.progress.during('no response; checking', () => checkRepeatedly(change, snapshot));
  if (match === undefined) return undefined;
  const isProbable = match instanceof ProbableMatch;
  run.say.warn(`${error.why}; checked afterwards: the change was ${isProbable ? 'probably ' : ''}applied`);
  const answer: unknown = isProbable ? match.answer : match;
  return { answer, isProbable };
}

async function checkRepeatedly({ parts, run, input, observer }: ActiveWrite, snapshot: unknown): Promise<unknown> {
  const { elapsed, signal, sleep } = run.app;
  const deadlineMs = elapsed() + (observer?.checkForMs ?? 0);
  for (;;) {
    // A failed check proves nothing, so it counts as a check without an answer.
    const answer: unknown = await observer?.check?.(parts.read, input, snapshot).catch(() => undefined);
    if (answer !== undefined || elapsed() >= deadlineMs || signal.aborted) return answer;
    await sleep(2_000, signal).catch(() => undefined);
  }
}

function probablyStartedError({ name, resume }: Watch, value: unknown): CliError {
  const message = `${name} was probably started by this command: no response came, and it is the only new one`;
  return new CliError('pending', message, { hint: resume, partial: { value } });
}
