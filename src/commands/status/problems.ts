import { type DeploymentRow, hasSucceeded, newestFirst, outcomeOf } from '../../resources/deployment.ts';
import { healthOf } from '../../resources/server.ts';
import { backupFault } from '../backup/newest.ts';
import type { StackStatus } from './record.ts';

/** What is wrong, as `--exit-code` judges it. */
export function problemsOf(
  { deployments, servers, backups }: Pick<StackStatus, 'deployments' | 'servers' | 'backups'>,
  maxAge: number,
): readonly string[] {
  const last = newestFirst(deployments ?? []).find(({ finished_at }) => finished_at);
  return [
    ...(last && hasFailed(last) ? [`deployment ${last.id} failed`] : []),
    ...(servers ?? [])
      .map((row) => ({ name: row.name, health: healthOf(row) }))
      .filter(({ health }) => health === 'failed' || health === 'impaired')
      .map(({ name, health }) => `server ${name} is ${health}`),
    ...(backups ?? []).flatMap((newest) => backupFault(newest, maxAge) ?? []),
  ];
}

/** An outcome that is not known is no success. */
export function hasFailed(deployment: DeploymentRow): boolean {
  return Boolean(deployment.finished_at) && !hasSucceeded(deployment) && outcomeOf(deployment) !== 'cancelled';
}
