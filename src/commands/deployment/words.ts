import { durationText } from '../../changes/wait/engine.ts';
import type { Presentation } from '../../contract/command.ts';
import type { CommandLine } from '../../contract/command-line.ts';
import { group, integer, nullable, text, type ValueOf } from '../../contract/field.ts';
import { shortHash } from '../../contract/git-hash.ts';
import type { RecordOf } from '../../contract/record.ts';
import { actionOf, actionWords, isAction } from '../../resources/action.ts';
import { type DeploymentRow, hasSucceeded, isDeployment, type Redeploy } from '../../resources/deployment.ts';

/** What was live before a deployment; null where that is not known. */
export const formerlyLive = nullable(
  group({ id: integer('Id of that deployment.'), git_hash: text('Its commit.') }, 'What was live before.'),
);
export type FormerlyLive = ValueOf<typeof formerlyLive>;

/** What a request to deploy yields: the answer, or once its end was seen the deployment. */
export type Deployed = (RecordOf<typeof Redeploy> | DeploymentRow) & { readonly before?: FormerlyLive };

/** `Deployment 1042 succeeded after 2m 3s: commit 967009b`, or that it waits in line; with what takes it back. */
export function presentDeployed(
  deployed: Deployed,
  { stack_id, services }: { readonly stack_id: string; readonly services?: string | undefined },
): Presentation {
  if (isAction(deployed)) return { kind: 'done', lines: [`Deployment: ${actionWords(deployed)}`] };
  if (!isDeployment(deployed)) return presentQueued(deployed, stack_id);
  const { before } = deployed;
  const former = before ? [`Before it, deployment ${before.id} was live: commit ${shortHash(before.git_hash)}`] : [];
  if (!deployed.finished_at) {
    return { kind: 'done', lines: [deploymentLine(deployed)], undo: [cancelCommand(deployed.id, stack_id)] };
  }
  if (!hasSucceeded(deployed)) return { kind: 'done', lines: [deploymentLine(deployed)] };
  // A container stack has no commit to go back to, and the same commit again leaves nothing to take back.
  const canReturn = services === undefined && before?.git_hash && before.git_hash !== deployed.git_hash;
  const undo = canReturn ? [{ path: 'deployment rollback', operands: [String(before.id)], stack_id }] : [];
  return { kind: 'done', lines: [deploymentLine(deployed), ...former], undo };
}

function presentQueued(answer: RecordOf<typeof Redeploy>, stack_id: string): Presentation {
  const { id, async_action_id, message, queued } = answer;
  const said = message ? `: ${message}` : '';
  const action = actionOf(answer);
  if (action) return { kind: 'done', lines: [`Deployment is ${actionWords(action)}${said}`] };
  // The id of a service that tells actions apart may be the action's.
  const isKnown = id !== undefined && async_action_id === undefined;
  const what = ['Deployment', ...(isKnown ? [id] : []), queued ? 'is queued' : 'was accepted'].join(' ');
  return { kind: 'done', lines: [`${what}${said}`], ...(isKnown && { undo: [cancelCommand(id, stack_id)] }) };
}

function cancelCommand(id: number, stack_id: string): CommandLine {
  return { path: 'deployment cancel', operands: [String(id)], stack_id };
}

/** How far a deployment is, or how it ended and after how long. */
export function deploymentLine(deployment: DeploymentRow): string {
  const { id, started_at, finished_at, is_deploying, git_hash } = deployment;
  const commit = git_hash ? `: commit ${shortHash(git_hash)}` : '';
  if (!finished_at) return `Deployment ${id} is ${is_deploying ? 'deploying' : 'queued'}${commit}`;
  const ms = Date.parse(finished_at) - Date.parse(started_at);
  return `Deployment ${id} ${endOf(deployment)}${Number.isNaN(ms) ? '' : ` after ${durationText(ms)}`}${commit}`;
}

function endOf(deployment: DeploymentRow): string {
  const word = outcomeOf(deployment);
  if (hasSucceeded(deployment)) return 'succeeded';
  if (word === 'cancelled') return 'was cancelled';
  return word === 'failed' ? 'failed' : `ended as "${word}"`;
}

/** In a word: `success`, `pending`. */
export function outcomeOf({ outcome }: DeploymentRow): string {
  return outcome?.meaning ?? `outcome ${outcome?.code ?? 'unknown'}`;
}

/** Asked for and not ended. */
export function isOngoing({ finished_at, outcome }: DeploymentRow): boolean {
  return outcome !== undefined && !finished_at;
}
