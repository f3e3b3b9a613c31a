import { customCommand } from '../../builders/custom-command.ts';
import type { Context, FindStacks, Menu } from '../../contract/command.ts';
import { flag, oneOf, optional, text } from '../../contract/field.ts';
import { one } from '../../contract/reply.ts';
import { CliError } from '../../errors/cli-error.ts';
import { actions } from '../../resources/action.ts';
import { stacks } from '../../resources/stack.ts';
import { savePlan } from './plan-file.ts';
import { type ComparedStack, compareFile } from './read.ts';
import { mayBeDrifted, refuseFaults, unreadError, unresolvedDifferences } from './refusals.ts';
import {
  differenceRow,
  isWrite,
  type PlannedStack,
  PlanRow,
  plannedStack,
  presentPlan,
  StatePlan,
  statePlan,
  unmanagedRow,
} from './rows.ts';
import { fileSections } from './sections/index.ts';
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
      if (input.out !== undefined) await savePlan(context, input.out, { compared, openFile, input });
      const plan = statePlan(compared.map((one) => plannedStackOf(context, one)));
      throwForExitCode(compared, plan, { ...input, isDifference: isWrite, noun: 'change' });
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
      const plan = { ...statePlan(compared.map((one) => driftedStackOf(context, one, openFile))), requests: 0 };
      for (const line of [...driftLines(plan), ...unresolvedLines(compared)]) context.note(line);
      throwForExitCode(compared, plan, { ...input, isDifference: () => true, noun: 'difference' });
      return plan;
    },
    present: (plan) => presentPlan(plan, 'No drift.'),
  }),
};

async function openAndCompare(context: Context, input: FileInput, findStacks?: FindStacks) {
  const openFile = await openStackFile(context, input, findStacks);
  return { openFile, compared: await compareFile(context, openFile, input) };
}

export function plannedStackOf(context: Context, comparedStack: ComparedStack): PlannedStack {
  const rows = comparedStack.differences.map((one) => differenceRow(one, context));
  return plannedStack(comparedStack, rows);
}

function driftedStackOf(context: Context, comparedStack: ComparedStack, { strict }: OpenFile): PlannedStack {
  const { differences, sections, faults } = comparedStack;
  for (const fault of faults) context.warn(fault);
  const driftedRows = differences.filter(mayBeDrifted).map((one) => differenceRow(one, context));
  const unmanagedRows = sections
    .filter(({ section }) => strict.includes(section.name))
    .flatMap(({ unnamedItems }) => unnamedItems.filter((one) => !one.unmanagedReason && !one.isGenerated))
    .map((one) => unmanagedRow(one, context));
  return plannedStack(comparedStack, [...driftedRows, ...unmanagedRows]);
}

/** Returns lines such as `shop/production: 2 drifted: env.LOG_LEVEL, settings.git.branch`. */
function driftLines({ stacks }: StatePlan): readonly string[] {
  return stacks
    .filter(({ changes }) => changes.length > 0)
    .map(({ stack, changes }) => `${stack}: ${changes.length} drifted: ${changes.map(({ path }) => path).join(', ')}`);
}

function unresolvedLines(comparedStacks: readonly ComparedStack[]): readonly string[] {
  const paths = new Set(unresolvedDifferences(comparedStacks).map(({ path }) => path));
  return paths.size === 0 ? [] : [`not resolved here: ${[...paths].join(', ')}`];
}

interface ExitCodeOptions {
  readonly exit_code?: boolean;
  readonly isDifference: (row: PlannedStack['changes'][number]) => boolean;
  readonly noun: string;
}

/** Throws `differs` for a difference if `--exit-code` is set, otherwise `unavailable` if a section was not read. */
function throwForExitCode(comparedStacks: readonly ComparedStack[], plan: StatePlan, options: ExitCodeOptions): void {
  const { exit_code, isDifference, noun } = options;
  const error = unreadError(comparedStacks);
  const partial = { value: plan };
  const count = plan.stacks.flatMap(({ changes }) => changes.filter(isDifference)).length;
  if (exit_code && count > 0) {
    const unreadSuffix = error ? `; ${error.why}` : '';
    throw new CliError('differs', `${count === 1 ? `one ${noun}` : `${count} ${noun}s`}${unreadSuffix}`, { partial });
  }
  if (error) throw error.with({ partial });
}
