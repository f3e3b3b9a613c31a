import { type DeploymentRow, hasSucceeded, newestFirst, outcomeOf } from '../../resources/deployment.ts';
import { healthOf } from '../../resources/server.ts';
import { healthText, type StackRow, stackStatuses } from '../../resources/stack.ts';
import { backupFault } from '../backup/newest.ts';
import type { Section, StackStatus } from './record.ts';

/** The sections that can show a problem. */
export const judged: readonly Section[] = ['deployment', 'servers', 'backups'];

type Judged = Pick<StackStatus, 'deployments' | 'servers' | 'backups'> & { readonly stack: StackRow | null };

interface Criteria {
  readonly only: readonly Section[];
  /** In seconds. */
  readonly maxAge: number;
}

/** What is wrong, as `--exit-code` judges it. The stack's own words belong to the section that they sum up. */
export function problemsOf(
  { stack, deployments, servers, backups }: Judged,
  { only, maxAge }: Criteria,
): readonly string[] {
  return [
    ...(only.includes('deployment') ? deploymentProblems(stack, deployments) : []),
    ...(only.includes('servers') ? serverProblems(stack, servers) : []),
    ...(backups ?? []).flatMap((newest) => backupFault(newest, maxAge) ?? []),
  ];
}

function deploymentProblems(stack: StackRow | null, deployments: StackStatus['deployments']): readonly string[] {
  const last = newestFirst(deployments ?? []).find(({ finished_at }) => finished_at);
  const failed = last && hasFailed(last) ? [`deployment ${last.id} failed`] : [];
  const status = stackStatuses[stack?.status ?? -1];
  return [
    ...failed,
    ...(status === 'unable to analyse' || (status === 'deployment failed' && !failed[0]) ? [`status: ${status}`] : []),
    ...(stack?.maintenance_mode ? ['maintenance mode is on'] : []),
  ];
}

function serverProblems(stack: StackRow | null, servers: StackStatus['servers']): readonly string[] {
  const bad = (servers ?? [])
    .map((row) => ({ name: row.name, health: healthOf(row) }))
    .filter(({ health }) => isBad(health));
  const own = healthText(stack?.health ?? 0);
  return [
    ...bad.map(({ name, health }) => `server ${name} is ${health}`),
    ...(isBad(own) && !bad.some(({ health }) => health === own) ? [`health: ${own}`] : []),
  ];
}

export function isBad(health: string): boolean {
  return health === 'failed' || health === 'impaired';
}

/** An outcome that is not known is no success. */
export function hasFailed(deployment: DeploymentRow): boolean {
  return Boolean(deployment.finished_at) && !hasSucceeded(deployment) && outcomeOf(deployment) !== 'cancelled';
}
