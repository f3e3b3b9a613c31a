import type { Context } from '../../contract/command.ts';
import { optional } from '../../contract/field.ts';
import type { InputOf } from '../../contract/operation.ts';
import { record } from '../../contract/record.ts';
import type { Reply } from '../../contract/reply.ts';
import { Problem } from '../../problems/problem.ts';
import { unlessUnreadable } from '../../problems/unreadable.ts';
import { Deployment, deployments, Redeploy } from '../../resources/deployment.ts';
import { stacks } from '../../resources/stack.ts';
import { type Deployed, formerlyLive } from './words.ts';

type Wish = InputOf<typeof deployments.create>;

/** Every field of the two records a request to deploy may yield. */
const deployedFields = {
  ...Deployment.fields,
  async_action_id: Redeploy.fields.async_action_id,
  message: optional(Redeploy.fields.message),
  queued: optional(Redeploy.fields.queued),
  before: optional(formerlyLive),
};

export const deployedReply: Reply<Deployed> = {
  envelope: 'one',
  record: record('deployment', deployedFields, ['id', 'outcome', 'started_at', 'git_hash', 'triggered_by']),
};

/** Asks for a deployment under a reference by which it is found again, should the answer be lost. */
export async function requestDeployment(
  context: Context,
  wish: Wish,
  more: { readonly detached?: boolean } = {},
): Promise<Deployed> {
  const user_reference = wish.user_reference ?? context.reference();
  try {
    return await context.call(deployments.create, { ...wish, user_reference }, more);
  } catch (error) {
    if (!(error instanceof Problem) || error.kind !== 'outcome_unknown') throw error;
    throw error.with({ facts: { ...error.details.facts, user_reference } });
  }
}

/** Name and branch for a question; undefined where the service has no stack collection, or does not show it. */
export async function readStack(
  context: Context,
  id: string,
): Promise<{ readonly name: string; readonly branch: string | undefined } | undefined> {
  const stack = await unlessUnreadable(context.call(stacks.get, { id }));
  return stack && { name: `${stack.name}/${stack.environment}`, branch: stack.git_branch || undefined };
}
