import { type Fields, flag, instant, integer, nullable } from './field.ts';
import type { RecordOf, RecordType } from './record.ts';

/**
 * How a reply is wrapped (service.md, Conventions 1 to 3):
 * one = `{response: {}}`; page = `{response: [], pagination}`; rows = `{response: []}`; sole = a list holding one;
 * bare = the object itself; acknowledged = `{response: {ok, message}}`; nothing = no body; opaque = `{response: anything}`;
 * raw = the complete response with status and headers.
 */
export type Envelope = 'one' | 'page' | 'rows' | 'sole' | 'bare' | 'acknowledged' | 'nothing' | 'opaque' | 'raw';

export interface Reply<Value = any> {
  readonly envelope: Envelope;
  readonly record?: RecordType;
  /** Keys of a write's reply: one of them proves acceptance; without any the outcome is unknown. */
  readonly proof?: readonly string[];
  /** A general acceptance does not replace the proof. */
  readonly needsProof?: true;
  /** Fields that identify the requested resource when a list of several is returned. */
  readonly named?: readonly string[];
  readonly value?: Value;
}

export interface Acknowledgement {
  readonly ok: boolean;
  readonly message?: string;
}

/** A complete response; `body` is undefined when empty and a string when not JSON. */
export interface RawResponse {
  readonly status: number;
  /** Names in lower case. */
  readonly headers: Readonly<Record<string, string>>;
  readonly body: unknown;
}

/** Fields that mark an action in the reply of any write. */
export const actionFields: Fields = {
  id: nullable(integer('ID of what was made, or of its action.')),
  async_action_id: nullable(integer('ID of the action.')),
  finished_at: nullable(instant('End time.')),
  finished_success: nullable(flag('Whether it succeeded.')),
};

/** True for an action record: the change happens later, whatever reply is documented. */
export function isActionRecord(value: unknown): boolean {
  if (typeof value !== 'object' || value === null) return false;
  if ('started_via' in value || 'finished_success' in value) return true;
  // A deployment has both fields, and its result is in `outcome`.
  return 'id' in value && 'finished_at' in value && !('outcome' in value);
}

export function namesAction(value: unknown): boolean {
  if (isActionRecord(value)) return true;
  if (typeof value !== 'object' || value === null || !('async_action_id' in value)) return false;
  return typeof value.async_action_id === 'number';
}

const single =
  (envelope: Envelope) =>
  <R extends RecordType>(record: R, proof?: readonly string[]): Reply<RecordOf<R>> =>
    proof ? { envelope, record, proof } : { envelope, record };

const list =
  (envelope: Envelope) =>
  <R extends RecordType>(record: R): Reply<readonly RecordOf<R>[]> => ({ envelope, record });

/** A single object: `one(Backup)`; for a write, name the fields that prove it: `one(Redeploy, ['id', 'async_action_id'])`. */
export const one = single('one');
/** A list that always holds exactly one object: `sole(TagEntry)`. */
export const sole = single('sole');
/** An object without any wrapper: `bare(User)`. */
export const bare = single('bare');
/** A list in pages; a call returns the rows of all pages: `page(Deployment)`. */
export const page = list('page');
/** A list without count and pagination: `rows(Variant)`. */
export const rows = list('rows');

/** `{ok, message}`; anything but `ok: true` is a refusal. */
export const acknowledged: Reply<Acknowledgement> = { envelope: 'acknowledged', proof: ['ok'] };

/** No body is documented; any is accepted. */
export const nothing: Reply<undefined> = { envelope: 'nothing' };

/** A reply whose shape depends on the request; passed through. */
export const opaqueReply: Reply<unknown> = { envelope: 'opaque' };

/** The unchanged response; an error of such a call has it as `partial`. */
export const rawReply: Reply<RawResponse> = { envelope: 'raw' };

/** A list in pages, of any items. */
export const anyPage: Reply<readonly unknown[]> = { envelope: 'page' };

/** The reply of a request that --dry-run does not send. */
export function unsentReply<V>({ envelope }: Reply<V>): V {
  const known: unknown = envelope === 'raw' ? { status: 200, headers: {}, body: undefined } : {};
  return (envelope === 'page' ? [] : known) as V;
}
