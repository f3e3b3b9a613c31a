import type { Context } from '../../contract/command.ts';
import { script } from '../../kinds/script.ts';
import { Problem } from '../../problems/problem.ts';
import {
  type DeploymentRow,
  deployments,
  type GivenDeployment,
  namedDeployment,
  newestFirst,
  recent,
} from '../../resources/deployment.ts';
import { inStack } from '../../resources/shared.ts';
import { refuseOther } from './watch.ts';

export const deploymentGet = script({
  about: deployments.get.about,
  params: { stack_id: inStack, deployment_id: namedDeployment },
  positionals: ['deployment_id'],
  examples: ['stackops deployment get 1041 -s shop', 'stackops deployment get latest -s shop --json --fields outcome'],
  calls: [deployments.list, deployments.get],
  reply: deployments.get.reply,
  isRead: true,
  run: readDeployment,
});

interface DeploymentPlace {
  readonly stack_id: string;
  readonly deployment_id: GivenDeployment;
}

/** Throws not_found for `latest` where there is no deployment. */
export async function readDeployment(
  context: Context,
  { stack_id, deployment_id: given }: DeploymentPlace,
): Promise<DeploymentRow> {
  const deployment_id = await deploymentIdOf(context, stack_id, given);
  return refuseOther(await context.call(deployments.get, { stack_id, deployment_id }), deployment_id);
}

/** The given ID, the greatest one or that of the live one; throws not_found where there is none. */
export async function deploymentIdOf(context: Context, stack_id: string, given: GivenDeployment): Promise<number> {
  if (typeof given === 'number') return given;
  const known = await context.call(deployments.list, { stack_id }, { limit: recent });
  return deploymentNamed(given, known, stack_id).id;
}

/** The deployment that a word means among the newest ones; throws not_found. */
export function deploymentNamed(
  word: 'latest' | 'live',
  known: readonly DeploymentRow[],
  stack_id: string,
): DeploymentRow {
  const found = word === 'latest' ? newestFirst(known)[0] : known.find(({ is_live }) => is_live);
  if (found) return found;
  const none =
    word === 'live' && known.length > 0 ? `none of the newest ${known.length} deployments is live` : 'no deployment';
  throw new Problem('not_found', none, { hint: { path: 'deployment list', stack_id } });
}
