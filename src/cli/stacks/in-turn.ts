import { isDeepStrictEqual } from 'node:util';
import { changeEach, kindForChange } from '../../builders/execute/change-each.ts';
import { combinePlans } from '../../builders/execute/combine-plans.ts';
import { execute, unexecutedOutcome } from '../../builders/execute/execute.ts';
import type { Context } from '../../contract/command.ts';
import type { CommandLine } from '../../contract/command-line.ts';
import type { Outcome, Plan, StackPlan } from '../../contract/plan.ts';
import { CliError } from '../../errors/cli-error.ts';
import { hasDataFormat } from '../../output/view.ts';
import type { Run } from '../app.ts';
import type { TypedCommand } from '../arguments/options.ts';

/** Prints each result after its plan. Without --keep-going the first failure ends the run; its hint names the rest. */
export async function executeInTurn(run: Run, context: Context, stackPlans: readonly StackPlan[]): Promise<Outcome> {
  const { app, view, line } = run;
  const isShownAtOnce = !context.dryRun && !view.quiet && !view.asRows && !hasDataFormat(view);
  const errorsByStack: ErrorsByStack = new Map();
  const changeItem = async (part: StackPlan): Promise<Outcome> => {
    try {
      const plan = part === stackPlans[0] || context.dryRun ? part.plan : await planAgain(part);
      const outcome = await execute(context, combinePlans([{ ...part, plan }]));
      errorsByStack.set(part.stack, undefined);
      // Lines that could not be printed stay in the result, so the end of the run reports them.
      const isShown = isShownAtOnce && (await wasWritten(app.out.lines(outcome.lines)));
      return isShown ? { ...outcome, lines: [] } : outcome;
    } catch (error) {
      if (error instanceof CliError) errorsByStack.set(part.stack, error);
      throw error;
    }
  };
  try {
    const outcomes = await changeEach<StackPlan, Outcome>(context, stackPlans, {
      nameOf: ({ stack }) => stack,
      atOnce: 1,
      changeItem,
      unfinishedRow: async (part, error, observed) =>
        (observed as Outcome | undefined) ?? unexecutedOutcome(context, combinePlans([part]), error),
    });
    return joinOutcomes(outcomes);
  } catch (error) {
    if (!(error instanceof CliError)) throw error;
    const outcomes = error.details.partial?.value as readonly Outcome[];
    const isOutcomeLost = ['outcome_unknown', 'interrupted'].includes(error.kind);
    throw error.with({
      ...(!isOutcomeLost && { exitCode: 1 }),
      ...(await hintForStacksLeft(line, stackPlans, errorsByStack)),
      partial: { value: joinOutcomes(outcomes) },
    });
  }
}

function wasWritten(writing: Promise<void>): Promise<boolean> {
  return writing.then(() => true).catch(() => false);
}

async function planAgain({ plan, replan }: StackPlan): Promise<Plan> {
  const newPlan = (await replan?.()) ?? plan;
  // The new plan is executed only if it has the same basis as the confirmed plan.
  const basisOf = ({ steps }: Plan) => steps.map(({ basis }) => basis);
  if (isDeepStrictEqual(basisOf(plan), basisOf(newPlan))) return newPlan;
  const names = newPlan.steps.map(({ name }) => name).join(', ');
  throw new CliError('rejected', `${names} changed meanwhile`, { nothing: 'sent' });
}

/** The stacks whose turn has come, each with the error that ended its changes; undefined without an error. */
type ErrorsByStack = Map<string, CliError | undefined>;

async function hintForStacksLeft(line: TypedCommand, stackPlans: readonly StackPlan[], errorsByStack: ErrorsByStack) {
  const checkCommands: CommandLine[] = [];
  const stacksLeft = stackPlans.flatMap(({ stack, uid = stack }) => {
    const error = errorsByStack.get(stack);
    // A sent change with an unknown end must not be sent again. It is only checked.
    const stackChecks = error && checkCommandsFor(error);
    checkCommands.push(...(stackChecks ?? []));
    return (error || !errorsByStack.has(stack)) && !stackChecks ? [uid] : [];
  });
  if (stacksLeft.length === 0) return {};
  // With a single stack the command does not wait by itself, so -w is added.
  const flagsToAdd = [...(stacksLeft.length === 1 ? ['-w'] : []), '-s', stacksLeft.join(',')];
  // These flags are dropped: `add` has the new -s and -w, and completeHint adds the flags of the service.
  const droppedFlags = ['--stack', '--wait', '--account', '--profile', '--base-url', '--sandbox'];
  const { correctCommand } = await import('../suggest/hint.ts');
  const replace = droppedFlags.map((word) => ({ word, by: [] }));
  const restCommand = correctCommand(line, { replace, add: flagsToAdd }, true);
  return { hint: [...checkCommands, ...(restCommand ? [restCommand] : [])] };
}

function checkCommandsFor(error: CliError): readonly CommandLine[] | undefined {
  if (!['pending', 'outcome_unknown'].includes(kindForChange(error))) return undefined;
  const { hint, check } = error.details;
  return check ? [check] : [hint ?? []].flat().filter((line) => typeof line !== 'string');
}

function joinOutcomes(outcomes: readonly Outcome[]): Outcome {
  return {
    data: outcomes.flatMap(({ data }) => data),
    lines: outcomes.flatMap(({ lines }) => lines),
    undo: outcomes.flatMap(({ undo = [] }) => undo),
    undoHoldsSecret: outcomes.some(({ undoHoldsSecret }) => undoHoldsSecret),
  };
}
