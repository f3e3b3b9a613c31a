import { ageText } from '../../contract/values/age.ts';
import { type DeploymentRow, hasSucceeded, newestFirst, outcomeOf } from '../../resources/deployment.ts';
import { healthOf } from '../../resources/server.ts';
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
    ...(backups ?? []).flatMap(({ db_type, database_name, state }) => {
      const fault = backupFault(state, maxAge);
      return fault ? [`${db_type} ${database_name}: ${fault}`] : [];
    }),
  ];
}

/** An outcome that is not known is no success. */
export function hasFailed(deployment: DeploymentRow): boolean {
  return Boolean(deployment.finished_at) && !hasSucceeded(deployment) && outcomeOf(deployment) !== 'cancelled';
}

type BackupState = NonNullable<StackStatus['backups']>[number]['state'];

function backupFault(state: BackupState, maxAge: number): string | undefined {
  const faults = {
    ok: undefined,
    stale: `no good backup within ${ageText(maxAge)}`,
    failed: 'the newest backup failed',
    none: 'no good backup',
  };
  return faults[state];
}
