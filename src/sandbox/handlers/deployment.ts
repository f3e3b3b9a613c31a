import type { DeploymentRequest as Request } from '../../resources/deployment.ts';
import { finishAction, newNamedActionRecord, startAction } from '../actions.ts';
import { type HandlersOf, refuse, type SandboxContext, stackOf } from '../context.ts';
import { callerEmail, isoStamp, madeUpHex } from '../seed/made-up.ts';
import { deploymentRow, outcomes } from '../seed/rows.ts';
import type {
  ActionState,
  DeploymentRecord,
  DeploymentState,
  RolloutSettings,
  StackState,
  VariantRecord,
} from '../state.ts';

/** Git refs for practice: deploying `broken` fails, and deploying `slow` takes ten minutes at speed 1. */
const brokenRef = 'broken';
const slowRef = 'slow';

export const deploymentHandlers: HandlersOf<'deployments'> = {
  list: (context, { stack_id }) => {
    const { deployments } = stackOf(context, stack_id);
    return deployments.map(({ row }) => row).toReversed();
  },
  get: (context, { stack_id, deployment_id }) => deploymentOf(stackOf(context, stack_id), deployment_id).row,
  create: (context, request) => {
    const stack = stackOf(context, request.stack_id);
    checkDeploymentRequest(stack, request, context.strict);
    const id = enqueueDeployment(context, stack, request);
    return { id, message: `Stack ${stack.row.name} queued for redeployment`, queued: true };
  },
  cancel: (context, { stack_id, deployment_id }) => {
    const stack = stackOf(context, stack_id);
    const deployment = deploymentOf(stack, deployment_id);
    if (deployment.phase === 'done') refuse(400, `deployment ${deployment_id} has finished and cannot be cancelled`);
    endDeployment(stack, deployment, 'cancelled', context.now.getTime());
    return { ok: true, message: `Deployment ${deployment_id} cancelled` };
  },
};

function deploymentOf(stack: StackState, id: number): DeploymentState {
  return stack.deployments.find(({ row }) => row.id === id) ?? refuse(404, `deployment ${id} not found`);
}

function checkDeploymentRequest(stack: StackState, request: Request, strict: boolean): void {
  const { git_ref, services } = request;
  if (stack.containers && git_ref !== undefined) refuse(400, 'git_ref is for stacks without containers');
  if (!stack.containers && services !== undefined) refuse(400, 'services is for container stacks');
  // Known clients send names of services without an image tag, so only `strict` requires a tag.
  const pairPattern = strict ? /^[\w.-]+:[\w.-]+$/ : /^[\w.-]+(:[\w.-]+)?$/;
  const wrongPair = services?.split(',').find((pair) => !pairPattern.test(pair));
  if (wrongPair !== undefined) refuse(400, `services: "${wrongPair}" is not a service:image_tag pair`);
  if (request.canary_percentage && request.rollout_strategy !== 'canary') {
    refuse(400, 'canary_percentage is for the rollout strategy canary');
  }
  if (!rolloutOf(request)) return;
  // A stack has only one rollout at a time, so a second rollout is refused.
  const variant = stack.variants.find((one) => isRolloutVariant(one) && one.percentage > 0);
  if (variant) refuse(400, `rollout variant "${variant.uid}" receives ${variant.percentage}% of the traffic`);
  const otherRollout = stack.deployments.find(({ phase, rollout }) => rollout && phase !== 'done');
  if (otherRollout) refuse(400, `deployment ${otherRollout.row.id} is a rollout and has not finished`);
}

function rolloutOf({ rollout_strategy, canary_percentage = 0 }: Request): RolloutSettings | undefined {
  if (rollout_strategy === 'canary') return { variant_type: 'canary', percentage: canary_percentage };
  if (rollout_strategy === 'blue_green_immediate') return { variant_type: 'blue_green', percentage: 100 };
  if (rollout_strategy === 'blue_green_delayed') return { variant_type: 'blue_green', percentage: 0 };
  return undefined;
}

function enqueueDeployment(context: SandboxContext, stack: StackState, request: Request): number {
  const { git_ref, user_reference } = request;
  const { state, now } = context;
  const id = state.next.deployment++;
  stack.copiedStatus = undefined;
  const metadata = user_reference === undefined ? {} : { user_reference };
  const action = { ...newNamedActionRecord(state, stack, { action: 'deploy' }), metadata };
  const queuedMs = now.getTime();
  stack.actions.push({ row: action, phase: 'queued', queuedMs });
  const row = deploymentRow(stack.row.name, {
    id,
    started_at: isoStamp(now),
    git_hash: git_ref && /^[0-9a-f]{40}$/.test(git_ref) ? git_ref : madeUpHex(`commit ${id} ${git_ref ?? ''}`, 40),
    triggered_by: callerEmail,
    triggered_via: { code: 1, meaning: 'api' },
    deploy_type: { code: 1, meaning: 'redeploy' },
  });
  const rollout = rolloutOf(request);
  stack.deployments.push({
    row,
    phase: 'queued',
    queuedMs,
    startedMs: queuedMs,
    action: action.id,
    fails: git_ref === brokenRef || context.failActions,
    ...(git_ref === slowRef && { isSlow: true }),
    ...(rollout && { rollout }),
  });
  return id;
}

/** Milliseconds at speed 1 from the queueing of a deployment to its start, and from its start to its end. */
const startDelayMs = 1000;
const runDurationMs = 4000;
const slowRunDurationMs = 600_000;

export interface Transition {
  readonly dueMs: number;
  apply(): void;
}

/** Returns the transition that ends the running deployment or else starts the next; undefined if none is queued. */
export function deploymentTransition(stack: StackState, speed: number): Transition | undefined {
  const running = stack.deployments.find(({ phase }) => phase === 'deploying');
  if (running) {
    const dueMs = running.startedMs + (running.isSlow ? slowRunDurationMs : runDurationMs) / speed;
    return { dueMs, apply: () => endDeployment(stack, running, running.fails ? 'failed' : 'success', dueMs) };
  }
  const queuedDeployment = stack.deployments.find(({ phase }) => phase === 'queued');
  if (!queuedDeployment) return undefined;
  const dueMs = Math.max(queuedDeployment.queuedMs + startDelayMs / speed, stack.freeMs);
  return { dueMs, apply: () => startDeployment(stack, queuedDeployment, dueMs) };
}

function startDeployment(stack: StackState, deployment: DeploymentState, atMs: number): void {
  deployment.phase = 'deploying';
  deployment.startedMs = atMs;
  Object.assign(deployment.row, { is_deploying: true, started_at: isoStamp(atMs) });
  const action = actionOf(stack, deployment);
  if (action) startAction(action, atMs);
}

const endMessages = { success: 'Deployed.', failed: 'The build failed.', cancelled: 'Cancelled.' } as const;

type EndState = keyof typeof endMessages;

function endDeployment(stack: StackState, deployment: DeploymentState, endState: EndState, atMs: number): void {
  const success = endState === 'success';
  deployment.phase = 'done';
  stack.freeMs = atMs;
  Object.assign(deployment.row, { outcome: outcomes[endState], finished_at: isoStamp(atMs), is_deploying: false });
  if (success) {
    for (const { row } of stack.deployments) row.is_head = row === deployment.row;
    if (deployment.rollout) addRolloutVariant(stack, deployment.row, deployment.rollout);
    else replaceLiveVersion(stack, deployment.row);
  }
  stack.row.last_activity = isoStamp(atMs);
  const action = actionOf(stack, deployment);
  if (action) finishAction(action, atMs, { success, message: endMessages[endState] });
}

function actionOf(stack: StackState, { action: actionId }: DeploymentState): ActionState | undefined {
  return stack.actions.find(({ row }) => row.id === actionId);
}

function isRolloutVariant({ variant_type }: VariantRecord): boolean {
  return variant_type !== 'active' && variant_type !== 'preview';
}

function replaceLiveVersion(stack: StackState, deployment: DeploymentRecord): void {
  for (const variant of stack.variants) {
    if (variant.variant_type === 'active') variant.git_hash = deployment.git_hash;
    else if (variant.percentage === 100) variant.percentage = 0;
  }
  setLiveDeployment(stack, deployment);
}

function setLiveDeployment({ deployments }: StackState, deployment: DeploymentRecord): void {
  for (const { row } of deployments) row.is_live = row === deployment;
}

function commitRollout(stack: StackState, variant: VariantRecord): void {
  stack.variants = stack.variants.filter(({ variant_type }) => variant_type !== 'active');
  Object.assign(variant, { variant_type: 'active', percentage: 100 });
  const { git_hash } = variant;
  const deployment = stack.deployments.findLast(({ row, phase }) => phase === 'done' && row.git_hash === git_hash);
  if (deployment) setLiveDeployment(stack, deployment.row);
}

function addRolloutVariant(stack: StackState, deployment: DeploymentRecord, rollout: RolloutSettings): void {
  const { id, git_hash, finished_at } = deployment;
  // Earlier rollouts without traffic are removed.
  stack.variants = stack.variants.filter((variant) => !isRolloutVariant(variant) || variant.percentage > 0);
  stack.variants.push({ id, uid: `va-${id}`, git_hash, created_at: finished_at ?? '', ...rollout });
  if (rollout.percentage === 100) setLiveDeployment(stack, deployment);
}

export const variantHandlers: HandlersOf<'variants'> = {
  list: (context, { stack_id }) => stackOf(context, stack_id).variants,
  update: (context, { stack_id, id, operation, canary_percentage }) => {
    const stack = stackOf(context, stack_id);
    const variant = variantOf(stack, id);
    const type = variant.variant_type;
    if (!isRolloutVariant(variant)) refuse(400, `variant "${id}" is ${type}, not a rollout variant`);
    if (operation === 'commit') {
      if (canary_percentage !== undefined) refuse(400, 'canary_percentage is not allowed with the operation commit');
      commitRollout(stack, variant);
      return { ok: true, message: `Variant ${id} committed` };
    }
    if (type !== 'canary') refuse(400, `variant "${id}" is not a canary: its share of traffic cannot be set`);
    variant.percentage = canary_percentage ?? refuse(400, 'canary_percentage is missing');
    return { ok: true, message: `Variant ${id} receives ${canary_percentage}% of the traffic` };
  },
  delete: (context, { stack_id, id }) => {
    const stack = stackOf(context, stack_id);
    const variant = variantOf(stack, id);
    if (variant.variant_type !== 'preview') refuse(400, `variant "${id}" is ${variant.variant_type}, not a preview`);
    stack.variants = stack.variants.filter((other) => other !== variant);
    return { ok: true, message: `Variant ${id} deleted` };
  },
};

function variantOf({ variants }: StackState, uid: string): VariantRecord {
  if (!/^[\w-]{1,64}$/.test(uid)) refuse(400, `"${uid}" is not a valid variant UID`);
  return variants.find((other) => other.uid === uid) ?? refuse(404, `variant "${uid}" not found`);
}
