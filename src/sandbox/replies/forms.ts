import { type Operation, writes } from '../../contract/operation.ts';
import type { Reply } from '../../contract/reply.ts';
import type { SandboxContext } from '../context.ts';
import type { RequestValues } from '../request/check.ts';

/** `documented`: as in service.md; `actions` and `legacy`: for newer and older clients. */
export const replyForms = ['documented', 'actions', 'legacy'] as const;
export type ReplyFormName = (typeof replyForms)[number];

export interface Exchange {
  /** Such as `variants.update`. */
  readonly id: string;
  readonly operation: Operation;
  readonly input: RequestValues;
  /** From 1; also 1 for a reply without pages. */
  readonly page: number;
  readonly context: SandboxContext;
  /** Runs the operation; throws a refusal. */
  readonly work: (context: SandboxContext, input: RequestValues) => unknown;
}

/** Runs an exchange and returns the JSON value of its body, or undefined for an empty body. */
export type ReplyForm = (exchange: Exchange) => unknown;

/** Replies as in service.md, Conventions 1 to 3; undefined for no body. */
export const documented: ReplyForm = ({ operation: { path, reply }, input, page, context, work }) => {
  const value = work(context, input);
  switch (reply.envelope) {
    case 'bare':
      return value;
    case 'nothing':
      return undefined;
    case 'sole':
      return pageReply([value], page, path);
    case 'page':
      return pageReply(value as readonly unknown[], page, path);
    default:
      return { response: value };
  }
};

/** Replies of early versions: a write returns `ok` and at most a message. */
export const legacy: ReplyForm = (exchange) => {
  const { operation, input, context, work } = exchange;
  if (!writes(operation) || operation.reply.envelope === 'nothing') return documented(exchange);
  const value = work(context, input) as { readonly ok?: unknown; readonly message?: unknown };
  if (value.ok !== undefined) return { response: value };
  return { response: { ok: true, message: value.message ?? 'The request was accepted.' } };
};

/** True if the reply has pagination, and its operation accepts `page`. */
export function isPaged({ envelope }: Reply): boolean {
  return envelope === 'page' || envelope === 'sole';
}

function pageReply(rows: readonly unknown[], current: number, path: string): unknown {
  // Page sizes from service.md, Limits.
  const per_page = path === '/clusters' ? 100 : 30;
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
