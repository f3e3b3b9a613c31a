import { isDeepStrictEqual } from 'node:util';
import type { Command, Context, Writes } from '../contract/command.ts';
import type { Outcome, Plan } from '../contract/plan.ts';
import { perform } from '../kinds/perform/perform.ts';
import { Problem } from '../problems/problem.ts';
import type { Consent } from './confirm.ts';
import { askingOf, type ContextParts, isProtected, protectedConsent } from './context.ts';

/** A command that writes, and what it is to write. */
export interface WriteExecution {
  readonly confirm: Command['confirm'];
  readonly plan: Writes['plan'];
  readonly context: Context;
  readonly input: Readonly<Record<string, unknown>>;
}

/**
 * Plans, asks, and acts. Where a person answered, it plans again: their answer was given for what they were shown, and
 * meanwhile somebody else may have changed it. With -y or --confirm one plan is enough.
 */
export async function runWrite(writing: WriteExecution, parts: ContextParts): Promise<Outcome> {
  const { context, input } = writing;
  const plan = await writing.plan(context, input);
  const consent = context.dryRun ? undefined : consentFor(plan, writing, parts);
  if (!consent) return perform(context, plan);
  const { consentTo, questionOf } = await import('./confirm.ts');
  const answered = await consentTo(consent, askingOf(parts));
  if (answered === undefined) return perform(context, plan);
  const now = await writing.plan(context, input);
  const asked = consentFor(now, writing, parts);
  const isSame = asked && (await questionOf(asked)) === answered && isDeepStrictEqual(basisOf(plan), basisOf(now));
  if (isSame) return perform(context, now);
  const names = now.steps.map(({ name }) => name).join(', ');
  throw new Problem('rejected', `${names} changed while the question was open; nothing was sent`);
}

/** What consent is for: which resources, and the values that are to change. */
function basisOf({ steps }: Plan): unknown {
  return steps.map(({ id, isIdle, basis }) => ({ id, isIdle, basis }));
}

/** Undefined where nobody is to be asked: nothing is to be sent, or the change is harmless. */
function consentFor(
  { steps, ask }: Plan,
  { confirm, input }: WriteExecution,
  parts: ContextParts,
): Consent | undefined {
  if (steps.every(({ isIdle }) => isIdle)) return undefined;
  const isGuarded = isProtected(parts.session);
  if (confirm && ask) return { level: isGuarded ? 'typed' : confirm.level, act: confirm.act, ...ask };
  return isGuarded ? protectedConsent(input, parts) : undefined;
}
