import { isDeepStrictEqual } from 'node:util';
import type { Context, Writes } from '../contract/command.ts';
import type { Input } from '../contract/field.ts';
import type { Outcome, Plan, Preview } from '../contract/plan.ts';
import { perform } from '../kinds/perform/perform.ts';
import { Problem } from '../problems/problem.ts';
import { approvePlan } from './approval.ts';
import type { Confirmation } from './confirm.ts';
import { isProtected } from './context.ts';
import type { Run } from './world.ts';

/** Plans, asks, and acts. */
export async function runWrite(run: Run, does: Writes, context: Context, input: Input): Promise<Outcome> {
  const apply = async (edited?: unknown): Promise<Outcome> => {
    const makePlan = () => does.plan(context, input, edited);
    const plan = await makePlan();
    await plan.absent?.();
    const { dryRun, curl } = run.line.options;
    if (plan.preview && dryRun && !curl) return previewed(plan.preview);
    if (context.dryRun) return performed(context, plan);
    return performed(context, await approved(run, context, await confirmed(run, input, plan, makePlan), makePlan));
  };
  if (!does.edit) return apply();
  const { refuseEditor } = await import('./confirm.ts');
  refuseEditor(run);
  return does.edit(context, input, apply);
}

async function performed(context: Context, plan: Plan): Promise<Outcome> {
  if (!plan.inTurn) return perform(context, plan);
  return (await import('./stacks/in-turn.ts')).performInTurn(context, plan.inTurn);
}

function previewed({ changes, lines, closing = [] }: Preview): Outcome {
  return { data: changes, lines: [...lines, ...closing] };
}

/**
 * The plan once it may be performed. Where a person answered, it is made again: their answer was given for what they were
 * shown, and meanwhile somebody else may have changed it. With -y or --confirm one plan is enough.
 */
async function confirmed(run: Run, input: Input, plan: Plan, makePlan: () => Promise<Plan>): Promise<Plan> {
  const change = await confirmationFor(run, input, plan);
  if (!change) return plan;
  const { confirm, questionOf } = await import('./confirm.ts');
  const answered = await confirm(run, change, plan.preview && previewed(plan.preview).lines);
  if (answered === undefined) return plan;
  const now = await makePlan();
  const asked = await confirmationFor(run, input, now);
  const isSame = asked && (await questionOf(asked)) === answered && isDeepStrictEqual(basisOf(plan), basisOf(now));
  if (isSame) return now;
  throw changedMeanwhile(now, 'while the question was open');
}

/** The plan once others approved it, where the profile asks for that: what they saw is what is sent. */
async function approved(run: Run, context: Context, plan: Plan, makePlan: () => Promise<Plan>): Promise<Plan> {
  const isAsked = await approvePlan(run, () => performed(context, plan));
  if (!isAsked) return plan;
  const now = await makePlan();
  if (isDeepStrictEqual(basisOf(plan), basisOf(now))) return plan;
  throw changedMeanwhile(now, 'before it was approved');
}

function changedMeanwhile({ steps }: Plan, when: string): Problem {
  const names = steps.map(({ name }) => name).join(', ');
  return new Problem('rejected', `${names} changed ${when}; nothing was sent`);
}

/** What is confirmed: which resources, and the values that are to change. */
function basisOf({ steps }: Plan): unknown {
  return steps.map(({ id, isIdle, basis }) => ({ id, isIdle, basis }));
}

/** Undefined where nobody is to be asked: nothing is to be sent, or the change is harmless. */
async function confirmationFor(run: Run, input: Input, { steps, ask }: Plan): Promise<Confirmation | undefined> {
  if (steps.every(({ isIdle }) => isIdle)) return undefined;
  const { confirm } = run.line.command;
  const isGuarded = isProtected(run);
  if (!confirm || !ask) {
    return isGuarded ? (await import('./confirm.ts')).protectedConfirmation(run, input) : undefined;
  }
  const change = { act: confirm.act, ...ask };
  if (isGuarded) return { ...change, level: 'typed', because: 'protected profile' };
  return { ...change, level: ask.level ?? confirm.level };
}
