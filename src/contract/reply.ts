import type { RecordOf, RecordType } from './record.ts';

/**
 * How a reply is wrapped (service.md, Conventions 1 to 3):
 * one = `{response: {}}`; page = `{response: [], pagination}`; rows = `{response: []}`; sole = a list holding one;
 * bare = the object itself; acknowledged = `{response: {ok, message}}`; nothing = no body; opaque = `{response: anything}`;
 * raw = whatever comes, with its wrapper, status and headers.
 */
export type Envelope = 'one' | 'page' | 'rows' | 'sole' | 'bare' | 'acknowledged' | 'nothing' | 'opaque' | 'raw';

export interface Reply<Value = any> {
  readonly envelope: Envelope;
  readonly record?: RecordType;
  /** Any one of these keys in a write's reply proves that the write was taken; without one its outcome is unknown. */
  readonly proof?: readonly string[];
  /** Only its proof will do: an acceptance is not what was asked for. */
  readonly needsProof?: true;
  /** Fields by which the last word of the address names one, where a list of several comes. */
  readonly named?: readonly string[];
  readonly value?: Value;
}

export interface Acknowledgement {
  readonly ok: boolean;
  readonly message?: string;
}

/** An answer with everything around it; `body` is undefined when there is none, and a text when it is no JSON. */
export interface RawResponse {
  readonly status: number;
  /** Names in lower case. */
  readonly headers: Readonly<Record<string, string>>;
  readonly body: unknown;
}

/** True for an action record: the change is carried out later, whatever reply is documented. */
export function isActionRecord(value: unknown): boolean {
  if (typeof value !== 'object' || value === null) return false;
  if ('started_via' in value || 'finished_success' in value) return true;
  // A deployment has both, and says how it ended in `outcome`.
  return 'id' in value && 'finished_at' in value && !('outcome' in value);
}

/** True for a reply that is an action record, or names one. */
export function namesAction(value: unknown): boolean {
  if (isActionRecord(value)) return true;
  if (typeof value !== 'object' || value === null || !('async_action_id' in value)) return false;
  return typeof value.async_action_id === 'number';
}

/** A single object: `one(Backup)`; for a write name what proves it: `one(Redeploy, ['id', 'async_action_id'])`. */
export function one<R extends RecordType>(record: R, proof?: readonly string[]): Reply<RecordOf<R>> {
  return proof ? { envelope: 'one', record, proof } : { envelope: 'one', record };
}

/** A list in pages; a call returns the rows of all pages: `page(Deployment)`. */
export function page<R extends RecordType>(record: R): Reply<readonly RecordOf<R>[]> {
  return { envelope: 'page', record };
}

/** A list without count and pagination: `rows(Variant)`. */
export function rows<R extends RecordType>(record: R): Reply<readonly RecordOf<R>[]> {
  return { envelope: 'rows', record };
}

/** A list that always holds exactly one object: `sole(TagEntry)`. */
export function sole<R extends RecordType>(record: R, proof?: readonly string[]): Reply<RecordOf<R>> {
  return proof ? { envelope: 'sole', record, proof } : { envelope: 'sole', record };
}

/** An object without any wrapper: `bare(User)`. */
export function bare<R extends RecordType>(record: R, proof?: readonly string[]): Reply<RecordOf<R>> {
  return proof ? { envelope: 'bare', record, proof } : { envelope: 'bare', record };
}

/** `{ok, message}`; anything but `ok: true` is a refusal. */
export const acknowledged: Reply<Acknowledgement> = { envelope: 'acknowledged', proof: ['ok'] };

/** No body is documented; whatever comes is accepted. */
export const nothing: Reply<undefined> = { envelope: 'nothing' };

/** A reply whose shape depends on the request; passed through. */
export const opaqueReply: Reply<unknown> = { envelope: 'opaque' };

/** The answer as it came. A Problem of such a call carries it too, as `partial`. */
export const rawReply: Reply<RawResponse> = { envelope: 'raw' };

/** A list in pages, of whatever the service lists. */
export const anyPage: Reply<readonly unknown[]> = { envelope: 'page' };
