import { changeRecord } from '../../builders/execute/summary.ts';
import type { Context } from '../../contract/command.ts';
import { type Fields, group, integer, nullable, text } from '../../contract/field.ts';
import type { Change, ObservedChange, Plan, Question, Step } from '../../contract/plan.ts';
import type { RecordType } from '../../contract/record.ts';
import { once } from '../../contract/values/once.ts';
import { CliError, readOrUndefined, refusedChangeError } from '../../errors/cli-error.ts';
import { isAction } from '../../resources/action.ts';
import {
  Deployment,
  type DeploymentRequest,
  type DeploymentRow,
  deployments,
  hasSucceeded,
  isDeployment,
  isUnfinished,
  liveDeploymentIn,
  Redeploy,
  type RedeployReply,
  recentLimit,
  successesBefore,
} from '../../resources/deployment.ts';
import { isContainerStack, type StackRow, stacks, titleOf } from '../../resources/stack.ts';
import { type BusyPolicy, checkBusy } from './if-busy.ts';
import { requestObserver } from './requested-deployment.ts';
import { requestedStrategies, rolloutText, strategyHint, summarizeDeployment } from './summary.ts';
import { withFailureCause } from './watch.ts';

/** Returns the change record type of a deployment. `requested` are fields for the options of the request. */
export function deployChangeRecord(requested: Fields = {}): RecordType {
  const id = nullable(integer('ID of the deployment; null while it is not known.'));
  const beforeFields = { id: integer('ID of the deployment.'), git_hash: text('Commit.') };
  const before = group(beforeFields, 'The deployment that was live before.');
  const afterFields = { ...Redeploy.fields, ...Deployment.fields };
  const after = group(afterFields, 'The deployment as last seen; until one is shown, the response.');
  return { ...changeRecord({ id, ...requested }, { before, after }), columns: ['id', 'change', 'before', 'after'] };
}

interface DeploySpec extends BusyPolicy {
  readonly request: DeploymentRequest;
  /** The live deployment if it already has the requested version. Then nothing is sent. */
  readonly alreadyLive?: DeploymentRow | undefined;
  /** Called after a wait for other deployments. Throws if the deployments no longer match the confirmed question. */
  readonly refuseLater?: (rows: readonly DeploymentRow[]) => void;
  /** Overrides --wait. */
  readonly wait?: boolean | undefined;
  /** The verb of the question, if it is not the verb of the command. */
  readonly act?: string;
  /** `shop/production`; absent if the name of the stack is not known yet. */
  readonly title?: string;
  /** The details of the question besides the busy state. `branch` is the configured branch, if the service shows it. */
  readonly details: (branch: string | undefined) => readonly string[] | Promise<readonly string[]>;
  /** The hint if the service refuses the commit, as it does for a container stack. */
  readonly containerHint?: string;
}

/** Throws `rejected` for a container stack, to which no commit can be sent. */
export async function refuseContainerStack(context: Context, stack_id: string, hint: string): Promise<void> {
  const stack = await readOrUndefined(context.call(stacks.get, { id: stack_id }));
  if (stack) refuseContainerStackRow(stack, hint);
}

export function refuseContainerStackRow(stack: StackRow, hint: string): void {
  if (!isContainerStack(stack)) return;
  const message = `${titleOf(stack)} is a container stack (${stack.framework}), to which no commit can be deployed`;
  throw refusedChangeError(message, hint);
}

export function planDeployment(context: Context, spec: DeploySpec): Plan {
  const { request, busySigns, alreadyLive } = spec;
  const { reasons, skipPlan, whenFree } = checkBusy(context, request.stack_id, spec);
  if (skipPlan) return skipPlan;
  const step: Step = {
    id: { id: alreadyLive?.id ?? null, ...requestedStrategies(request) },
    name: 'the deployments',
    change: 'deployed',
    before: idAndCommitOf(alreadyLive ?? liveDeploymentIn(busySigns.deployments)),
    after: null,
    isIdle: alreadyLive !== undefined,
    send: async () => {
      if (reasons.length > 0 && !whenFree) context.note(`${reasons.join(', ')}: the new deployment may wait for it`);
      return sendDeployment(context, spec, await whenFree?.());
    },
    done: observedChangeOf,
    unfinished: (record) => {
      const observed = observedChangeOf(record);
      const { change: _, ...withoutChange } = observed;
      // A deployment that succeeded but is not live is no success: its `change` is left out, and the error supplies it.
      return isDeployment(record) && hasSucceeded(record) ? withoutChange : observed;
    },
  };
  return {
    steps: [step],
    ask: questionOf(context, spec, reasons),
    // With --wait, `send` already waits for the deployment, so the plan does not wait again.
    waits: false,
    finish: (changes) => Promise.all(changes.map((change) => withFormerDeployment(context, spec, change))),
    summarize: ([change]) => (change ? summarizeDeployment(change, request) : { lines: [] }),
  };
}

/** Sends the request. `rows` are the deployments after a wait for others; undefined without a wait. */
async function sendDeployment(context: Context, spec: DeploySpec, rows?: readonly DeploymentRow[]): Promise<unknown> {
  const { request, busySigns, refuseLater, wait, containerHint } = spec;
  if (rows) refuseLater?.(rows);
  // The reference identifies the deployment if the response is lost, so every request has a reference.
  const user_reference = request.user_reference ?? context.runReference();
  const earlierIds = (rows ?? busySigns.deployments)?.map(({ id }) => id);
  const observer = requestObserver(earlierIds, request.user_reference !== undefined);
  try {
    const deploy = () => context.call(deployments.create, { ...request, user_reference }, { wait, observer });
    return await withFailureCause(context, request.stack_id, deploy);
  } catch (error) {
    if (!(error instanceof CliError)) throw error;
    if (error.kind === 'outcome_unknown') throw error.with({ extra: { ...error.details.extra, user_reference } });
    const isContainerError = error.kind === 'rejected' && /git_ref|container/i.test(error.details.serviceMessage ?? '');
    const hint = (isContainerError ? containerHint : undefined) ?? strategyHint(request, error);
    throw hint === undefined ? error : error.with({ hint });
  }
}

function observedChangeOf(value: unknown): ObservedChange {
  if (isAction(value)) return {};
  if (isDeployment(value)) {
    const endState = hasSucceeded(value) ? 'deployed' : 'failed';
    return { id: { id: value.id }, change: value.finished_at ? endState : 'queued', after: value };
  }
  const reply = value as RedeployReply;
  // If the reply names an action, `id` may be the ID of the action, so it is not used.
  const id = (reply.async_action_id === undefined ? reply.id : undefined) ?? null;
  return { id: { id }, change: reply.queued ? 'queued' : 'accepted', after: reply, message: reply.message ?? null };
}

async function withFormerDeployment(context: Context, { request, busySigns, alreadyLive }: DeploySpec, change: Change) {
  if (alreadyLive) return { ...change, after: alreadyLive };
  const { after } = change;
  if (change.change !== 'deployed' || !isDeployment(after)) return change;
  // If another deployment was running, only a read shows the deployment that was live before.
  if (!busySigns.deployments?.some(isUnfinished)) return change;
  const rows = await context.call(deployments.list, { stack_id: request.stack_id }, { limit: recentLimit });
  // The found deployment may be a rollout that was never live, because no deployment record shows rollouts.
  return { ...change, before: idAndCommitOf(successesBefore(rows, after)[0]) };
}

function idAndCommitOf(deployment: DeploymentRow | undefined) {
  return deployment ? { id: deployment.id, git_hash: deployment.git_hash } : null;
}

function questionOf(context: Context, spec: DeploySpec, busyReasons: readonly string[]): Question {
  const { request, details, act, title } = spec;
  const id = request.stack_id;
  // Some services do not show stacks. Then the question names the ID.
  const readStack = once(async () =>
    title === undefined ? readOrUndefined(context.call(stacks.get, { id })) : undefined,
  );
  const readTitle = async () => {
    const stack = await readStack();
    return title ?? (stack ? titleOf(stack) : id);
  };
  const rollout = rolloutText(request);
  const questionText = async () => `${act ?? 'Deploy stack'} ${await readTitle()}${rollout ? ` as ${rollout}` : ''}`;
  return {
    name: readTitle,
    ...((act ?? rollout) !== undefined && { text: questionText }),
    details: async () => [...(await details((await readStack())?.git_branch || undefined)), ...busyReasons],
  };
}
