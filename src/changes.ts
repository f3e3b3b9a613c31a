import type { Changes, ContactOptions } from './cli/world.ts';
import { checkCommand } from './contract/check-command.ts';
import { Likely, type Observer, type Read, type Watch } from './contract/observe.ts';
import type { Operation, ReplyOf } from './contract/operation.ts';
import type { Host } from './host.ts';
import { toRequest } from './http/request.ts';
import type { Answer, Deed, Ending, Outcome } from './journal/event.ts';
import type { Entry, Journal } from './journal/journal.ts';
import { exitCodeOf } from './problems/exit-codes.ts';
import { Problem } from './problems/problem.ts';

export interface ChangeParts {
  readonly host: Host;
  readonly call: Read;
  /** Reads that look what became of a change: short, since they are repeated anyway. */
  readonly read: Read;
  readonly journal: () => Promise<Journal>;
  readonly profile: () => string;
}

/** One change under way. */
interface Change {
  readonly parts: ChangeParts;
  readonly contact: ContactOptions;
  readonly operation: Operation;
  readonly input: Readonly<Record<string, unknown>>;
  readonly observer: Observer | undefined;
}

/**
 * How changes are made and seen to their end: noted before where only a difference tells, recorded in the journal,
 * looked for when their answer is lost, and with --wait watched.
 */
export function createChanges(parts: ChangeParts): Changes {
  return {
    write: async (operation, input, contact) => {
      const { observerOf } = await import('./wait/observers.ts');
      const change: Change = { parts, contact, operation, input, observer: observerOf(operation) };
      const note = await noteBefore(change);
      const entry = await (await parts.journal()).begin(deedOf(change));
      const { answer, likely } = await send(change, note, entry);
      const watch = change.observer?.watch?.(parts.read, input, { note, answer });
      const isSettled = !(operation.queues && watch);
      if (isSettled || (contact.wait === undefined && !likely)) return answer as ReplyOf<typeof operation>;
      if (contact.wait === undefined) throw likelyTaken(watch, answer);
      return (await followRecorded(change, watch, entry)) as ReplyOf<typeof operation>;
    },
    follow: (watch, contact) => follow(parts, watch, contact),
  };
}

/** What cannot be read, for want of a scope or because it is not offered, must not keep the change from being made. */
async function noteBefore({ parts, contact, input, observer }: Change): Promise<unknown> {
  const isUsed = contact.wait !== undefined || (contact.reconcile && observer?.look);
  if (!observer?.note || !isUsed) return undefined;
  try {
    return await contact.during(
      () => 'looking first',
      () => observer.note?.(parts.read, input) ?? Promise.resolve(),
    );
  } catch (error) {
    if (error instanceof Problem && [403, 404, 405, 501].includes(error.details.status ?? 0)) return undefined;
    throw error;
  }
}

function deedOf({ parts, contact, operation, input }: Change): Deed {
  const { method, path } = operation;
  const request = toRequest(operation, input);
  const check = checkCommand(operation, input);
  const stack = input['stack_id'];
  return {
    profile: parts.profile(),
    ...(typeof stack === 'string' && { stack }),
    words: contact.words.map((word) => veiled(word, request.secrets ?? [])),
    operation: `${method} ${path}`,
    method,
    path: request.shownPath ?? request.path,
    ...(check !== undefined && { check }),
  };
}

/** A secret may have been typed where nobody expects one: in the path of `api`. */
function veiled(word: string, secrets: readonly string[]): string {
  return secrets.reduce((text, secret) => text.replaceAll(secret, '***'), word);
}

interface Sent {
  readonly answer: unknown;
  /** The answer was lost, and what was found in its place is likely but not certain. */
  readonly likely?: true;
}

async function send(
  { parts, contact, operation, input, observer }: Change,
  note: unknown,
  entry: Entry,
): Promise<Sent> {
  try {
    const answer = await contact.during(
      () => contact.label,
      () => parts.call(operation, input),
    );
    await entry.answered({ outcome: 'done', exit_code: 0, ...referenceOf(operation, answer) });
    return { answer };
  } catch (error) {
    await entry.answered(failureOf(error));
    const found = await lookAfter({ parts, contact, operation, input, observer }, note, error);
    if (found === undefined) throw error;
    await entry.answered({ outcome: 'confirmed', exit_code: 0, ...referenceOf(operation, found.answer) });
    return found;
  }
}

/** Looks instead of repeating (reliability 3); what is found takes the place of the lost answer. */
async function lookAfter(change: Change, note: unknown, error: unknown): Promise<Sent | undefined> {
  const { parts, contact, observer } = change;
  const isUnknown = error instanceof Problem && error.kind === 'outcome_unknown';
  if (!isUnknown || !contact.reconcile || !observer?.look || parts.host.signal.aborted) return undefined;
  const found = await contact.during(
    () => 'the answer was lost; looking',
    () => lookPatiently(change, note),
  );
  if (found === undefined) return undefined;
  if (found instanceof Likely) {
    contact.warn(`${error.message}; looking at the service shows what probably comes from it`);
    return { answer: found.answer, likely: true };
  }
  contact.warn(`${error.message}; looking at the service shows that it did`);
  return { answer: found };
}

async function lookPatiently({ parts, input, observer }: Change, note: unknown): Promise<unknown> {
  const { read, host } = parts;
  const deadlineMs = host.now().getTime() + (observer?.patienceMs ?? 0);
  for (;;) {
    const answer: unknown = await observer?.look?.(read, input, note).catch(ignoreProblem);
    if (answer !== undefined || host.now().getTime() >= deadlineMs || host.signal.aborted) return answer;
    await host.sleep(2_000, host.signal).catch(() => undefined);
  }
}

/** A look that fails settles nothing; the lost answer is what is told. */
function ignoreProblem(error: unknown): undefined {
  if (!(error instanceof Problem)) throw error;
}

function likelyTaken({ name, resume }: Watch, value: unknown): Problem {
  return new Problem(
    'pending',
    `${name} was probably started by this: its answer was lost, and it is the only new one`,
    {
      ...(resume !== undefined && { hint: resume }),
      partial: { value },
    },
  );
}

async function followRecorded({ parts, contact }: Change, watch: Watch, entry: Entry): Promise<unknown> {
  try {
    const value = await follow(parts, watch, contact);
    await entry.ended({ outcome: 'succeeded' });
    return value;
  } catch (error) {
    await entry.ended({ outcome: endingOf(error) });
    throw error;
  }
}

async function follow(parts: ChangeParts, watch: Watch, contact: ContactOptions): Promise<unknown> {
  const { durationText, watchToEnd } = await import('./wait/engine.ts');
  const { signal, sleep, now: date } = parts.host;
  const now = () => date().getTime();
  const startedMs = now();
  let seen = 'looking';
  const changed = (words: string): void => {
    seen = words;
    contact.changed(`${watch.name}: ${words}`);
  };
  return contact.during(
    () => `${watch.name}: ${seen}, ${durationText(now() - startedMs)}`,
    () => watchToEnd(watch, { ...(contact.wait ?? defaultWait), now, sleep, signal, changed }),
  );
}

const defaultWait = { timeoutMs: 1_800_000, pollMs: 5_000 };

function failureOf(error: unknown): Answer {
  if (!(error instanceof Problem)) return { outcome: 'unknown', exit_code: 1 };
  const { status } = error.details;
  return { outcome: outcomeOf(error), exit_code: exitCodeOf(error), ...(status !== undefined && { status }) };
}

function outcomeOf({ kind, details }: Problem): Outcome {
  if (kind === 'outcome_unknown') return 'unknown';
  if (details.facts?.['request_sent'] === true) return 'interrupted';
  return details.status === undefined ? 'not_sent' : 'refused';
}

function endingOf(error: unknown): Ending {
  if (!(error instanceof Problem)) return 'unseen';
  if (error.kind === 'operation_failed') return 'failed';
  if (error.kind === 'interrupted') return 'interrupted';
  return error.kind === 'pending' ? 'pending' : 'unseen';
}

/** What the service calls the result: `action 812`, `deployment 1042`. */
function referenceOf({ path }: Operation, answer: unknown): { readonly reference?: string } {
  if (typeof answer !== 'object' || answer === null || !('id' in answer)) return {};
  const { id } = answer;
  if (typeof id !== 'number') return {};
  if ('started_via' in answer) return { reference: `action ${id}` };
  return path.endsWith('/deployments') ? { reference: `deployment ${id}` } : {};
}
