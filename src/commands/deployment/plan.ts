import { changeRecord } from '../../builders/execute/summary.ts';
import type { Context } from '../../contract/command.ts';
import type { CommandLine } from '../../contract/command-line.ts';
import { type Fields, group, integer, nullable, oneOf, optional, text, type ValueOf } from '../../contract/field.ts';
import type { Change, ObservedChange, Plan, Question, Step } from '../../contract/plan.ts';
import type { RecordType } from '../../contract/record.ts';
import { once } from '../../contract/values/once.ts';
import { type CliError, readOrUndefined, refusedChangeError, rethrowAs } from '../../errors/cli-error.ts';
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
import { blockerStatus, waitForBlocker } from '../../writes/wait/action.ts';
import { type BusySigns, busyReasons, firstBusySign, readBusySigns, uncheckedSources } from '../status/busy.ts';
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

export const ifBusyFlag = optional(oneOf(['wait', 'skip', 'fail'], 'If the stack is busy.', { placeholder: 'action' }));
export type IfBusy = ValueOf<typeof ifBusyFlag> | undefined;

/** Reads the newest deployments of a stack and, with --if-busy, all sources that can show that the stack is busy. */
export async function readBusyState(context: Context, stack_id: string, if_busy: IfBusy): Promise<BusySigns> {
  return readBusySigns(context.call, stack_id, if_busy ? undefined : ['deployments']);
}

interface BusyPolicy {
  readonly busySigns: BusySigns;
  readonly if_busy?: IfBusy;
  /** The hint of the refusal, for a command that refuses a busy stack even without --if-busy. */
  readonly busyHint?: CommandLine;
}

/**
 * Applies --if-busy. With `skip` and a busy stack, the returned `skipPlan` replaces the deployment. With `wait`,
 * `whenFree` waits until the stack is free and returns its newest deployments. For a busy stack, throws `rejected` with
 * `fail` or, without --if-busy, with `busyHint`.
 */
export function checkBusy(context: Context, stack_id: string, { busySigns, if_busy, busyHint }: BusyPolicy) {
  const { sign, why: reasons = [] } = firstBusySign(busySigns) ?? {};
  const reason = reasons.join(', ');
  const failHint = if_busy === 'fail' ? { path: sign === 'actions' ? 'action list' : 'status', stack_id } : undefined;
  const hint = if_busy ? failHint : busyHint;
  if (reason && hint) throw refusedChangeError(reason, hint);
  // The stack may be busy in a way that only an unread source shows, so a warning names the source.
  const unchecked = !reason && if_busy ? uncheckedSources(busySigns) : [];
  if (unchecked.length > 0) context.warn(`--if-busy did not check ${unchecked.join(', ')}: not shown by the service`);
  return {
    reasons,
    skipPlan: reason && if_busy === 'skip' ? skipPlanOf(reason) : undefined,
    whenFree: if_busy === 'wait' ? () => waitUntilFree(context, stack_id) : undefined,
  };
}

function skipPlanOf(message: string): Plan {
  const step = { id: { id: null }, name: 'the deployment', change: 'deployed', before: null, after: null } as const;
  return {
    steps: [{ ...step, isIdle: true, send: () => Promise.reject(new Error('nothing is sent')) }],
    finish: async (changes) => changes.map((change) => ({ ...change, message })),
    summarize: () => ({ lines: [`skipped: ${message}`] }),
  };
}

async function waitUntilFree(context: Context, stack_id: string): Promise<readonly DeploymentRow[]> {
  let busySigns = await readBusySigns(context.call, stack_id);
  if (context.dryRun || !firstBusySign(busySigns)) return busySigns.deployments ?? [];
  const watch = {
    name: 'the operation in progress',
    resume: { path: 'status', stack_id },
    check: async () => {
      // While the source that showed the stack as busy still shows it so, only that source is read.
      const lastSign = firstBusySign(busySigns);
      const sameSource = lastSign && (await readBusySigns(context.call, stack_id, [lastSign.sign]));
      busySigns = sameSource && firstBusySign(sameSource) ? sameSource : await readBusySigns(context.call, stack_id);
      return blockerStatus(busyReasons(busySigns));
    },
  };
  await waitForBlocker(context, watch, 'not deployed');
  return busySigns.deployments ?? [];
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
  refuseContainerStackRow(await readOrUndefined(context.call(stacks.get, { id: stack_id })), hint);
}

export function refuseContainerStackRow(stack: StackRow | undefined, hint: string): void {
  if (!stack || !isContainerStack(stack)) return;
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
    isIdle: alreadyLive !== undefined,
    send: async () => {
      if (reasons.length > 0 && !whenFree) context.note(`${reasons.join(', ')}: the new deployment may wait for it`);
      return sendDeployment(context, spec, await whenFree?.());
    },
    done: observedChangeOf,
    unfinished: (record) => {
      const { change, ...observed } = observedChangeOf(record);
      // A deployment that succeeded but is not live is no success: its `change` is left out, and the error supplies it.
      return { ...observed, ...(change && change !== 'deployed' && { change }) };
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

async function sendDeployment(context: Context, spec: DeploySpec, rows?: readonly DeploymentRow[]): Promise<unknown> {
  const { request, busySigns, refuseLater, wait, containerHint } = spec;
  if (rows) refuseLater?.(rows);
  // The reference identifies the deployment if the response is lost, so every request has a reference.
  const user_reference = request.user_reference ?? context.runReference();
  const earlierIds = (rows ?? busySigns.deployments)?.map(({ id }) => id);
  const observer = requestObserver(earlierIds, request.user_reference !== undefined);
  const explain = (error: CliError) => {
    if (error.kind === 'outcome_unknown') return error.with({ extra: { ...error.details.extra, user_reference } });
    const isContainerError = error.kind === 'rejected' && /git_ref|container/i.test(error.details.serviceMessage ?? '');
    const hint = (isContainerError ? containerHint : undefined) ?? strategyHint(request, error);
    return hint === undefined ? error : error.with({ hint });
  };
  const deploying = context.call(deployments.create, { ...request, user_reference }, { wait, observer });
  return withFailureCause(context, request.stack_id, deploying).catch(rethrowAs(explain));
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
  const readStack = once(async () => (title ? undefined : readOrUndefined(context.call(stacks.get, { id }))));
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
