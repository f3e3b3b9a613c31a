import { isDeepStrictEqual } from 'node:util';
import { execute } from '../builders/execute/execute.ts';
import type { Context, WriteHandler } from '../contract/command.ts';
import type { Input } from '../contract/field.ts';
import type { Outcome, Plan, Preview, Step } from '../contract/plan.ts';
import { CliError } from '../errors/cli-error.ts';
import type { Run } from './app.ts';
import { approvePlan, hashOf, reportPlan } from './approval.ts';
import { confirmationFor } from './context.ts';

export async function runWrite(run: Run, handler: WriteHandler, context: Context, input: Input): Promise<Outcome> {
  const apply = async (edited?: unknown): Promise<Outcome> => {
    const makePlan = () => handler.plan(context, input, edited);
    const plan = await makePlan();
    await plan.refuse?.();
    if (run.app.call) await noteBasis(run, input, plan);
    if (plan.preview && run.line.options.dry_run && !run.line.options.curl) {
      await reportPlan(run, () => executePlan(run, context, plan));
      return previewOutcome(plan.preview);
    }
    if (context.dryRun) return executePlan(run, context, plan);
    const confirmedPlan = await confirmPlan(run, input, plan, makePlan);
    return executePlan(run, context, await obtainApproval(run, context, confirmedPlan, makePlan));
  };
  if (!handler.edit) return apply();
  const { assertEditorAllowed } = await import('./confirm.ts');
  assertEditorAllowed(run);
  return handler.edit(context, input, apply);
}

async function executePlan(run: Run, context: Context, plan: Plan): Promise<Outcome> {
  if (!plan.inTurn) return execute(context, plan);
  return (await import('./stacks/in-turn.ts')).executeInTurn(run, context, plan.inTurn);
}

function previewOutcome({ changes, lines, closing = [] }: Preview): Outcome {
  return { data: changes, lines: [...lines, ...closing] };
}

/** Stores a hash of the basis of the plan. For the tool `plan` of `stackops mcp`, notes the question or the changes. */
async function noteBasis(run: Run, input: Input, plan: Plan): Promise<void> {
  run.state.basisHash = hashOf(basisOf(plan));
  if (run.app.call?.tool !== 'plan') return;
  const { questionOf, stepTexts } = await import('./confirm.ts');
  const confirmation = confirmationForPlan(run, input, plan);
  const asksText = confirmation?.level === 'typed' ? 'asks a person to type a name' : 'asks';
  const changeTexts = plan.preview ? [] : stepTexts(plan.steps);
  for (const text of confirmation ? [`${asksText}: ${await questionOf(confirmation)}`] : changeTexts)
    run.say.note(text);
}

function confirmationForPlan(run: Run, input: Input, plan: Plan) {
  return plan.steps.every(({ isIdle }) => isIdle) ? undefined : confirmationFor(run, input, plan.ask, plan);
}

async function confirmPlan(run: Run, input: Input, plan: Plan, makePlan: () => Promise<Plan>): Promise<Plan> {
  const confirmation = confirmationForPlan(run, input, plan);
  if (!confirmation) return plan;
  const { confirm, questionOf } = await import('./confirm.ts');
  const answeredQuestion = await confirm(run, confirmation, plan.preview && previewOutcome(plan.preview).lines);
  // Nothing was asked, so the plan is still current.
  if (answeredQuestion === undefined) return plan;
  // The state may have changed while the question was open, so the plan is made again.
  const newPlan = await makePlan();
  if (newPlan.sendsRest && isRestOf(plan, newPlan)) return newPlan;
  const question = confirmationForPlan(run, input, newPlan);
  if (question && (await questionOf(question)) === answeredQuestion && isSamePlan(plan, newPlan)) return newPlan;
  throw changedMeanwhileError(newPlan, 'while the question was open');
}

async function obtainApproval(run: Run, context: Context, plan: Plan, makePlan: () => Promise<Plan>): Promise<Plan> {
  if (!(await approvePlan(run, () => executePlan(run, context, plan)))) return plan;
  // Only the approved plan may be sent. The approval took time, so the state is compared again.
  const newPlan = await makePlan();
  if (isSamePlan(plan, newPlan)) return plan;
  throw changedMeanwhileError(newPlan, 'before it was approved');
}

function isSamePlan(plan: Plan, newPlan: Plan): boolean {
  return isDeepStrictEqual(basisOf(plan), basisOf(newPlan));
}

function isRestOf({ steps }: Plan, newPlan: Plan): boolean {
  const wasPlanned = ({ id }: Step) => steps.some((step) => !step.isIdle && isDeepStrictEqual(step.id, id));
  return newPlan.steps.every((step) => step.isIdle || wasPlanned(step));
}

function basisOf({ steps }: Plan): readonly unknown[] {
  return steps.map(({ id, isIdle, basis }) => ({ id, isIdle, basis }));
}

function changedMeanwhileError({ steps }: Plan, when: string): CliError {
  const names = steps.map(({ name }) => name).join(', ');
  return new CliError('rejected', `${names} changed ${when}`, { nothing: 'sent', correction: {} });
}
