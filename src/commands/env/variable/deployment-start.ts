import type { Context } from '../../../contract/command.ts';
import { msOf } from '../../../contract/values/moment.ts';
import { Problem } from '../../../problems/problem.ts';
import { type DeploymentRow, deployments, newestFirst } from '../../../resources/deployment.ts';

/** How many deployments are searched for the live one. */
const searched = 100;

/** When the live deployment began, or the one with this ID, in ms. Throws not_found. */
export async function deploymentStart(context: Context, stack_id: string, which: number | 'live'): Promise<number> {
  if (which !== 'live') return startOf(await context.call(deployments.get, { stack_id, deployment_id: which }));
  const known = await context.call(deployments.list, { stack_id }, { limit: searched });
  const live = newestFirst(known).find(({ is_live }) => is_live);
  if (live) return startOf(live);
  throw new Problem('not_found', `none of the newest ${searched} deployments is live`, {
    hint: { path: 'deployment list', stack_id },
  });
}

function startOf(deployment: DeploymentRow): number {
  const ms = msOf(deployment.started_at);
  if (ms > 0) return ms;
  throw startUnknown(deployment);
}

/** Every variable would look changed. */
export function startUnknown({ id }: DeploymentRow): Problem {
  return new Problem('unavailable', `the service does not say when deployment ${id} began`);
}
