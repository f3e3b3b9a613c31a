import { wrap } from '../envelope.ts';
import type { ReplyForm } from './reply-form.ts';

/** Replies as service.md shows them. */
export const documented: ReplyForm = ({ operation, input, page, world, work }) =>
  wrap(operation.reply, work(world, input), { path: operation.path, page });
