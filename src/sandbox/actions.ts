import { notBegunFields } from '../resources/action.ts';
import type { ActionOutcome, ActionResult, ActionStep, SandboxContext } from './context.ts';
import { callerEmail, isoStamp } from './seed/made-up.ts';
import type { ActionOwner, ActionRecord, ActionState, StackState, State } from './state.ts';

/** The name of an action of shape A (see `StackAction`), such as `stack-set: git.branch`, and the UID of its server. */
type NamedAction = { readonly action: string; readonly server?: string };

/** Returns the record of a new action of shape A for the server, or else for the stack. */
export function newNamedActionRecord(state: State, stack: StackState, { action, server }: NamedAction): ActionRecord {
  return {
    id: state.next.action++,
    user: callerEmail,
    resource_type: server === undefined ? 'stack' : 'server',
    action,
    resource_id: server ?? stack.row.uid,
    ...notBegunFields,
  };
}

interface ActionSteps {
  /** Makes the changes that are visible while the action runs. */
  begin?(): void;
  end(): ActionResult;
  /** Makes the changes of a failed action. If undefined, a failure changes nothing. */
  fail?(): void;
}

/** The steps of an action, or only its `end`, because most actions change nothing before they end. */
type StepsOrEnd = ActionSteps | ActionSteps['end'];

/** Adds an action of shape A that has started to the stack, and returns a copy of its record. */
export function addStartedAction(context: SandboxContext, stack: StackState, action: NamedAction): ActionRecord {
  const row = { ...newNamedActionRecord(context.state, stack, action), started_at: isoStamp(context.now) };
  return addAction(context, stack, row, 'started');
}

/** Begins an action of shape A and returns its record. If `context.step` is set, only runs that step of `steps`. */
export function beginNamedAction(context: SandboxContext, stack: StackState, action: NamedAction, steps: StepsOrEnd) {
  if (context.step) return runActionStep(context.step, steps);
  if (typeof steps !== 'function') steps.begin?.();
  return addStartedAction(context, stack, action);
}

type TypedAction = Pick<ActionRecord, 'action_type' | 'resource_type' | 'resource_id'>;

/** Queues an action of shape B (see `StackAction`); returns its record. With `context.step`, only runs that step. */
export function queueTypedAction(context: SandboxContext, owner: ActionOwner, action: TypedAction, steps: StepsOrEnd) {
  if (context.step) return runActionStep(context.step, steps);
  const at = isoStamp(context.now);
  const row: ActionRecord = {
    id: context.state.next.action++,
    status: 'queued',
    ...action,
    ...notBegunFields,
    created_at: at,
    updated_at: at,
  };
  return addAction(context, owner, row, 'queued');
}

type Phase = ActionState['phase'];

function addAction(context: SandboxContext, owner: ActionOwner, row: ActionRecord, phase: Phase): ActionRecord {
  const { now, effect, failActions } = context;
  owner.actions.push({ row, phase, queuedMs: now.getTime(), effect, fails: failActions });
  return structuredClone(row);
}

function runActionStep(step: ActionStep, stepsOrEnd: StepsOrEnd): ActionRecord {
  const steps: ActionSteps = typeof stepsOrEnd === 'function' ? { end: stepsOrEnd } : stepsOrEnd;
  if (step.phase === 'end') step.result = steps.end();
  else steps[step.phase]?.();
  return step.row;
}

export function startAction(action: ActionState, atMs: number): void {
  setPhase(action, 'started', atMs, { started_at: isoStamp(atMs) });
}

export function finishAction(action: ActionState, atMs: number, { success, message, ...ids }: ActionOutcome): void {
  const fields = { finished_at: isoStamp(atMs), finished_success: success, finished_message: message, ...ids };
  setPhase(action, 'finished', atMs, fields);
}

function setPhase(action: ActionState, phase: Phase, atMs: number, changedFields: Partial<ActionRecord>): void {
  action.phase = phase;
  // Only a record of shape B has `status` and `updated_at`.
  const typedActionFields = action.row.status !== undefined && { status: phase, updated_at: isoStamp(atMs) };
  Object.assign(action.row, changedFields, typedActionFields);
}
