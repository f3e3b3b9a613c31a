import type { Change, Plan, Preview, Question, StackPlan } from '../../contract/plan.ts';

/** Combines plans of several stacks into one with one question. `inTurn`: the stacks run one after another. */
export function combinePlans(parts: readonly StackPlan[], inTurn = false): Plan {
  const questions = parts.flatMap(({ plan: { ask } }) => (ask ? [ask] : []));
  return {
    isList: true,
    absent: parts.every(({ plan }) => plan.absent) ? parts[0]?.plan.absent : undefined,
    steps: parts.flatMap(({ stack, plan }) =>
      plan.steps.map((step) => ({ ...step, id: { ...idOf(stack), ...step.id }, name: underStack(stack, step.name) })),
    ),
    ...(questions.length > 0 && {
      ask: { ...oneQuestion(questions), ...(inTurn && { details: () => factsOfEach(questions) }) },
    }),
    ...(inTurn && { inTurn: parts }),
    preview: onePreview(parts),
    waits:
      parts.some(({ plan: { waits } }) => waits) || parts.find(({ plan: { waits } }) => waits === false)?.plan.waits,
    hold: parts.length === 1 ? parts[0]?.plan.hold : undefined,
    finish: async (changes, replies) => {
      const finished: Change[] = [];
      for (const { plan, own, from } of changesByStack(parts, changes)) {
        finished.push(...((await plan.finish?.(own, replies.slice(from, from + own.length))) ?? own));
      }
      return finished;
    },
    followUp: async (changes) => {
      const following: StackPlan[] = [];
      for (const { stack, plan, own } of changesByStack(parts, changes)) {
        const next = await plan.followUp?.(own);
        if (next) following.push({ stack, plan: next });
      }
      return following.length > 0 ? combinePlans(following) : undefined;
    },
    summarize: (changes) => {
      const summaries = changesByStack(parts, changes).map(({ stack, plan, own }) => ({
        stack,
        ...plan.summarize(own),
      }));
      return {
        lines: summaries.flatMap(({ stack, lines }) => lines.map((line) => underStack(stack, line))),
        unchanged: summaries.reduce((sum, { unchanged = 0 }) => sum + unchanged, 0),
        closing: longestClosing(summaries.map(({ closing }) => closing)),
        undo: summaries.flatMap(({ undo = [] }) => undo),
        undoByName: summaries.flatMap(({ undo = [], undoByName = undo }) => undoByName),
        undoHoldsSecret: summaries.some(({ undoHoldsSecret }) => undoHoldsSecret),
      };
    },
  };
}

function oneQuestion(questions: readonly Question[]): Question {
  const warnings = new Set(questions.flatMap(({ warning }) => warning ?? []));
  return {
    level: questions.some(({ level }) => level === 'typed') ? 'typed' : undefined,
    name: async () => [...new Set(await Promise.all(questions.map(questionName)))].join(', '),
    details: async () => (await Promise.all(questions.map(({ details }) => details()))).flat(),
    ...(warnings.size > 0 && { warning: [...warnings].join(' ') }),
  };
}

function questionName({ name }: Question): string | Promise<string> {
  return typeof name === 'string' ? name : name();
}

async function factsOfEach(questions: readonly Question[]): Promise<readonly string[]> {
  const each = questions.map(
    async (one) => `${await (one.text?.() ?? questionName(one))}: ${(await one.details()).join(', ')}`,
  );
  return [['one after another', ...(await Promise.all(each))].join('; ')];
}

function onePreview(parts: readonly StackPlan[]): Preview | undefined {
  const all = parts.flatMap(({ stack, plan: { preview } }) => (preview ? [{ stack, ...preview }] : []));
  if (all.length === 0) return undefined;
  return {
    changes: all.flatMap(({ stack, changes }) => changes.map((change) => ({ ...idOf(stack), ...change }))),
    lines: all.flatMap(({ stack, lines }) => lines.map((line) => underStack(stack, line))),
    closing: longestClosing(all.map(({ closing }) => closing)),
  };
}

function longestClosing(closings: readonly (readonly string[] | undefined)[]): readonly string[] {
  // The longest includes the others.
  return closings.reduce<readonly string[]>(
    (most, one = []) => (one.join().length > most.join().length ? one : most),
    [],
  );
}

function changesByStack(parts: readonly StackPlan[], changes: readonly Change[]) {
  let at = 0;
  return parts.map(({ stack, plan }) => {
    const from = at;
    at += plan.steps.length;
    return { stack, plan, from, own: changes.slice(from, at) };
  });
}

function idOf(stack: string): { readonly stack?: string } {
  return stack === '' ? {} : { stack };
}

/** `shop: LOG_LEVEL`; the bare name for a single stack. */
export function underStack(stack: string, name: string): string {
  return stack === '' ? name : `${stack}: ${name}`;
}
