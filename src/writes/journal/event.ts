import type { CommandLine } from '../../contract/command-line.ts';
import { isObject } from '../../contract/values/json.ts';

/**
 * `queued`: an action makes the change; `not_sent`: also without a connection; `confirmed`: a check found the change.
 */
export const answerOutcomes = ['done', 'queued', 'refused', 'not_sent', 'confirmed', 'unknown', 'interrupted'] as const;
export type AnswerOutcome = (typeof answerOutcomes)[number];
/** The end of a queued change. `unseen`: it could not be read; `closed`: a person closed the entry. */
export const endOutcomes = ['succeeded', 'failed', 'pending', 'unseen', 'interrupted', 'closed'] as const;
export type EndOutcome = (typeof endOutcomes)[number];

type Guard<Value = unknown> = (value: unknown) => value is Value;
type Shape = Readonly<Record<string, Guard>>;
type Guarded<G> = G extends Guard<infer Value> ? Value : never;
/** The values that a shape accepts: `{ a: isText, b: isMaybe(isText) }` accepts `{ a: string; b?: string }`. */
type ValueOf<S extends Shape> = {
  readonly [N in keyof S as undefined extends Guarded<S[N]> ? never : N]: Guarded<S[N]>;
} & { readonly [N in keyof S as undefined extends Guarded<S[N]> ? N : never]?: Exclude<Guarded<S[N]>, undefined> };

const isAny = (_: unknown): _ is unknown => true;
const isText = (value: unknown): value is string => typeof value === 'string';
const isNumber = (value: unknown): value is number => typeof value === 'number';
const isId = (value: unknown): value is string | number => isText(value) || isNumber(value);
const isHash = (value: unknown): value is string | null => value === null || isText(value);
const isMaybe =
  <V>(check: Guard<V>) =>
  (value: unknown): value is V | undefined =>
    value === undefined || check(value);
const isOneOf =
  <const W extends string>(words: readonly W[]) =>
  (value: unknown): value is W =>
    words.some((word) => word === value);
const areAll =
  <V>(check: Guard<V>) =>
  (value: unknown): value is readonly V[] =>
    Array.isArray(value) && value.every(check);
const hasShape =
  <S extends Shape>(shape: S) =>
  (value: unknown): value is ValueOf<S> =>
    isObject(value) && Object.entries(shape).every(([name, check]) => check(value[name]));

const isCommand = hasShape({
  path: isText,
  operands: isMaybe(areAll(isText)),
  flags: isMaybe(areAll(isText)),
  stack_id: isMaybe(isText),
  server_group_id: isMaybe(isId),
  account_id: isMaybe(isId),
}) as Guard<CommandLine>;

const hashedShape = {
  /** Absent for a variable. */
  kind: isMaybe(isText),
  key: isText,
  /** Name of the key. A hash without one does not count. */
  hash_key: isMaybe(isText),
  before: isHash,
  after: isHash,
  /** The value after, when it is a number, tags, a name or a time. */
  left: isAny,
};
/** A value before and after a change as keyed hashes; an absent value has a hash too. */
export type HashedValue = ValueOf<typeof hashedShape>;

/** A change before it is sent. It holds no token and, except in `left`, no value. */
const sentChange = {
  profile: isText,
  /** Address of the service, such as `https://host/api/3`; absent in the sandbox. */
  address: isMaybe(isText),
  account: isMaybe(isText),
  stack: isMaybe(isText),
  /** Name of the stack as typed. */
  stack_name: isMaybe(isText),
  /** The words after `stackops`, with `<value>` for each value. */
  command: areAll(isText),
  /** The operation as the service's document names it: `PUT /stacks/:stack_id/application_variants/:id`. */
  operation: isText,
  method: isText,
  path: isText,
  /** The command that shows whether the change took effect. */
  check: isMaybe(isCommand),
  value: isMaybe(hasShape(hashedShape)),
  values: isMaybe(areAll(hasShape(hashedShape))),
  undoes: isMaybe(isNumber),
};
export type SentChange = ValueOf<typeof sentChange>;

const answerShape = {
  outcome: isOneOf(answerOutcomes),
  status: isMaybe(isNumber),
  exit_code: isMaybe(isNumber),
  /** The service's name of the result: `action 812`. */
  reference: isMaybe(isText),
};
export type RecordedAnswer = ValueOf<typeof answerShape>;

const endShape = { outcome: isOneOf(endOutcomes), exit_code: isMaybe(isNumber) };
export type End = ValueOf<typeof endShape>;

const stampShape = {
  id: isText,
  /** Id of the first change of the run; absent in that change. */
  run: isMaybe(isText),
  /** ISO, UTC. */
  at: isText,
};
const eventChecks = {
  sent: hasShape({ ...stampShape, ...sentChange, pid: isNumber }),
  answered: hasShape({ ...stampShape, ...answerShape }),
  ended: hasShape({ ...stampShape, ...endShape }),
  /** The commands that undo the run: with old values, without secrets. */
  undoable: hasShape({ ...stampShape, undo: areAll(isCommand) }),
};
export type EventOf<Kind extends keyof typeof eventChecks> = { readonly event: Kind } & Guarded<
  (typeof eventChecks)[Kind]
>;
export type SentEvent = EventOf<'sent'>;
export type JournalEvent = SentEvent | EventOf<'answered'> | EventOf<'ended'> | EventOf<'undoable'>;

/** Reads the event of a line; undefined for a torn or foreign line. */
export function readEvent(line: string): JournalEvent | undefined {
  let value: unknown;
  try {
    value = JSON.parse(line);
  } catch {
    return undefined;
  }
  return isObject(value) && isEvent(value) ? value : undefined;
}

function isEvent(value: object): value is JournalEvent {
  const { event }: { readonly event?: unknown } = value;
  return isText(event) && Object.hasOwn(eventChecks, event) && eventChecks[event as keyof typeof eventChecks](value);
}
