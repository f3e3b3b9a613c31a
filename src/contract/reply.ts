import { type Fields, flag, instant, integer, nullable } from './field.ts';
import type { RecordOf, RecordType } from './record.ts';
import { isObject } from './values/json.ts';

/**
 * The format of a reply around its value (service.md, Conventions 1 to 3):
 * one = `{response: {}}`; page = `{response: [], pagination}`; rows = `{response: []}`; sole = a list with one object;
 * bare = the object itself; acknowledged = `{response: {ok, message}}`; nothing = no body;
 * opaque = `{response: anything}`; raw = the complete response with status and headers.
 */
export type Envelope = 'one' | 'page' | 'rows' | 'sole' | 'bare' | 'acknowledged' | 'nothing' | 'opaque' | 'raw';

export interface Reply<Value = any> {
  readonly envelope: Envelope;
  readonly record?: RecordType;
  /** Keys in the reply of a write. One of them proves that the write was accepted; else the outcome is unknown. */
  readonly proof?: readonly string[];
  /** True when `ok: true` or an action in the reply does not replace the proof. */
  readonly needsProof?: true;
  /** Fields that identify the requested resource if the service returns a list of several. */
  readonly named?: readonly string[];
  readonly value?: Value;
}

export interface Acknowledgement {
  readonly ok: boolean;
  readonly message?: string;
}

/** A complete response. An empty `body` is undefined; a body that is not JSON is a string. */
export interface RawResponse {
  readonly status: number;
  /** The names are in lower case. */
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

/** True for the record of an action: the change then happens later, even if another reply is documented. */
export function isActionRecord(value: unknown): boolean {
  if (!isObject(value)) return false;
  if ('started_via' in value || 'finished_success' in value) return true;
  // A deployment has these two fields too, but is recognized by its field `outcome`.
  return 'id' in value && 'finished_at' in value && !('outcome' in value);
}

export function namesAction(value: unknown): boolean {
  return isActionRecord(value) || (isObject(value) && typeof value['async_action_id'] === 'number');
}

/** True for a list of any length, in pages or as a whole. */
export function isListReply({ envelope }: Reply): boolean {
  return envelope === 'page' || envelope === 'rows';
}

function objectReplyBuilder(envelope: Envelope) {
  return <R extends RecordType>(record: R, proof?: readonly string[]): Reply<RecordOf<R>> =>
    proof ? { envelope, record, proof } : { envelope, record };
}

function listReplyBuilder(envelope: Envelope) {
  return <R extends RecordType>(record: R): Reply<readonly RecordOf<R>[]> => ({ envelope, record });
}

/** Declares a single object: `one(Backup)`. A write adds its `proof`: `one(Redeploy, ['id', 'async_action_id'])`. */
export const one = objectReplyBuilder('one');
/** Declares a list that always holds exactly one object: `sole(TagEntry)`. */
export const sole = objectReplyBuilder('sole');
/** Declares an object without any wrapper: `bare(User)`. */
export const bare = objectReplyBuilder('bare');
/** Declares a list in pages, `page(Deployment)`. A call returns the rows of all pages. */
export const page = listReplyBuilder('page');
/** Declares a list without count and pagination: `rows(Variant)`. */
export const rows = listReplyBuilder('rows');

/** A reply `{ok, message}`. Anything but `ok: true` is a refusal. */
export const acknowledgedReply: Reply<Acknowledgement> = { envelope: 'acknowledged', proof: ['ok'] };

/** A reply without a documented body. Any body is accepted, except an HTML page or a refusal. */
export const emptyReply: Reply<undefined> = { envelope: 'nothing' };

/** A reply whose fields depend on the request. It is passed through unchanged. */
export const opaqueReply: Reply<unknown> = { envelope: 'opaque' };

/** The unchanged response. If the call fails, the error has the response as `partial`. */
export const rawReply: Reply<RawResponse> = { envelope: 'raw' };

export const anyPageReply: Reply<readonly unknown[]> = { envelope: 'page' };

/** Returns an empty reply for a request that --dry-run does not send. */
export function unsentReply<V>({ envelope }: Reply<V>): V {
  const object: unknown = envelope === 'raw' ? { status: 200, headers: {}, body: undefined } : {};
  return (envelope === 'page' ? [] : object) as V;
}
