import type { Change, Plan, Preview, Question, StackPlan } from '../../contract/plan.ts';

/**
 * One plan of several stacks: one question, and records and lines that say of which stack they are. `inTurn`: they are
 * to be performed one after another.
 */
export function combinePlans(parts: readonly StackPlan[], inTurn = false): Plan {
  const asked = parts.flatMap(({ plan: { ask } }) => (ask ? [ask] : []));
  return {
    isList: true,
    absent: parts.every(({ plan }) => plan.absent) ? parts[0]?.plan.absent : undefined,
    steps: parts.flatMap(({ stack, plan }) =>
      plan.steps.map((step) => ({ ...step, id: { ...idOf(stack), ...step.id }, name: underStack(stack, step.name) })),
    ),
    ...(asked.length > 0 && { ask: { ...oneQuestion(asked), ...(inTurn && { details: () => factsOfEach(asked) }) } }),
    ...(inTurn && { inTurn: parts }),
    preview: onePreview(parts),
    waits: parts.some(({ plan: { waits } }) => waits) || undefined,
    finish: async (changes, replies) => {
      const finished: Change[] = [];
      for (const { plan, own, from } of slices(parts, changes)) {
        finished.push(...((await plan.finish?.(own, replies.slice(from, from + own.length))) ?? own));
      }
      return finished;
    },
    followUp: async (changes) => {
      const following: StackPlan[] = [];
      for (const { stack, plan, own } of slices(parts, changes)) {
        const next = await plan.followUp?.(own);
        if (next) following.push({ stack, plan: next });
      }
      return following.length > 0 ? combinePlans(following) : undefined;
    },
    summarize: (changes) => {
      const said = slices(parts, changes).map(({ stack, plan, own }) => ({ stack, ...plan.summarize(own) }));
      return {
        lines: said.flatMap(({ stack, lines }) => lines.map((line) => underStack(stack, line))),
        unchanged: said.reduce((sum, { unchanged = 0 }) => sum + unchanged, 0),
        closing: fullest(said.map(({ closing }) => closing)),
        undo: said.flatMap(({ undo = [] }) => undo),
        undoHoldsSecret: said.some(({ undoHoldsSecret }) => undoHoldsSecret),
      };
    },
  };
}

function oneQuestion(asked: readonly Question[]): Question {
  const warnings = new Set(asked.flatMap(({ warning }) => warning ?? []));
  return {
    level: asked.some(({ level }) => level === 'typed') ? 'typed' : undefined,
    name: async () => [...new Set(await Promise.all(asked.map(questionName)))].join(', '),
    details: async () => (await Promise.all(asked.map(({ details }) => details()))).flat(),
    ...(warnings.size > 0 && { warning: [...warnings].join(' ') }),
  };
}

function questionName({ name }: Question): string | Promise<string> {
  return typeof name === 'string' ? name : name();
}

async function factsOfEach(asked: readonly Question[]): Promise<readonly string[]> {
  const each = asked.map(
    async (one) => `${await (one.text?.() ?? questionName(one))}: ${(await one.details()).join(', ')}`,
  );
  return [['one after another', ...(await Promise.all(each))].join('; ')];
}

function onePreview(parts: readonly StackPlan[]): Preview | undefined {
  const all = parts.flatMap(({ stack, plan: { preview } }) => (preview ? [{ stack, ...preview }] : []));
  // Then the plans are shown by their requests.
  if (all.length === 0) return undefined;
  return {
    changes: all.flatMap(({ stack, changes }) => changes.map((change) => ({ ...idOf(stack), ...change }))),
    lines: all.flatMap(({ stack, lines }) => lines.map((line) => underStack(stack, line))),
    closing: fullest(all.map(({ closing }) => closing)),
  };
}

function fullest(closings: readonly (readonly string[] | undefined)[]): readonly string[] {
  // Once for all stacks: where most is said, the rest is said, too.
  return closings.reduce<readonly string[]>(
    (most, one = []) => (one.join().length > most.join().length ? one : most),
    [],
  );
}

function slices(parts: readonly StackPlan[], changes: readonly Change[]) {
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

/** With the stack in front, where it has to be said. */
export function underStack(stack: string, name: string): string {
  return stack === '' ? name : `${stack}: ${name}`;
}
