import { writes } from '../../contract/operation.ts';
import type { Envelope } from '../../contract/reply.ts';
import { documented } from './documented.ts';
import type { ReplyForm } from './reply-form.ts';

const lists: readonly Envelope[] = ['page', 'rows', 'sole'];

/** Replies of early clients: a write says `ok` and a message at most, and a list is all of its rows without a wrapper. */
export const legacy: ReplyForm = (exchange) => {
  const { operation, input, world, work } = exchange;
  const { envelope } = operation.reply;
  if (writes(operation) && envelope !== 'nothing') return { response: acknowledge(work(world, input)) };
  if (!lists.includes(envelope)) return documented(exchange);
  const value = work(world, input);
  return envelope === 'sole' ? [value] : value;
};

function acknowledge(value: unknown): object {
  const { ok, message } = value as { readonly ok?: unknown; readonly message?: unknown };
  if (ok !== undefined) return value as object;
  return { ok: true, message: message ?? 'The request was accepted.' };
}
