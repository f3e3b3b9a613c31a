import { writes } from '../../contract/operation.ts';
import { documented } from './documented.ts';
import type { ReplyForm } from './reply-form.ts';

/** Replies of early clients: a write says `ok` and a message at most. */
export const legacy: ReplyForm = (exchange) => {
  const { operation, input, world, work } = exchange;
  if (!writes(operation) || operation.reply.envelope === 'nothing') return documented(exchange);
  return { response: acknowledge(work(world, input)) };
};

function acknowledge(value: unknown): object {
  const { ok, message } = value as { readonly ok?: unknown; readonly message?: unknown };
  if (ok !== undefined) return value as object;
  return { ok: true, message: message ?? 'The request was accepted.' };
}
