import { customCommand } from '../../builders/custom-command.ts';
import type { Context, FindStacks, Menu } from '../../contract/command.ts';
import { flag, oneOf, optional, text } from '../../contract/field.ts';
import { one } from '../../contract/reply.ts';
import { CliError } from '../../errors/cli-error.ts';
import { actions } from '../../resources/action.ts';
import { stacks } from '../../resources/stack.ts';
import { type ComparedStack, compareFile, fileSections } from './compare-file.ts';
import { savePlan } from './plan-file.ts';
import { mayBeDrifted, refuseFaults, unreadError, unresolvedDifferences } from './refusals.ts';
import { PlanRow, presentPlan, StatePlan, statePlan } from './rows.ts';
import { type FileInput, fileParams, ignoreFlag, type OpenFile, openStackFile } from './stack-file.ts';

export const sectionReads = [stacks.list, actions.list, ...fileSections.flatMap((section) => section.reads)];

export const takeFlag = optional(oneOf(['file', 'service'], 'Who wins a conflict.', { placeholder: 'side' }));
const outFlag = optional(
  text('Save the plan for apply; it holds no values.', {
    nameKind: 'file',
    placeholder: 'plan',
    effects: ['writes_file'],
  }),
);
const exit_code = optional(flag('Exit with 10 if there is a difference.'));
const planDeclaration = {
  calls: sectionReads,
  output: { kind: 'rows', reply: one(StatePlan), table: PlanRow },
  // The command reads the stack file, and runs secret_command for references.
  moreEffects: ['reads_file', 'runs_program'],
  isRead: true,
  showsSeveral: true,
  positionals: ['file'],
} as const;

export const planCommands: Menu = {
  plan: customCommand({
    about: 'Show the changes that make stacks as a file describes them.',
    params: { ...fileParams, ignore: ignoreFlag, take: takeFlag, out: outFlag, exit_code },
    examples: ['stackops plan stackops.yaml -s blog/staging --only env --output md'],
    ...planDeclaration,
    exits: [
      [10, 'with --exit-code: a change is shown'],
      [6, 'the file asks for something impossible'],
    ],
    run: async (context, input, findStacks) => {
      const { compared, openFile } = await openAndCompare(context, input, findStacks);
      refuseFaults(compared);
      const plan = statePlan(compared, context);
      if (input.out !== undefined) await savePlan(context, input.out, { compared, openFile, input, plan });
      throwForExitCode(compared, plan, input.exit_code ? plan.requests : 0, 'change');
      return plan;
    },
    present: (plan) => presentPlan(plan, 'Nothing to change.'),
  }),
};

export const driftCommands: Menu = {
  drift: customCommand({
    about: 'Show the changes that nobody made in the file.',
    params: { ...fileParams, ignore: ignoreFlag, exit_code },
    examples: ['stackops drift', 'stackops drift stackops.yaml -s shop/production --only env,settings'],
    ...planDeclaration,
    exits: [
      [10, 'with --exit-code: a row is shown'],
      [7, 'a section could not be read'],
    ],
    run: async (context, input, findStacks) => {
      const { compared, openFile } = await openAndCompare(context, input, findStacks);
      for (const fault of compared.flatMap(({ faults }) => faults)) context.warn(fault);
      const drifted = compared.map((one) => ({ ...one, differences: driftedItems(one, openFile) }));
      const plan = { ...statePlan(drifted, context), requests: 0 };
      for (const { stack, changes } of plan.stacks) {
        const paths = changes.map(({ path }) => path);
        if (paths.length > 0) context.note(`${stack}: ${paths.length} drifted: ${paths.join(', ')}`);
      }
      const unresolvedPaths = new Set(unresolvedDifferences(compared).map(({ path }) => path));
      if (unresolvedPaths.size > 0) context.note(`not resolved here: ${[...unresolvedPaths].join(', ')}`);
      const count = plan.stacks.flatMap(({ changes }) => changes).length;
      throwForExitCode(compared, plan, input.exit_code ? count : 0, 'difference');
      return plan;
    },
    present: (plan) => presentPlan(plan, 'No drift.'),
  }),
};

async function openAndCompare(context: Context, input: FileInput, findStacks?: FindStacks) {
  const openFile = await openStackFile(context, input, findStacks);
  return { openFile, compared: await compareFile(context, openFile, input) };
}

/** Returns the differences that may be drift, and in `strict` sections the items that no entry names. */
function driftedItems({ differences, unnamedItems }: ComparedStack, { strict }: OpenFile) {
  const strictItems = unnamedItems.filter(({ section }) => strict.includes(section.name));
  const unmanagedItems = strictItems.filter(({ item }) => !item.unmanagedReason && !item.isGenerated);
  return [...differences.filter(mayBeDrifted), ...unmanagedItems];
}

/** Throws `differs` for a count above 0, otherwise `unavailable` if a section was not read. */
function throwForExitCode(compared: readonly ComparedStack[], plan: StatePlan, count: number, noun: string): void {
  const readError = unreadError(compared);
  const partial = { value: plan };
  if (count > 0) {
    const unreadSuffix = readError ? `; ${readError.why}` : '';
    throw new CliError('differs', `${count === 1 ? `one ${noun}` : `${count} ${noun}s`}${unreadSuffix}`, { partial });
  }
  if (readError) throw readError.with({ partial });
}
