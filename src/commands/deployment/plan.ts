import { changeRecord } from '../../builders/execute/summary.ts';
import type { Context } from '../../contract/command.ts';
import { type Fields, group, integer, nullable, text } from '../../contract/field.ts';
import type { Change, ObservedChange, Plan, Question, Step } from '../../contract/plan.ts';
import type { RecordType } from '../../contract/record.ts';
import { once } from '../../contract/values/once.ts';
import { CliError, readOrUndefined, refusal } from '../../errors/cli-error.ts';
import { isAction } from '../../resources/action.ts';
import {
  Deployment,
  type DeploymentRequest,
  type DeploymentRow,
  deployments,
  hasSucceeded,
  isDeployment,
  isOngoing,
  liveIn,
  Redeploy,
  type RedeployReply,
  recentLimit,
  succeededBefore,
} from '../../resources/deployment.ts';
import { isContainerStack, type StackRow, stacks, titleOf } from '../../resources/stack.ts';
import { type BusyPolicy, checkBusy } from './if-busy.ts';
import { requestObserver } from './requested-deployment.ts';
import { requestedStrategies, rolloutText, strategyHint, summarizeDeployment } from './summary.ts';
import { withCause } from './watch.ts';

/** The record of a deployment; `requested` are further fields that say how it was asked for. */
export function deployedRecord(requested: Fields = {}): RecordType {
  const id = nullable(integer('ID of the deployment; null while it is not known.'));
  const formerly = { id: integer('ID of the deployment.'), git_hash: text('Commit.') };
  const before = group(formerly, 'The deployment that was live before.');
  const shown = { ...Redeploy.fields, ...Deployment.fields };
  const after = group(shown, 'The deployment as last seen; until one is shown, the response.');
  return { ...changeRecord({ id, ...requested }, { before, after }), columns: ['id', 'change', 'before', 'after'] };
}

interface Deploying extends BusyPolicy {
  readonly request: DeploymentRequest;
  /** The requested version is live already: nothing is sent. */
  readonly alreadyLive?: DeploymentRow | undefined;
  /** Throws if the deployments no longer match the confirmed ones, after a wait for others. */
  readonly refuseLater?: (known: readonly DeploymentRow[]) => void;
  /** Overrides --wait. */
  readonly wait?: boolean | undefined;
  /** The verb of the question, if it is not that of the command. */
  readonly act?: string;
  /** `shop/production`, where that is known. */
  readonly title?: string;
  /** The details of the question besides the busy state. `branch` is the configured branch, if the service shows it. */
  readonly details: (branch: string | undefined) => readonly string[] | Promise<readonly string[]>;
  /** The hint if the service refuses the commit, as it does for a container stack. */
  readonly containerHint?: string;
}

/** Throws rejected for a container stack, to which no commit can be sent. */
export async function refuseContainerStack(context: Context, stack_id: string, hint: string): Promise<void> {
  const stack = await readOrUndefined(context.call(stacks.get, { id: stack_id }));
  if (stack) refuseContainers(stack, hint);
}

export function refuseContainers(stack: StackRow, hint: string): void {
  if (!isContainerStack(stack)) return;
  const message = `${titleOf(stack)} is a container stack (${stack.framework}), to which no commit can be deployed`;
  throw refusal(message, hint);
}

export function planDeployment(context: Context, deploying: Deploying): Plan {
  const { request, seen, alreadyLive } = deploying;
  const { busy, skipped, whenFree } = checkBusy(context, request.stack_id, deploying);
  if (skipped) return skipped;
  const step: Step = {
    id: { id: alreadyLive?.id ?? null, ...requestedStrategies(request) },
    name: 'the deployments',
    change: 'deployed',
    before: commitOf(alreadyLive ?? liveIn(seen.deployments)),
    after: null,
    isIdle: alreadyLive !== undefined,
    send: async () => {
      if (busy.length > 0 && !whenFree) context.note(`${busy.join(', ')}: the new deployment may wait for it`);
      return send(context, deploying, await whenFree?.());
    },
    done: seenIn,
    unfinished: (record) => {
      const { change, ...seen } = seenIn(record);
      // A deployment can succeed and still fail the check that it is live; the error explains it.
      return isDeployment(record) && hasSucceeded(record) ? seen : { ...seen, ...(change && { change }) };
    },
  };
  return {
    steps: [step],
    ask: questionOf(context, deploying, busy),
    // --wait follows the deployment itself.
    waits: false,
    finish: (changes) => Promise.all(changes.map((change) => withFormer(context, deploying, change))),
    summarize: ([change]) => (change ? summarizeDeployment(change, request) : { lines: [] }),
  };
}

async function send(context: Context, deploying: Deploying, later?: readonly DeploymentRow[]): Promise<unknown> {
  const { request, seen, refuseLater, wait, containerHint } = deploying;
  if (later) refuseLater?.(later);
  // The reference finds the deployment if there is no response.
  const user_reference = request.user_reference ?? context.reference();
  const before = (later ?? seen.deployments)?.map(({ id }) => id);
  const observer = requestObserver(before, request.user_reference !== undefined);
  try {
    const asked = { ...request, user_reference };
    const deploy = () => context.call(deployments.create, asked, { wait, observer });
    return await withCause(context, request.stack_id, deploy);
  } catch (error) {
    if (!(error instanceof CliError)) throw error;
    if (error.kind === 'outcome_unknown') throw error.with({ extra: { ...error.details.extra, user_reference } });
    const isForContainers = error.kind === 'rejected' && /git_ref|container/i.test(error.details.complaint ?? '');
    const hint = (isForContainers ? containerHint : undefined) ?? strategyHint(request, error);
    throw hint === undefined ? error : error.with({ hint });
  }
}

function seenIn(value: unknown): ObservedChange {
  if (isAction(value)) return {};
  if (isDeployment(value)) {
    const ended = hasSucceeded(value) ? 'deployed' : 'failed';
    return { id: { id: value.id }, change: value.finished_at ? ended : 'queued', after: value };
  }
  const reply = value as RedeployReply;
  // A service that returns actions may have sent the ID of the action.
  const id = (reply.async_action_id === undefined ? reply.id : undefined) ?? null;
  const change = reply.queued ? 'queued' : 'accepted';
  return { id: { id }, change, after: reply, message: reply.message ?? null };
}

async function withFormer(context: Context, { request, seen, alreadyLive }: Deploying, change: Change) {
  if (alreadyLive) return { ...change, after: alreadyLive };
  const { after } = change;
  if (change.change !== 'deployed' || !isDeployment(after)) return change;
  // If another deployment was running, only a read shows the deployment that was live before.
  if (!seen.deployments?.some(isOngoing)) return change;
  const rows = await context.call(deployments.list, { stack_id: request.stack_id }, { limit: recentLimit });
  // The record of a successful rollout does not show that it was one.
  return { ...change, before: commitOf(succeededBefore(rows, after)[0]) };
}

function commitOf(deployment: DeploymentRow | undefined) {
  return deployment ? { id: deployment.id, git_hash: deployment.git_hash } : null;
}

function questionOf(context: Context, { request, details, act, title }: Deploying, busy: readonly string[]): Question {
  const id = request.stack_id;
  // Some services have no stack collection, or do not show it.
  const read = once(async () => (title === undefined ? readOrUndefined(context.call(stacks.get, { id })) : undefined));
  const name = async () => {
    const stack = await read();
    return title ?? (stack ? titleOf(stack) : id);
  };
  const rollout = rolloutText(request);
  const text = async () => `${act ?? 'Deploy stack'} ${await name()}${rollout ? ` as ${rollout}` : ''}`;
  return {
    name,
    ...((act ?? rollout) !== undefined && { text }),
    details: async () => [...(await details((await read())?.git_branch || undefined)), ...busy],
  };
}
