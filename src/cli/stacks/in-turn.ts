import { isDeepStrictEqual } from 'node:util';
import { changeEach, kindForChange } from '../../builders/execute/change-each.ts';
import { combinePlans } from '../../builders/execute/combine-plans.ts';
import { execute, unexecutedOutcome } from '../../builders/execute/execute.ts';
import type { Context } from '../../contract/command.ts';
import type { CommandLine } from '../../contract/command-line.ts';
import type { Outcome, Plan, StackPlan } from '../../contract/plan.ts';
import { CliError, type ErrorDetails } from '../../errors/cli-error.ts';
import { showsData } from '../../output/view.ts';
import type { Run } from '../app.ts';
import type { TypedCommand } from '../arguments/options.ts';

/**
 * Executes the plans of several stacks one after another. Human-readable results are printed after each plan. The first
 * failure ends the run, unless --keep-going is given. The hint is a command that continues with the stacks left.
 */
export async function performInTurn(
  { app, view, line }: Run,
  context: Context,
  parts: readonly StackPlan[],
): Promise<Outcome> {
  const isShownAtOnce = !context.dryRun && !view.quiet && !view.asRows && !showsData(view);
  const endErrors = new Map<string, CliError | undefined>();
  const performNow = async (part: StackPlan): Promise<Outcome> => {
    const plan = part === parts[0] || context.dryRun ? part.plan : await planNow(part);
    return execute(context, combinePlans([{ ...part, plan }]));
  };
  const act = async (part: StackPlan): Promise<Outcome> => {
    const outcome = await performNow(part).catch((error: unknown) => {
      if (error instanceof CliError) endErrors.set(part.stack, error);
      throw error;
    });
    endErrors.set(part.stack, undefined);
    // Lines that could not be printed stay in the result, so the end of the run reports them.
    const isShown = isShownAtOnce && (await wasWritten(app.out.lines(outcome.lines)));
    return isShown ? { ...outcome, lines: [] } : outcome;
  };
  try {
    const outcomes = await changeEach<StackPlan, Outcome>(context, parts, {
      nameOf: ({ stack }) => stack,
      atOnce: 1,
      act,
      unfinishedRow: async (part, error, observed) =>
        (observed as Outcome | undefined) ?? unexecutedOutcome(context, combinePlans([part]), error),
    });
    return joinOutcomes(outcomes);
  } catch (error) {
    if (!(error instanceof CliError)) throw error;
    const outcomes = error.details.partial?.value as readonly Outcome[];
    const isLost = ['outcome_unknown', 'interrupted'].includes(error.kind);
    throw error.with({
      ...(!isLost && { exitCode: 1 }),
      ...(await hintForRest(line, parts, endErrors)),
      partial: { value: joinOutcomes(outcomes) },
    });
  }
}

function wasWritten(writing: Promise<void>): Promise<boolean> {
  return writing.then(
    () => true,
    () => false,
  );
}

async function planNow({ plan, again }: StackPlan): Promise<Plan> {
  const newPlan = (await again?.()) ?? plan;
  // The new plan is executed only if it has the same basis as the confirmed plan.
  const basisOf = ({ steps }: Plan) => steps.map(({ basis }) => basis);
  if (isDeepStrictEqual(basisOf(plan), basisOf(newPlan))) return newPlan;
  const names = newPlan.steps.map(({ name }) => name).join(', ');
  throw new CliError('rejected', `${names} changed meanwhile`, { nothing: 'sent' });
}

async function hintForRest(
  line: TypedCommand,
  parts: readonly StackPlan[],
  endErrors: ReadonlyMap<string, CliError | undefined>,
): Promise<Pick<ErrorDetails, 'hint'>> {
  const checks: CommandLine[] = [];
  const stacksLeft = parts.flatMap(({ stack, uid = stack }) => {
    const error = endErrors.get(stack);
    // A sent change with an unknown end must not be sent again. It is only checked.
    const check = error && checksFor(error);
    checks.push(...(check ?? []));
    return (error || !endErrors.has(stack)) && !check ? [uid] : [];
  });
  if (stacksLeft.length === 0) return {};
  // With a single stack the command does not wait by itself, so -w is added.
  const add = [...(stacksLeft.length === 1 ? ['-w'] : []), '-s', stacksLeft.join(',')];
  // Dropped, because `add` has -s and -w for the stacks left, and completeHint adds the flags of the service.
  const droppedFlags = ['--stack', '--wait', '--account', '--profile', '--base-url', '--sandbox'];
  const { correctCommand } = await import('../suggest/hint.ts');
  const restCommand = correctCommand(line, { replace: droppedFlags.map((word) => ({ word, by: [] })), add }, true);
  return { hint: [...checks, ...(restCommand ? [restCommand] : [])] };
}

function checksFor(error: CliError): readonly CommandLine[] | undefined {
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
