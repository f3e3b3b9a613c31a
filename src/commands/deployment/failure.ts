import type { Context } from '../../contract/command.ts';
import { msOf } from '../../contract/values/moment.ts';
import { Problem } from '../../problems/problem.ts';
import { type Action, actions, hasEnded, isDone } from '../../resources/action.ts';
import { type DeploymentRow, deployments, isDeployment, recent } from '../../resources/deployment.ts';
import { endedText } from './summary.ts';

/** The time between the end of a deployment and that of its action, in milliseconds. */
const apartMs = 60_000;

/** Runs a wait for a deployment. One that ended badly is told with its cause, what is live, and the command that shows more. */
export async function withCause<Value>(context: Context, stack_id: string, wait: () => Promise<Value>): Promise<Value> {
  try {
    return await wait();
  } catch (error) {
    if (!(error instanceof Problem) || error.kind !== 'operation_failed') throw error;
    const seen = error.details.partial?.value;
    if (!isDeployment(seen)) throw error;
    const hint = { path: 'deployment get', operands: [String(seen.id)], stack_id };
    throw new Problem(error.kind, await failureText(context, stack_id, seen), { ...error.details, hint });
  }
}

/** `deployment 1044 failed after 4s (commit d1d4798): The build failed. Live is still 1041.` What cannot be read is left out. */
async function failureText(context: Context, stack_id: string, deployment: DeploymentRow): Promise<string> {
  const [acted = [], known = []] = await Promise.all([
    orNothing(context.call(actions.list, { stack_id }, { limit: recent })),
    orNothing(context.call(deployments.list, { stack_id }, { limit: recent })),
  ]);
  const message = acted.find((action) => isOf(deployment, action))?.finished_message;
  const cause = message && context.quote(message).replace(/[.\s]*$/, '.');
  const live = known.find(({ is_live }) => is_live);
  const still = live && live.id < deployment.id ? 'Live is still' : 'Live is';
  return [`${endedText(deployment)}${cause ? `: ${cause}` : ''}`, ...(live ? [`${still} ${live.id}.`] : [])].join(
    cause || !live ? ' ' : '. ',
  );
}

/** No record names the deployment of an action, but both end together. */
function isOf({ finished_at }: DeploymentRow, action: Action): boolean {
  const kind = action.action ?? action.action_type ?? '';
  const isNear = Math.abs(msOf(action.finished_at) - msOf(finished_at)) <= apartMs;
  return /deploy/i.test(kind) && hasEnded(action) && !isDone(action) && isNear;
}

async function orNothing<Value>(reading: Promise<Value>): Promise<Value | undefined> {
  return reading.catch(() => undefined);
}
