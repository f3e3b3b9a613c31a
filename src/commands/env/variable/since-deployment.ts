import type { Context } from '../../../contract/command.ts';
import { msOf } from '../../../contract/values/moment.ts';
import { Problem } from '../../../problems/problem.ts';
import { type DeploymentRow, deployments } from '../../../resources/deployment.ts';
import type { Variable } from '../../../resources/env.ts';
import { settingText } from '../../../resources/setting.ts';
import { earlierValues, setAt } from './earlier-value.ts';

/** How many deployments are searched for the live one. */
const searched = 100;

/** When the live deployment began, or the one with this ID, in ms. Throws not_found. */
export async function deploymentStart(context: Context, stack_id: string, which: number | 'live'): Promise<number> {
  if (which !== 'live') return startOf(await context.call(deployments.get, { stack_id, deployment_id: which }));
  const known = await context.call(deployments.list, { stack_id }, { limit: searched });
  const live = known.find(({ is_live }) => is_live);
  if (live) return startOf(live);
  throw new Problem('not_found', `none of the newest ${searched} deployments is live`, {
    hint: { path: 'deployment list', stack_id },
  });
}

/** Throws unavailable where the service does not say: every variable would look changed. */
function startOf({ id, started_at }: DeploymentRow): number {
  const ms = msOf(started_at);
  if (ms > 0) return ms;
  throw new Problem('unavailable', `the service does not say when deployment ${id} began`);
}

/** Variables with a change after that time, in ms. */
export function changedAfter(variables: readonly Variable[], ms: number): readonly Variable[] {
  return variables.filter(({ updated_at }) => msOf(updated_at) > ms);
}

/** Its value at that time; undefined where it was created later. */
export function valueThen(variable: Variable, ms: number): string | undefined {
  const now = { value: settingText(variable.value), set_at: setAt(variable) };
  return [...earlierValues(variable), now].findLast(({ set_at }) => msOf(set_at) <= ms)?.value;
}
