import { inSentences } from '../../builders/execute/change-each.ts';
import type { Context } from '../../contract/command.ts';
import type { CommandLine } from '../../contract/command-line.ts';
import type { Read, Watch, WatchStatus } from '../../contract/observe.ts';
import type { InputOf } from '../../contract/operation.ts';
import { isFullHash, isSameCommit, shortHash } from '../../contract/values/text.ts';
import { msOf } from '../../contract/values/time.ts';
import { type CliError, readOrUndefined, rethrowAs } from '../../errors/cli-error.ts';
import { type Action, actions, hasEnded, isSuccessful } from '../../resources/action.ts';
import {
  type DeploymentRow,
  deployments,
  hasSucceeded,
  isDeployment,
  liveDeploymentIn,
  newestFirst,
  outcomeOf,
  recentLimit,
} from '../../resources/deployment.ts';
import { commitText, endTextWithCommit } from './summary.ts';

export function watchDeployment(read: Read, target: InputOf<typeof deployments.get>): Watch {
  const { stack_id, deployment_id } = target;
  return {
    name: `deployment ${deployment_id}`,
    resume: waitCommand(stack_id, deployment_id),
    check: async () => deploymentStatus(await read(deployments.get, target)),
  };
}

/** Returns a watch that waits for a deployment of a commit, then follows the newest. Later deployments are ignored. */
export function watchCommit(read: Read, stack_id: string, commit: string): Watch {
  let foundId: number | undefined;
  return {
    name: `deployment of commit ${shortHash(commit)}`,
    resume: { path: 'deployment wait', flags: ['--commit', commit], stack_id },
    exists: () => foundId !== undefined,
    check: async () => {
      if (foundId !== undefined) return watchDeployment(read, { stack_id, deployment_id: foundId }).check();
      const rows = await read(deployments.list, { stack_id }, { limit: recentLimit });
      const [newest] = newestFirst(rows.filter(({ git_hash }) => isSameCommit(git_hash, commit)));
      foundId = newest?.id;
      return newest ? deploymentStatus(newest) : { state: 'running', text: 'not found yet', value: undefined };
    },
  };
}

/** Number of reads that must agree that a deployment is not live or not shown, because the list may lag behind. */
export const agreeingReadCount = 3;

interface ExpectedDeployment {
  readonly stack_id: string;
  /** The requested commit, branch or tag. Absent: any version is accepted. */
  readonly git_ref?: string | undefined;
  /** Number of reads after which the deployment counts as not live. Absent: the deployment need not be live. */
  readonly reads?: number | undefined;
}

/** Returns `watch` with further conditions for success: the requested version and, with `reads`, a live deployment. */
export function watchExpected(read: Read, expected: ExpectedDeployment, watch: Watch): Watch {
  const { stack_id, git_ref, reads } = expected;
  let missCount = 0;
  return {
    ...watch,
    resume: watch.resume,
    // A getter, because the name of a watch may change.
    get name() {
      return watch.name;
    },
    check: async () => {
      const status = await watch.check();
      if (status.state !== 'good' || !isDeployment(status.value)) return status;
      const rows = (await readOrUndefined(read(deployments.list, { stack_id }, { limit: recentLimit }))) ?? [];
      const deployment = status.value;
      const row = rows.find(({ id }) => String(id) === String(deployment.id)) ?? deployment;
      const live = liveDeploymentIn(rows);
      if (isOtherVersion(row, git_ref)) return unexpectedStatus(row, live, `${versionText(git_ref)} was requested`);
      if (reads === undefined || isLiveIn(rows, row)) return { ...status, value: row };
      missCount += 1;
      const isReplaced = live !== undefined && live.id > row.id;
      if (isReplaced || missCount >= reads) return unexpectedStatus(row, live, 'is not live');
      return { ...status, state: 'running', text: 'success, not live yet', value: row };
    },
  };
}

export function isOtherVersion({ git_hash, git_ref }: DeploymentRow, requested: string | undefined): boolean {
  if (requested === undefined || isSameCommit(git_hash, requested)) return false;
  if (git_hash && isFullHash(requested)) return true;
  return git_ref ? refName(git_ref) !== refName(requested) : false;
}

function refName(ref: string): string {
  return ref.replace(/^refs\/(heads|tags)\//, '');
}

function versionText(git_ref = ''): string {
  return isFullHash(git_ref) ? commitText(git_ref) : git_ref;
}

function isLiveIn(rows: readonly DeploymentRow[], row: DeploymentRow): boolean {
  const isLivenessShown = rows.some(({ is_live }) => typeof is_live === 'boolean');
  return row.is_live || (!isLivenessShown && row.is_live !== false);
}

function unexpectedStatus(row: DeploymentRow, live: DeploymentRow | undefined, why: string): WatchStatus {
  const fault = inSentences([`${endTextWithCommit(row)}, but ${why}`, ...liveSentence(live, row)]);
  return { state: 'failed', text: `success, but ${why}`, value: row, fault };
}

/** Returns `Live is still 107`; empty if no deployment is live. */
export function liveSentence(live: DeploymentRow | undefined, row: DeploymentRow | undefined): readonly string[] {
  if (!live) return [];
  return [`Live is ${row && live.id >= row.id ? '' : 'still '}${live.id}`];
}

export function deploymentStatus(deployment: DeploymentRow): WatchStatus {
  // `is_deploying` is false for a queued deployment too, so only `finished_at` shows the end.
  if (!deployment.finished_at) {
    return { state: 'running', text: deployment.is_deploying ? 'deploying' : 'queued', value: deployment };
  }
  const text = outcomeOf(deployment);
  if (text === 'unknown') return { state: 'unknown', text, value: deployment, fault: endTextWithCommit(deployment) };
  return { state: hasSucceeded(deployment) ? 'good' : 'failed', text, value: deployment };
}

export function waitCommand(stack_id: string, id: number): CommandLine {
  return { path: 'deployment wait', operands: [String(id)], stack_id };
}

/** Largest time between the end of a deployment and the end of its action. */
const endToleranceMs = 60_000;

/** If the awaited deployment fails, the error names the cause, the live deployment and a command to see more. */
export function withFailureCause(context: Context, stack_id: string, waiting: Promise<unknown>): Promise<unknown> {
  const explain = async (error: CliError) => {
    const deployment = error.details.partial?.value;
    if (error.kind !== 'operation_failed' || !isDeployment(deployment)) return error;
    // The error already says why a successful deployment is not enough.
    if (hasSucceeded(deployment)) return error.with({ hint: { path: 'deployment list', stack_id } });
    const hint = { path: 'deployment get', operands: [String(deployment.id)], stack_id };
    return error.with({ hint }, await failureText(context, stack_id, deployment));
  };
  return waiting.catch(rethrowAs(explain));
}

async function failureText(context: Context, stack_id: string, deployment: DeploymentRow): Promise<string> {
  const [actionRows, rows] = await Promise.all([
    context.call(actions.list, { stack_id }, { limit: recentLimit }).catch(() => []),
    context.call(deployments.list, { stack_id }, { limit: recentLimit }).catch(() => []),
  ]);
  const message = actionRows.find((action) => isActionOf(deployment, action))?.finished_message;
  const cause = message && context.quote(message).replace(/(?<![.\s])[.\s]*$/, '.');
  const endSentence = `${endTextWithCommit(deployment)}${cause ? `: ${cause}` : ''}`;
  return inSentences([endSentence, ...liveSentence(liveDeploymentIn(rows), deployment)]);
}

function isActionOf({ finished_at }: DeploymentRow, action: Action): boolean {
  const kind = action.action ?? action.action_type ?? '';
  // Actions do not name their deployments, so an action and a deployment match if they ended at about the same time.
  const endedTogether = Math.abs(msOf(action.finished_at) - msOf(finished_at)) <= endToleranceMs;
  return /deploy/i.test(kind) && hasEnded(action) && !isSuccessful(action) && endedTogether;
}
