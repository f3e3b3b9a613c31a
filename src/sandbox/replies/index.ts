import { actionReplies } from './actions.ts';
import { documented } from './documented.ts';
import { legacy } from './legacy.ts';
import type { ReplyForm, ReplyFormName } from './reply-form.ts';

const forms: Readonly<Record<ReplyFormName, ReplyForm>> = { documented, actions: actionReplies, legacy };

export function replyForm(name: ReplyFormName): ReplyForm {
  return forms[name];
}
