import { writes } from '../../contract/operation.ts';
import type { Reply } from '../../contract/reply.ts';
import type { ReplyForm } from './reply-form.ts';

/** Replies as service.md shows them. */
export const documented: ReplyForm = ({ operation, input, page, world, work }) =>
  wrap(operation.reply, work(world, input), { path: operation.path, page });

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

/** service.md, Limits: clusters come in hundreds, every other list in thirties. */
const usualPageSize = 30;
const pageSizes: ReadonlyMap<string, number> = new Map([['/clusters', 100]]);

/** True when the reply carries pagination, and so takes `page`. */
export function isPaged({ envelope }: Reply): boolean {
  return envelope === 'page' || envelope === 'sole';
}

/** Wraps a value the way service.md, Conventions 1 to 3, says; undefined for no body. */
function wrap(reply: Reply, value: unknown, at: { readonly path: string; readonly page: number }): unknown {
  switch (reply.envelope) {
    case 'bare':
      return value;
    case 'nothing':
      return undefined;
    case 'sole':
      return cut([value], at.page, usualPageSize);
    case 'page':
      return cut(value as readonly unknown[], at.page, pageSizes.get(at.path) ?? usualPageSize);
    default:
      return { response: value };
  }
}

function cut(rows: readonly unknown[], current: number, per_page: number): unknown {
  const count = rows.length;
  const pages = Math.max(1, Math.ceil(count / per_page));
  const previous = current > 1 ? current - 1 : null;
  const next = current < pages ? current + 1 : null;
  return {
    response: rows.slice((current - 1) * per_page, current * per_page),
    count,
    pagination: { previous, next, current, per_page, count, pages },
  };
}
