import type { CommandLine } from '../../contract/command-line.ts';
import { isObject } from '../../contract/values/json-object.ts';

/** How a change was answered. `queued`: an action carries it out; `not_sent`: also when no connection was made; `confirmed`: a check found it. */
export const answerOutcomes = ['done', 'queued', 'refused', 'not_sent', 'confirmed', 'unknown', 'interrupted'] as const;
export type AnswerOutcome = (typeof answerOutcomes)[number];
/** How an operation ended after the answer that queued it. `unseen`: the end could not be read; `closed`: a person closed the entry. */
export const endOutcomes = ['succeeded', 'failed', 'pending', 'unseen', 'interrupted', 'closed'] as const;
export type EndOutcome = (typeof endOutcomes)[number];

/** A change that is about to be sent. Nothing in it may be a token, nor a value but for `left`. */
export interface SentChange {
  readonly profile: string;
  /** Of the service, such as `https://host/api/3`; the sandbox has none. */
  readonly address?: string;
  /** Id of the account that was chosen, where one was. */
  readonly account?: string;
  /** UID of the stack, where the change has one. */
  readonly stack?: string;
  /** What that was called, as typed. */
  readonly stack_name?: string;
  /** As typed after `stackops`; in place of a value stands `<value>`. */
  readonly command: readonly string[];
  /** As the service's document names it: `PUT /stacks/:stack_id/application_variants/:id`. */
  readonly operation: string;
  readonly method: string;
  readonly path: string;
  /** The command that shows whether the change took effect. */
  readonly check?: CommandLine;
  /** The one value that it replaces. */
  readonly value?: HashedValue;
  /** Where it replaces several, each of them. */
  readonly values?: readonly HashedValue[];
  /** Number of the run that it undoes. */
  readonly undoes?: number;
}

/** A value before and after a change, each as a keyed hash, also where there was none. */
export interface HashedValue {
  /** Absent in older lines, which only know variables. */
  readonly kind?: string;
  readonly key: string;
  /** Name of the key; absent in older lines, whose hashes had none and no longer count. */
  readonly hash_key?: string;
  readonly before: string | null;
  readonly after: string | null;
  /** The value after, where that is a number, tags, a name or a time. */
  readonly left?: unknown;
}

export interface Answer {
  readonly outcome: AnswerOutcome;
  readonly status?: number;
  readonly exit_code?: number;
  /** What the service calls the result: `action 812`. */
  readonly reference?: string;
}

export interface End {
  readonly outcome: EndOutcome;
  readonly exit_code?: number;
}

export interface Undo {
  /** The commands that undo the run which the change was part of: with old values, and no secrets. */
  readonly undo: readonly CommandLine[];
}

interface Stamp {
  readonly id: string;
  /** Id of the first change of the same run; absent for that one itself. */
  readonly run?: string;
  /** ISO, UTC. */
  readonly at: string;
}
export type SentEvent = { readonly event: 'sent' } & Stamp & SentChange & { readonly pid: number };
export type AnsweredEvent = { readonly event: 'answered' } & Stamp & Answer;
export type EndedEvent = { readonly event: 'ended' } & Stamp & End;
export type UndoableEvent = { readonly event: 'undoable' } & Stamp & Undo;
/** One line of the journal. */
export type JournalEvent = SentEvent | AnsweredEvent | EndedEvent | UndoableEvent;

/** The event of a line; undefined for one that was torn off or is none of ours. */
export function readEvent(line: string): JournalEvent | undefined {
  let value: unknown;
  try {
    value = JSON.parse(line);
  } catch {
    return undefined;
  }
  if (!isObject(value)) return undefined;
  // `command` was called `words` once, and a journal is never rewritten.
  const { words, ...rest } = value;
  const event = words === undefined ? value : { command: words, ...rest };
  return isEvent(event) ? event : undefined;
}

type Check = (value: unknown) => boolean;
const isText: Check = (value) => typeof value === 'string';
const isNumber: Check = (value) => typeof value === 'number';
const isId: Check = (value) => isText(value) || isNumber(value);
const isHash: Check = (value) => value === null || isText(value);
const isMaybe =
  (check: Check): Check =>
  (value) =>
    value === undefined || check(value);
const isOneOf =
  (words: readonly string[]): Check =>
  (value) =>
    words.some((word) => word === value);
const areAll =
  (check: Check): Check =>
  (value) =>
    Array.isArray(value) && value.every(check);
const has =
  (shape: Readonly<Record<string, Check>>): Check =>
  (value) =>
    isObject(value) && Object.entries(shape).every(([name, check]) => check(value[name]));

const isCommand = has({
  path: isText,
  operands: isMaybe(areAll(isText)),
  flags: isMaybe(areAll(isText)),
  stack_id: isMaybe(isText),
  server_group_id: isMaybe(isId),
  account_id: isMaybe(isId),
});
const isHashed = has({
  kind: isMaybe(isText),
  key: isText,
  hash_key: isMaybe(isText),
  before: isHash,
  after: isHash,
});

const stamp = { id: isText, run: isMaybe(isText), at: isText };
const checks: Readonly<Record<JournalEvent['event'], Check>> = {
  sent: has({
    ...stamp,
    profile: isText,
    address: isMaybe(isText),
    account: isMaybe(isText),
    stack: isMaybe(isText),
    stack_name: isMaybe(isText),
    command: areAll(isText),
    operation: isText,
    method: isText,
    path: isText,
    check: isMaybe(isCommand),
    value: isMaybe(isHashed),
    values: isMaybe(areAll(isHashed)),
    undoes: isMaybe(isNumber),
    pid: isNumber,
  }),
  answered: has({
    ...stamp,
    outcome: isOneOf(answerOutcomes),
    status: isMaybe(isNumber),
    exit_code: isMaybe(isNumber),
    reference: isMaybe(isText),
  }),
  ended: has({ ...stamp, outcome: isOneOf(endOutcomes), exit_code: isMaybe(isNumber) }),
  undoable: has({ ...stamp, undo: areAll(isCommand) }),
};

function isEvent(value: object): value is JournalEvent {
  const { event }: { readonly event?: unknown } = value;
  return isText(event) && Object.hasOwn(checks, event as string) && checks[event as JournalEvent['event']](value);
}
