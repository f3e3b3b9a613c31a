import type { CommandLine } from '../../contract/command-line.ts';
import { isObject } from '../../contract/values/json.ts';

/** `queued`: an action still runs. `not_sent`: as when offline. `confirmed`: no answer, but a check found it. */
export const answerOutcomes = ['done', 'queued', 'refused', 'not_sent', 'confirmed', 'unknown', 'interrupted'] as const;
export type AnswerOutcome = (typeof answerOutcomes)[number];
/** The possible ends of a watched change. `unseen`: the end could not be read. `closed`: `history close` was run. */
export const endOutcomes = ['succeeded', 'failed', 'pending', 'unseen', 'interrupted', 'closed'] as const;
export type EndOutcome = (typeof endOutcomes)[number];

type Guard<Value = unknown> = (value: unknown) => value is Value;
type Shape = Readonly<Record<string, Guard>>;
type Guarded<G> = G extends Guard<infer Value> ? Value : never;
/** The type of what a shape accepts: `{ a: isText, b: isAbsentOr(isText) }` accepts `{ a: string; b?: string }`. */
type ValueOf<S extends Shape> = {
  readonly [N in keyof S as undefined extends Guarded<S[N]> ? never : N]: Guarded<S[N]>;
} & { readonly [N in keyof S as undefined extends Guarded<S[N]> ? N : never]?: Exclude<Guarded<S[N]>, undefined> };

const isAny: Guard = (_): _ is unknown => true;
const isText = (value: unknown): value is string => typeof value === 'string';
const isNumber = (value: unknown): value is number => typeof value === 'number';
const isId = (value: unknown): value is string | number => isText(value) || isNumber(value);
const isHash = (value: unknown): value is string | null => value === null || isText(value);
const isAbsentOr = <V>(check: Guard<V>) => ((value) => value === undefined || check(value)) as Guard<V | undefined>;
const isOneOf = <const W extends string>(words: readonly W[]) => ((value) => words.includes(value as W)) as Guard<W>;
const isListOf = <V>(check: Guard<V>) => ((list) => Array.isArray(list) && list.every(check)) as Guard<readonly V[]>;
const hasShape = <S extends Shape>(shape: S) =>
  ((value) => isObject(value) && Object.entries(shape).every(([name, check]) => check(value[name]))) as Guard<
    ValueOf<S>
  >;

const isCommand = hasShape({
  path: isText,
  operands: isAbsentOr(isListOf(isText)),
  flags: isAbsentOr(isListOf(isText)),
  stack_id: isAbsentOr(isText),
  server_group_id: isAbsentOr(isId),
  account_id: isAbsentOr(isId),
}) as Guard<CommandLine>;

const hashedShape = {
  /** Kind of the replaced value: `variable`, `share`. */
  kind: isAbsentOr(isText),
  key: isText,
  /** Name of the key that made both hashes. Hashes without this name match no value. */
  hash_key: isAbsentOr(isText),
  before: isHash,
  after: isHash,
  /** The new value, unhashed, if it is a number, tags, a name or a time; otherwise absent. */
  left: isAny,
};
/** The keyed hashes of a value before and after a change. The absence of a value is hashed too. */
export type HashedValue = ValueOf<typeof hashedShape>;

/** The fields of a change that are recorded before it is sent: no token and, except in `left`, no value. */
const sentShape = {
  profile: isText,
  /** Address of the service, such as `https://host/api/3`; absent in the sandbox. */
  address: isAbsentOr(isText),
  account: isAbsentOr(isText),
  stack: isAbsentOr(isText),
  /** Name of the stack as typed, else its UID. */
  stack_name: isAbsentOr(isText),
  /** The arguments after `stackops`, with `<value>` in place of each value. */
  command: isListOf(isText),
  /** The operation as the API document (service.md) names it: `PUT /stacks/:stack_id/application_variants/:id`. */
  operation: isText,
  method: isText,
  path: isText,
  /** The command that shows whether the change took effect. */
  check: isAbsentOr(isCommand),
  value: isAbsentOr(hasShape(hashedShape)),
  values: isAbsentOr(isListOf(hasShape(hashedShape))),
  undoes: isAbsentOr(isNumber),
};
export type SentChange = ValueOf<typeof sentShape>;

const answerShape = {
  outcome: isOneOf(answerOutcomes),
  status: isAbsentOr(isNumber),
  exit_code: isAbsentOr(isNumber),
  /** The action or deployment that the answer names: `action 812`. */
  reference: isAbsentOr(isText),
};
export type RecordedAnswer = ValueOf<typeof answerShape>;

const endShape = { outcome: isOneOf(endOutcomes), exit_code: isAbsentOr(isNumber) };
export type RecordedEnd = ValueOf<typeof endShape>;

const stampShape = {
  id: isText,
  /** Id of the first change of the same run; absent in the events of that change. */
  run: isAbsentOr(isText),
  /** Time of the event as ISO text in UTC. */
  at: isText,
};
const eventChecks = {
  sent: hasShape({ ...stampShape, ...sentShape, pid: isNumber }),
  answered: hasShape({ ...stampShape, ...answerShape }),
  ended: hasShape({ ...stampShape, ...endShape }),
  /** The commands that undo the run. They contain the old values but no secrets. */
  undoable: hasShape({ ...stampShape, undo: isListOf(isCommand) }),
};
export type EventOf<Kind extends keyof typeof eventChecks> = { readonly event: Kind } & Guarded<
  (typeof eventChecks)[Kind]
>;
export type SentEvent = EventOf<'sent'>;
export type JournalEvent = SentEvent | EventOf<'answered'> | EventOf<'ended'> | EventOf<'undoable'>;

/** Reads the event of a journal line. Undefined for an incomplete line or a line in another format. */
export function readEvent(line: string): JournalEvent | undefined {
  try {
    const value: unknown = JSON.parse(line);
    return isEvent(value) ? value : undefined;
  } catch {
    return undefined;
  }
}

function isEvent(value: unknown): value is JournalEvent {
  const event = isObject(value) ? value['event'] : undefined;
  return isText(event) && Object.hasOwn(eventChecks, event) && eventChecks[event as keyof typeof eventChecks](value);
}
