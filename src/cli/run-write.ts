import { isDeepStrictEqual } from 'node:util';
import type { Command, Context, Writes } from '../contract/command.ts';
import type { Outcome, Plan, Preview } from '../contract/plan.ts';
import { perform } from '../kinds/perform/perform.ts';
import { Problem } from '../problems/problem.ts';
import type { Confirmation, Prompting } from './confirm.ts';
import { type ContextParts, isProtected, promptingOf, protectedConfirmation } from './context.ts';

/** A command that writes, and what it is to write. */
export interface WriteExecution {
  readonly confirm: Command['confirm'];
  readonly does: Writes;
  readonly context: Context;
  readonly input: Readonly<Record<string, unknown>>;
}

/**
 * Plans, asks, and acts. Where a person answered, it plans again: their answer was given for what they were shown, and
 * meanwhile somebody else may have changed it. With -y or --confirm one plan is enough.
 */
export async function runWrite(writing: WriteExecution, parts: ContextParts): Promise<Outcome> {
  const { does, context, input } = writing;
  if (!does.edit) return apply(writing, parts);
  refuseEditor(parts);
  return does.edit(context, input, (edited) => apply(writing, parts, edited));
}

async function apply(writing: WriteExecution, parts: ContextParts, edited?: unknown): Promise<Outcome> {
  const { does, context, input } = writing;
  const plan = await does.plan(context, input, edited);
  if (plan.preview && parts.options.dryRun && !parts.options.curl) return previewed(plan.preview);
  const change = context.dryRun ? undefined : confirmationFor(plan, writing, parts);
  if (!change) return perform(context, plan);
  const { confirm, questionOf } = await import('./confirm.ts');
  const answered = await confirm(change, promptingWith(plan.preview, parts));
  if (answered === undefined) return perform(context, plan);
  const now = await does.plan(context, input, edited);
  const asked = confirmationFor(now, writing, parts);
  const isSame = asked && (await questionOf(asked)) === answered && isDeepStrictEqual(basisOf(plan), basisOf(now));
  if (isSame) return perform(context, now);
  const names = now.steps.map(({ name }) => name).join(', ');
  throw new Problem('rejected', `${names} changed while the question was open; nothing was sent`);
}

/** A job gets an editor only with -y. */
function refuseEditor(parts: ContextParts): void {
  const { label, ask, whyNoPrompt, options } = promptingOf(parts);
  if (ask || options.yes) return;
  const message = `"${label}" needs -y to open an editor (${whyNoPrompt}); nothing was changed`;
  throw new Problem('usage', message, { retry: { with: ['-y'] } });
}

function previewed({ changes, lines, closing = [] }: Preview): Outcome {
  return { data: changes, lines: [...lines, ...closing] };
}

/** Where a question is asked, the plan is shown above it. */
function promptingWith(preview: Preview | undefined, parts: ContextParts): Prompting {
  const { ask, ...prompting } = promptingOf(parts);
  const showAndAsk = async (question: string) => {
    if (preview) await parts.world.err.lines(previewed(preview).lines);
    return ask?.(question);
  };
  return { ...prompting, ask: ask && showAndAsk };
}

/** What is confirmed: which resources, and the values that are to change. */
function basisOf({ steps }: Plan): unknown {
  return steps.map(({ id, isIdle, basis }) => ({ id, isIdle, basis }));
}

/** Undefined where nobody is to be asked: nothing is to be sent, or the change is harmless. */
function confirmationFor(
  { steps, ask }: Plan,
  { confirm, input }: WriteExecution,
  parts: ContextParts,
): Confirmation | undefined {
  if (steps.every(({ isIdle }) => isIdle)) return undefined;
  const isGuarded = isProtected(parts.session);
  if (!confirm || !ask) return isGuarded ? protectedConfirmation(input, parts) : undefined;
  const change = { act: confirm.act, ...ask };
  if (isGuarded) return { ...change, level: 'typed', because: 'protected profile' };
  return { ...change, level: ask.level ?? confirm.level };
}
