import type { Change, Plan, Preview, Question, StackPlan } from '../../contract/plan.ts';

/** Combines plans of several stacks into one plan with one question. With `inTurn` the stacks run one after another. */
export function combinePlans(plans: readonly StackPlan[], inTurn = false): Plan {
  const questions = plans.flatMap(({ plan: { ask } }) => (ask ? [ask] : []));
  return {
    printsList: true,
    refuse: plans.every(({ plan }) => plan.refuse) ? plans[0]?.plan.refuse : undefined,
    steps: plans.flatMap(({ stack, plan }) =>
      plan.steps.map((step) => ({
        ...step,
        id: { ...(stack && { stack }), ...step.id },
        name: withStackPrefix(stack, step.name),
      })),
    ),
    ...(questions.length > 0 && {
      ask: { ...combineQuestions(questions), ...(inTurn && { details: () => questionTexts(questions) }) },
    }),
    ...(inTurn && { inTurn: plans }),
    preview: combinePreviews(plans),
    waits:
      plans.some(({ plan: { waits } }) => waits) || plans.find(({ plan: { waits } }) => waits === false)?.plan.waits,
    hold: plans.length === 1 ? plans[0]?.plan.hold : undefined,
    finish: async (changes, replies) => {
      const finishedChanges: Change[] = [];
      for (const { plan, stackChanges, start, end } of changesByStack(plans, changes)) {
        finishedChanges.push(...((await plan.finish?.(stackChanges, replies.slice(start, end))) ?? stackChanges));
      }
      return finishedChanges;
    },
    followUp: async (changes) => {
      const followUps: StackPlan[] = [];
      for (const { stack, plan, stackChanges } of changesByStack(plans, changes)) {
        const nextPlan = await plan.followUp?.(stackChanges);
        if (nextPlan) followUps.push({ stack, plan: nextPlan });
      }
      return followUps.length > 0 ? combinePlans(followUps) : undefined;
    },
    summarize: (changes) => {
      const summaries = changesByStack(plans, changes).map(({ stack, plan, stackChanges }) => ({
        stack,
        ...plan.summarize(stackChanges),
      }));
      return {
        lines: summaries.flatMap(({ stack, lines }) => lines.map((line) => withStackPrefix(stack, line))),
        unchanged: summaries.reduce((sum, { unchanged = 0 }) => sum + unchanged, 0),
        closing: longestClosing(summaries.map(({ closing }) => closing)),
        undo: summaries.flatMap(({ undo = [] }) => undo),
        undoByName: summaries.flatMap(({ undo = [], undoByName = undo }) => undoByName),
        undoHoldsSecret: summaries.some(({ undoHoldsSecret }) => undoHoldsSecret),
      };
    },
  };
}

function combineQuestions(questions: readonly Question[]): Question {
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

async function questionTexts(questions: readonly Question[]): Promise<readonly string[]> {
  const texts = questions.map(
    async (one) => `${await (one.text?.() ?? questionName(one))}: ${(await one.details()).join(', ')}`,
  );
  return [['one after another', ...(await Promise.all(texts))].join('; ')];
}

function combinePreviews(plans: readonly StackPlan[]): Preview | undefined {
  const previews = plans.flatMap(({ stack, plan: { preview } }) => (preview ? [{ stack, ...preview }] : []));
  if (previews.length === 0) return undefined;
  return {
    changes: previews.flatMap(({ stack, changes }) => changes.map((one) => ({ ...(stack && { stack }), ...one }))),
    lines: previews.flatMap(({ stack, lines }) => lines.map((line) => withStackPrefix(stack, line))),
    closing: longestClosing(previews.map(({ closing }) => closing)),
  };
}

function longestClosing(closings: readonly (readonly string[] | undefined)[]): readonly string[] {
  // The longest closing contains the lines of every other closing.
  const [longest = []] = closings.toSorted((one = [], other = []) => other.join().length - one.join().length);
  return longest;
}

function changesByStack(plans: readonly StackPlan[], changes: readonly Change[]) {
  let end = 0;
  return plans.map(({ stack, plan }) => {
    const start = end;
    end += plan.steps.length;
    return { stack, plan, start, end, stackChanges: changes.slice(start, end) };
  });
}

/** Returns the name with its stack: `shop: LOG_LEVEL`. For a single stack, which is '', it returns the bare name. */
export function withStackPrefix(stack: string, name: string): string {
  return stack === '' ? name : `${stack}: ${name}`;
}
