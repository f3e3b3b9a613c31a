import { coloured, type ScreenBlock } from '../../contract/command.ts';
import { shortHash } from '../../contract/values/text.ts';
import { type DeploymentRow, isInProgress, outcomeOf, stateText } from '../../resources/deployment.ts';
import type { StackStatus } from './record.ts';

/** Time since a moment: `20d`. */
export type Age = (at: string | null) => string;

/** The live deployment, the running one, and the states of the last ones. */
export function deploymentBlocks(
  rows: readonly DeploymentRow[],
  { live }: StackStatus,
  age: Age,
): readonly ScreenBlock[] {
  const running = rows.find(isInProgress);
  const since = running?.started_at ? [`for ${age(running.started_at)}`] : [];
  return [
    { label: 'Live', rows: [[live ? liveText(live, age) : 'none']] },
    ...(running
      ? [{ label: 'Running', rows: [[`deployment ${running.id ?? '-'}`, coloured(stateText(running)), ...since]] }]
      : []),
    { label: 'Deployments', rows: [[rows.length === 0 ? 'none' : countText(rows)]] },
  ];
}

function liveText(live: DeploymentRow, age: Age): string {
  const commit = live.git_hash ? `, commit ${shortHash(live.git_hash)}` : '';
  const by = live.triggered_by ? `, by ${live.triggered_by}` : '';
  return `deployment ${live.id ?? '-'}${commit}, ${age(live.finished_at ?? live.started_at)} ago${by}`;
}

/** True also for an outcome of unknown meaning, but not where none is sent. */
export function hasFailed(deployment: DeploymentRow): boolean {
  const isNoFailure = ['success', 'cancelled', 'unknown'].includes(outcomeOf(deployment));
  return Boolean(deployment.finished_at) && !isNoFailure;
}

function countText(deployments: readonly DeploymentRow[]): string {
  const states = deployments.map(stateText);
  const counts = [...new Set(states)]
    .map((state) => `${states.filter((one) => one === state).length} ${state}`)
    .join(', ');
  return `last ${states.length}: ${counts}`;
}
