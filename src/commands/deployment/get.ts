import type { Context } from '../../contract/command.ts';
import { script } from '../../kinds/script.ts';
import { Problem } from '../../problems/problem.ts';
import { type DeploymentRow, deployments, newestFirst, recent, theDeployment } from '../../resources/deployment.ts';
import { inStack, orLatest } from '../../resources/shared.ts';

export const deploymentGet = script({
  about: deployments.get.about,
  params: { stack_id: inStack, deployment_id: orLatest(theDeployment) },
  positionals: ['deployment_id'],
  examples: ['stackops deployment get 1041 -s shop', 'stackops deployment get latest -s shop --json --fields outcome'],
  calls: [deployments.list, deployments.get],
  reply: deployments.get.reply,
  isRead: true,
  run: readDeployment,
});

interface DeploymentPlace {
  readonly stack_id: string;
  readonly deployment_id: number | 'latest';
}

/** Throws not_found for `latest` where there is no deployment. */
export async function readDeployment(
  context: Context,
  { stack_id, deployment_id: given }: DeploymentPlace,
): Promise<DeploymentRow> {
  const deployment_id = await deploymentIdOf(context, stack_id, given);
  return context.call(deployments.get, { stack_id, deployment_id });
}

/** The given ID, or the greatest one; throws not_found where there is no deployment. */
export async function deploymentIdOf(context: Context, stack_id: string, given: number | 'latest'): Promise<number> {
  if (given !== 'latest') return given;
  const [newest] = newestFirst(await context.call(deployments.list, { stack_id }, { limit: recent }));
  if (newest) return newest.id;
  throw new Problem('not_found', 'no deployment', { hint: { path: 'deployment list', stack_id } });
}
