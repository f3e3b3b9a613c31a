import { inSentences } from '../../builders/execute/change-each.ts';
import type { Context } from '../../contract/command.ts';
import type { CommandLine } from '../../contract/command-line.ts';
import type { Read, Status, Watch } from '../../contract/observe.ts';
import { isFullHash, isSameCommit, shortHash } from '../../contract/values/text.ts';
import { msOf } from '../../contract/values/time.ts';
import { CliError, readOrUndefined } from '../../errors/cli-error.ts';
import { type Action, actions, hasEnded, isSuccessful } from '../../resources/action.ts';
import {
  type DeploymentRow,
  deployments,
  hasSucceeded,
  isDeployment,
  liveIn,
  newestFirst,
  outcomeOf,
  recentLimit,
} from '../../resources/deployment.ts';
import { isOtherVersion } from './own-deployment.ts';
import { commitText, endedText } from './summary.ts';

/** Watches a deployment until `finished_at` is set. Success is decided by the meaning of the outcome, else by its code. */
export function watchDeployment(
  read: Read,
  target: { readonly stack_id: string; readonly deployment_id: number },
): Watch {
  const { stack_id, deployment_id } = target;
  return {
    name: `deployment ${deployment_id}`,
    resume: waitCommand(stack_id, deployment_id),
    check: async () => deploymentStatus(await read(deployments.get, target)),
  };
}

/** Watches the newest deployment of a commit, once there is one. A later one of the same commit is not followed. */
export function watchCommit(read: Read, stack_id: string, commit: string): Watch {
  let found: number | undefined;
  return {
    name: `deployment of commit ${shortHash(commit)}`,
    resume: { path: 'deployment wait', flags: ['--commit', commit], stack_id },
    exists: () => found !== undefined,
    check: async () => {
      if (found !== undefined) return watchDeployment(read, { stack_id, deployment_id: found }).check();
      const listed = await read(deployments.list, { stack_id }, { limit: recentLimit });
      const [newest] = newestFirst(listed.filter(({ git_hash }) => isSameCommit(git_hash, commit)));
      found = newest?.id;
      return newest ? deploymentStatus(newest) : { state: 'running', text: 'not found yet', value: undefined };
    },
  };
}

/** Reads that must agree before a deployment counts as not live, because a list may lag behind. */
export const agreeingReads = 3;

export interface Expected {
  readonly stack_id: string;
  /** The requested commit, branch or tag; absent: any. */
  readonly git_ref?: string | undefined;
  /** Reads that must agree before the deployment counts as not live. Absent: it need not be live. */
  readonly reads?: number | undefined;
}

/** Ends a watch well only if the deployment is of the requested version and, by the last read of the list, is live. */
export function watchExpected(read: Read, expected: Expected, watch: Watch): Watch {
  const { stack_id, git_ref, reads } = expected;
  let misses = 0;
  return {
    ...watch,
    // A getter, because the name of a watch may change.
    get name() {
      return watch.name;
    },
    check: async () => {
      const status = await watch.check();
      if (status.state !== 'good' || !isDeployment(status.value)) return status;
      const listed = (await readOrUndefined(read(deployments.list, { stack_id }, { limit: recentLimit }))) ?? [];
      const ended = status.value;
      const row = listed.find(({ id }) => String(id) === String(ended.id)) ?? ended;
      const live = liveIn(listed);
      if (isOtherVersion(row, git_ref)) return unexpectedEnd(row, live, `${versionText(git_ref)} was requested`);
      if (reads === undefined || isLiveIn(listed, row)) return { ...status, value: row };
      misses += 1;
      const isReplaced = live !== undefined && live.id > row.id;
      if (isReplaced || misses >= reads) return unexpectedEnd(row, live, 'is not live');
      return { ...status, state: 'running', text: 'success, not live yet', value: row };
    },
  };
}

function versionText(git_ref = ''): string {
  return isFullHash(git_ref) ? commitText(git_ref) : git_ref;
}

function isLiveIn(listed: readonly DeploymentRow[], row: DeploymentRow): boolean {
  const isShown = listed.some(({ is_live }) => typeof is_live === 'boolean');
  return row.is_live || (!isShown && row.is_live !== false);
}

function unexpectedEnd(row: DeploymentRow, live: DeploymentRow | undefined, why: string): Status {
  const fault = inSentences([`${endedText(row)}, but ${why}`, ...liveSentence(live, row)]);
  return { state: 'failed', text: `success, but ${why}`, value: row, fault };
}

/** `Live is still 107` */
export function liveSentence(live: DeploymentRow | undefined, row: DeploymentRow | undefined): readonly string[] {
  if (!live) return [];
  return [`Live is ${row && live.id >= row.id ? '' : 'still '}${live.id}`];
}

/** The progress of a deployment; only `finished_at` ends it. */
export function deploymentStatus(deployment: DeploymentRow): Status {
  // A deployment that waits in line is not deploying yet, so only its end is an end.
  if (!deployment.finished_at) {
    return { state: 'running', text: deployment.is_deploying ? 'deploying' : 'queued', value: deployment };
  }
  const text = outcomeOf(deployment);
  if (text === 'unknown') return { state: 'unknown', text, value: deployment, fault: endedText(deployment) };
  return { state: hasSucceeded(deployment) ? 'good' : 'failed', text, value: deployment };
}

export function waitCommand(stack_id: string, id: number): CommandLine {
  return { path: 'deployment wait', operands: [String(id)], stack_id };
}

/** Between the end of a deployment and that of its action. */
const apartMs = 60_000;

/** Waits for a deployment. If it failed, the error names the cause, the live deployment and the command that shows more. */
export async function withCause<Value>(context: Context, stack_id: string, wait: () => Promise<Value>): Promise<Value> {
  try {
    return await wait();
  } catch (error) {
    if (!(error instanceof CliError) || error.kind !== 'operation_failed') throw error;
    const seen = error.details.partial?.value;
    if (!isDeployment(seen)) throw error;
    // The error already says why a successful deployment is not enough.
    if (hasSucceeded(seen)) throw error.with({ hint: { path: 'deployment list', stack_id } });
    const hint = { path: 'deployment get', operands: [String(seen.id)], stack_id };
    throw error.with({ hint }, await failureText(context, stack_id, seen));
  }
}

async function failureText(context: Context, stack_id: string, deployment: DeploymentRow): Promise<string> {
  // A list that cannot be read is left out.
  const [acted, known] = await Promise.all([
    context.call(actions.list, { stack_id }, { limit: recentLimit }).catch(() => []),
    context.call(deployments.list, { stack_id }, { limit: recentLimit }).catch(() => []),
  ]);
  const message = acted.find((action) => isOf(deployment, action))?.finished_message;
  const cause = message && context.quote(message).replace(/(?<![.\s])[.\s]*$/, '.');
  const ended = `${endedText(deployment)}${cause ? `: ${cause}` : ''}`;
  return inSentences([ended, ...liveSentence(liveIn(known), deployment)]);
}

function isOf({ finished_at }: DeploymentRow, action: Action): boolean {
  const kind = action.action ?? action.action_type ?? '';
  // No record names the deployment of an action, but both end together.
  const isNear = Math.abs(msOf(action.finished_at) - msOf(finished_at)) <= apartMs;
  return /deploy/i.test(kind) && hasEnded(action) && !isSuccessful(action) && isNear;
}
