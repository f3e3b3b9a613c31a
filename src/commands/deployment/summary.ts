import { changeWords, isUnderWay } from '../../builders/execute/summary.ts';
import type { CommandLine } from '../../contract/command-line.ts';
import type { Change, Summary } from '../../contract/plan.ts';
import { isSameCommit, shortHash } from '../../contract/values/text.ts';
import { durationText } from '../../contract/values/time.ts';
import { CliError } from '../../errors/cli-error.ts';
import {
  type DeploymentRequest,
  type DeploymentRow,
  hasSucceeded,
  isDeployment,
  liveDeploymentIn,
  outcomeOf,
  rolloutParams,
} from '../../resources/deployment.ts';

/** The deployment that was live before; null if it is unknown. */
type FormerDeployment = Pick<DeploymentRow, 'id' | 'git_hash'> | null;

/** Returns the lines about a deployment, `deployment 1042 succeeded after 2m 3s: commit 967009b`, and its undo. */
export function summarizeDeployment(change: Change, request: DeploymentRequest): Summary {
  const { after } = change;
  const before = change.before as FormerDeployment;
  if (change.change === 'unchanged') {
    return { lines: [`deployment ${change['id']} unchanged (already live, ${commitText(before?.git_hash)})`] };
  }
  // The error of a failed deployment already says everything, so no line is printed.
  if (change.change === 'failed' && isDeployment(after)) return { lines: [] };
  const rollout = rolloutText(request);
  const variant = request.rollout_strategy === 'canary' ? 'canary' : 'blue-green';
  const commitCommand = { path: 'variant commit', operands: [variant], stack_id: request.stack_id };
  const isDeployed = change.change === 'deployed';
  const label = keepsLiveVersion(request) ? 'Still live' : 'Previously live';
  const formerLines = before ? [`${label}: deployment ${before.id}, ${commitText(before.git_hash)}`] : [];
  return {
    lines: [
      isDeployment(after) ? deploymentLine(after) : requestLine(change),
      ...(rollout !== undefined && isUnderWay(change) ? [`Rollout: ${rollout}`] : []),
      ...(isDeployed ? formerLines : []),
    ],
    undo: undoCommands(change, request),
    next: rollout && isDeployed ? { about: 'make it the active version', command: [commitCommand] } : undefined,
  };
}

function requestLine(change: Change): string {
  const { id, message } = change;
  const startWords = { act: 'Start', change: 'deployed', doing: 'starting' } as const;
  const state = id === null ? changeWords('deployment', change, startWords) : `deployment ${id} ${change.change}`;
  return `${state}${message ? `: ${message}` : ''}`;
}

function undoCommands(change: Change, request: DeploymentRequest): readonly CommandLine[] {
  const { stack_id, services } = request;
  const { id, after } = change;
  const before = change.before as FormerDeployment;
  if (['queued', 'accepted'].includes(change.change) && Number.isInteger(id)) {
    return [{ path: 'deployment cancel', operands: [String(id)], stack_id }];
  }
  if (change.change !== 'deployed') return [];
  // The undo of a canary takes its traffic away.
  if (request.rollout_strategy === 'canary') return [{ path: 'variant weight', operands: ['canary', '0'], stack_id }];
  if (keepsLiveVersion(request)) return [];
  // Without a commit (container stacks have none) or with the same commit before and after, there is no undo.
  if (services !== undefined || !before?.git_hash || !isDeployment(after)) return [];
  if (isSameCommit(before.git_hash, after.git_hash)) return [];
  return [{ path: 'deployment rollback', operands: [String(before.id)], stack_id }];
}

export function deploymentLine(deployment: DeploymentRow): string {
  const { id, finished_at, is_deploying, git_hash } = deployment;
  const state = finished_at ? endText(deployment) : `deployment ${id} ${is_deploying ? 'deploying' : 'queued'}`;
  return git_hash ? `${state}: ${commitText(git_hash)}` : state;
}

/** Returns `deployment 1044 failed after 4s (commit d1d4798)`. */
export function endTextWithCommit(deployment: DeploymentRow): string {
  const { git_hash } = deployment;
  return git_hash ? `${endText(deployment)} (${commitText(git_hash)})` : endText(deployment);
}

/** Returns `commit d1d4798`, or `no commit` for a deployment of a container stack. */
export function commitText(git_hash: string | null | undefined): string {
  return git_hash ? `commit ${shortHash(git_hash)}` : 'no commit';
}

/** Returns `live: commit 967009b since 2026-05-04T12:01:00Z`; empty if nothing is live. */
export function liveFacts(rows: readonly DeploymentRow[] = []): readonly string[] {
  const live = liveDeploymentIn(rows);
  if (!live) return [];
  const version = live.git_hash ? `commit ${shortHash(live.git_hash)}` : `deployment ${live.id}`;
  return [`live: ${version} since ${live.finished_at ?? live.started_at}`];
}

/** Returns a link that compares two commits on GitHub, or on GitLab, recognized by `/-/`; empty for other hosts. */
export function compareUrls(newer: DeploymentRow | undefined, older: DeploymentRow | undefined): readonly string[] {
  const pattern = /^(https:\/\/(?:github\.com\/[^/?#]+\/[^/?#]+|[^/?#]+\/[^?#]+\/-))\/commit\/([0-9a-f]{40})$/;
  const [, base, from] = pattern.exec(newer?.commit_url ?? '') ?? [];
  const [, olderBase, to] = pattern.exec(older?.commit_url ?? '') ?? [];
  const isComparable = base !== undefined && base === olderBase && from === newer?.git_hash && to === older?.git_hash;
  return isComparable ? [`${base}/compare/${to}...${from}`] : [];
}

function endText(deployment: DeploymentRow): string {
  const { id, started_at, finished_at } = deployment;
  const ms = Date.parse(finished_at ?? '') - Date.parse(started_at);
  const outcome = hasSucceeded(deployment) ? 'succeeded' : outcomeOf(deployment);
  const otherVerb = outcome === 'unknown' ? 'ended with an unknown outcome' : `ended as "${outcome}"`;
  const verb = ['succeeded', 'cancelled', 'failed'].includes(outcome) ? outcome : otherVerb;
  return `deployment ${id} ${verb}${Number.isNaN(ms) ? '' : ` after ${durationText(ms)}`}`;
}

export function requestedStrategies(request: DeploymentRequest): Partial<DeploymentRequest> {
  const entries = Object.entries(request).filter(([name, value]) => name in rolloutParams && value !== undefined);
  return Object.fromEntries(entries);
}

/** Throws `usage` for a share of traffic without a canary. */
export function refuseShareWithoutCanary(request: Partial<DeploymentRequest>): void {
  const { rollout_strategy: rollout, canary_percentage: share } = request;
  if (share === undefined || rollout === 'canary') return;
  const flag = '--rollout-strategy';
  const correction = { replace: { word: flag, by: [flag, 'canary'] } };
  throw new CliError('usage', '--canary-percentage needs --rollout-strategy canary', { nothing: 'sent', correction });
}

/** Returns `a canary with 5 % of the traffic`; undefined for a deployment that replaces the live version at once. */
export function rolloutText({ rollout_strategy, canary_percentage: share }: DeploymentRequest): string | undefined {
  const rolloutTexts = {
    none: undefined,
    blue_green_immediate: 'an immediate blue-green deployment',
    blue_green_delayed: 'a delayed blue-green deployment',
    canary: share === undefined ? 'a canary' : `a canary with ${share} % of the traffic`,
  };
  return rolloutTexts[rollout_strategy ?? 'none'];
}

/** True if the live version stays live beside the new version until the new version is committed. */
export function keepsLiveVersion({ rollout_strategy: rollout }: DeploymentRequest): boolean {
  return rollout === 'canary' || rollout === 'blue_green_delayed';
}

/** Returns the hint for a refusal that an undocumented strategy may have caused, else undefined. */
export function strategyHint(request: DeploymentRequest, { details: { status } }: CliError): string | undefined {
  const flags = Object.keys(requestedStrategies(request)).map((name) => `--${name.replaceAll('_', '-')}`);
  if (flags.length === 0 || (status !== 400 && status !== 404)) return undefined;
  return `if this service does not support strategies, leave out ${flags.join(' and ')}`;
}
