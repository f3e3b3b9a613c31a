import type { CommandLine } from '../../contract/command-line.ts';
import type { Change, Summary } from '../../contract/plan.ts';
import { durationText } from '../../contract/values/clock.ts';
import { shortHash } from '../../contract/values/git-hash.ts';
import { changeWords, isUnderWay, type Verb } from '../../kinds/perform/summary.ts';
import {
  type DeploymentRequest,
  type DeploymentRow,
  hasSucceeded,
  isDeployment,
  outcomeOf,
} from '../../resources/deployment.ts';
import { commitLater, rolloutText, staysBeside, withoutTraffic } from './rollout.ts';

/** The previously live deployment; null where it is not known. */
export type FormerlyLive = Pick<DeploymentRow, 'id' | 'git_hash'> | null;

/** `deployment 1042 succeeded after 2m 3s: commit 967009b`, or that it is queued; and the command that undoes it. */
export function summarizeDeployment(change: Change, request: DeploymentRequest): Summary {
  const { after } = change;
  const before = change.before as FormerlyLive;
  if (change.change === 'unchanged') {
    return {
      lines: [`deployment ${change['id']} unchanged (already live, ${commitText(before?.git_hash)})`],
    };
  }
  // Its error says all of it.
  if (change.change === 'failed' && isDeployment(after)) return { lines: [] };
  const rollout = rolloutText(request);
  const isDeployed = change.change === 'deployed';
  const isNotLive = isDeployment(after) && after.is_live === false;
  const live = staysBeside(request) || isNotLive ? 'Still live' : 'Previously live';
  const former = before ? [`${live}: deployment ${before.id}, ${commitText(before.git_hash)}`] : [];
  return {
    lines: [
      isDeployment(after) ? deploymentLine(after) : requestLine(change),
      ...(rollout !== undefined && isUnderWay(change) ? [`Rollout: ${rollout}`] : []),
      ...(isDeployed ? former : []),
    ],
    undo: undoOf(change, request),
    ...(rollout !== undefined && isDeployed && { next: commitLater(request) }),
  };
}

const start: Verb = { act: 'Start', change: 'deployed', doing: 'starting' };

/** The state of a request for which no deployment is shown yet. */
function requestLine(change: Change): string {
  const { id, message } = change;
  const state = id === null ? changeWords('deployment', change, start) : `deployment ${id} ${change.change}`;
  return `${state}${message ? `: ${message}` : ''}`;
}

function undoOf(change: Change, request: DeploymentRequest): readonly CommandLine[] {
  const { stack_id, services } = request;
  const { id, after } = change;
  const before = change.before as FormerlyLive;
  if (change.change === 'queued' && id !== null) {
    return [{ path: 'deployment cancel', operands: [String(id)], stack_id }];
  }
  if (change.change !== 'deployed') return [];
  if (staysBeside(request)) return withoutTraffic(request);
  // No undo: a container stack has no commit to roll back to, and deploying the same commit changed nothing.
  if (services !== undefined || !before?.git_hash || !isDeployment(after)) return [];
  if (before.git_hash === after.git_hash || after.is_live === false) return [];
  return [{ path: 'deployment rollback', operands: [String(before.id)], stack_id }];
}

/** The progress of a deployment, or its outcome and duration. */
export function deploymentLine(deployment: DeploymentRow): string {
  const { id, finished_at, is_deploying, git_hash } = deployment;
  const state = finished_at ? endOf(deployment) : `deployment ${id} ${is_deploying ? 'deploying' : 'queued'}`;
  return git_hash ? `${state}: ${commitText(git_hash)}` : state;
}

/** `deployment 1044 failed after 4s (commit d1d4798)` */
export function endedText(deployment: DeploymentRow): string {
  const { git_hash } = deployment;
  return git_hash ? `${endOf(deployment)} (${commitText(git_hash)})` : endOf(deployment);
}

/** `commit d1d4798`; a deployment of a container stack shows none. */
export function commitText(git_hash: string | null | undefined): string {
  return git_hash ? `commit ${shortHash(git_hash)}` : 'no commit';
}

function endOf(deployment: DeploymentRow): string {
  const { id, started_at, finished_at } = deployment;
  const ms = Date.parse(finished_at ?? '') - Date.parse(started_at);
  return `deployment ${id} ${endVerb(deployment)}${Number.isNaN(ms) ? '' : ` after ${durationText(ms)}`}`;
}

function endVerb(deployment: DeploymentRow): string {
  const outcome = outcomeOf(deployment);
  if (hasSucceeded(deployment)) return 'succeeded';
  return outcome === 'cancelled' || outcome === 'failed' ? outcome : `ended as "${outcome}"`;
}
