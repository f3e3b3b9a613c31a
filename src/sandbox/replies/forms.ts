import { isWriteOperation, type Operation } from '../../contract/operation.ts';
import type { Reply } from '../../contract/reply.ts';
import type { SandboxContext } from '../context.ts';
import type { RequestValues } from '../request/check.ts';

/** Formats of replies: `documented` as in service.md, `actions` for newer clients, `legacy` for older ones. */
export const replyFormats = ['documented', 'actions', 'legacy'] as const;
export type ReplyFormat = (typeof replyFormats)[number];

export interface Exchange {
  readonly id: string;
  readonly operation: Operation;
  readonly input: RequestValues;
  /** Number of the page, counted from 1; also 1 for a reply without pages. */
  readonly page: number;
  readonly context: SandboxContext;
  /** Carries out the operation and returns its reply. Throws a refusal. */
  readonly handler: (context: SandboxContext, input: RequestValues) => unknown;
}

/** A function that runs an exchange and returns the JSON value of the response; undefined for an empty body. */
export type MakeReply = (exchange: Exchange) => unknown;

/** Makes replies as in service.md, Conventions 1 to 3. */
export const makeDocumentedReply: MakeReply = ({ operation: { path, reply }, input, page, context, handler }) => {
  const value = handler(context, input);
  if (reply.envelope === 'nothing') return undefined;
  if (reply.envelope === 'bare') return value;
  if (!isPaged(reply)) return { response: value };
  return pageReply(reply.envelope === 'sole' ? [value] : (value as readonly unknown[]), page, path);
};

/** Makes replies of early versions: a write returns `ok` and at most a message. */
export const makeLegacyReply: MakeReply = (exchange) => {
  const { operation, input, context, handler } = exchange;
  if (!isWriteOperation(operation) || operation.reply.envelope === 'nothing') return makeDocumentedReply(exchange);
  const value = handler(context, input) as { readonly ok?: unknown; readonly message?: unknown };
  if (value.ok !== undefined) return { response: value };
  return { response: { ok: true, message: value.message ?? 'The request was accepted.' } };
};

/** True if the reply has pagination, so that its operation accepts `page`. */
export function isPaged({ envelope }: Reply): boolean {
  return envelope === 'page' || envelope === 'sole';
}

function pageReply(rows: readonly unknown[], currentPage: number, path: string): unknown {
  // Page sizes from service.md, Limits.
  const per_page = path === '/clusters' ? 100 : 30;
  const count = rows.length;
  const pageCount = Math.max(1, Math.ceil(count / per_page));
  const previous = currentPage > 1 ? currentPage - 1 : null;
  const next = currentPage < pageCount ? currentPage + 1 : null;
  return {
    response: rows.slice((currentPage - 1) * per_page, currentPage * per_page),
    count,
    pagination: { previous, next, current: currentPage, per_page, count, pages: pageCount },
  };
}
