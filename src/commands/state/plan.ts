import { customCommand } from '../../builders/custom-command.ts';
import type { Context, FindStacks, Menu } from '../../contract/command.ts';
import { flag, oneOf, optional } from '../../contract/field.ts';
import { one } from '../../contract/reply.ts';
import { CliError } from '../../errors/cli-error.ts';
import { actions } from '../../resources/action.ts';
import { stacks } from '../../resources/stack.ts';
import type { SectionName } from '../../state/entry.ts';
import { faultOf, unmanagedItems } from './compare.ts';
import { type ComparedStack, compareFile } from './read.ts';
import {
  isWrite,
  type PlannedStack,
  PlanRow,
  plannedStack,
  presentPlan,
  rowOf,
  StatePlan,
  statePlan,
  unmanagedRow,
} from './rows.ts';
import { fileSections } from './sections/index.ts';
import { type FileInput, fileParams, ignoreFlag, openStackFile } from './stack-file.ts';

export const reads = [stacks.list, actions.list, ...fileSections.flatMap((section) => section.reads)];

export const takeFlag = optional(
  oneOf(['file', 'service'], 'Who wins where the service was changed.', { placeholder: 'side' }),
);
const exit_code = optional(flag('Exit with 10 if there is a difference.'));
const shown = {
  calls: reads,
  output: { kind: 'rows', reply: one(StatePlan), table: PlanRow },
  // It reads its file, and runs secret_command for references.
  moreEffects: ['reads_file', 'runs_program'],
  isRead: true,
  showsSeveral: true,
  positionals: ['file'],
} as const;
const unread = [7, 'a section could not be read'] as const;

export const planCommands: Menu = {
  plan: customCommand({
    about: 'Show the changes that make stacks as a file describes them.',
    params: { ...fileParams, ignore: ignoreFlag, take: takeFlag, exit_code },
    examples: ['stackops plan', 'stackops plan stackops.yaml -s blog/staging --only env --output md'],
    ...shown,
    exits: [[10, 'with --exit-code: a change is shown'], [6, 'the file asks for something impossible'], unread],
    run: async (context, input, findStacks) => {
      const { compared } = await compareStacks(context, input, findStacks);
      refuseFaults(compared);
      const plan = statePlan(compared.map((one) => plannedOf(context, one)));
      endRead(compared, plan, { ...input, isDifference: isWrite, noun: 'change' });
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
    ...shown,
    exits: [[10, 'with --exit-code: a row is shown'], unread],
    run: async (context, input, findStacks) => {
      const { compared, strict } = await compareStacks(context, input, findStacks);
      const plan = { ...statePlan(compared.map((one) => driftOf(context, one, strict))), requests: 0 };
      for (const line of driftLines(plan)) context.note(line);
      endRead(compared, plan, { ...input, isDifference: () => true, noun: 'difference' });
      return plan;
    },
    present: (plan) => presentPlan(plan, 'No drift.'),
  }),
};

async function compareStacks(
  context: Context,
  input: FileInput & { readonly take?: 'file' | 'service' },
  findStacks?: FindStacks,
): Promise<{ readonly compared: readonly ComparedStack[]; readonly strict: readonly SectionName[] }> {
  const opened = await openStackFile(context, input, findStacks);
  return { compared: await compareFile(context, opened, input), strict: opened.strict };
}

/** Throws rejected with everything that is impossible in any stack. */
export function refuseFaults(compared: readonly ComparedStack[]): void {
  const several = compared.length > 1;
  const lines = compared.flatMap((one) =>
    faultsOf(one).map((fault) => (several ? `${fault} (${one.stack.name})` : fault)),
  );
  if (lines.length === 0) return;
  const count = lines.length === 1 ? 'one entry is' : `${lines.length} entries are`;
  throw new CliError('rejected', `${count} impossible`, { nothing: 'sent', lines });
}

function faultsOf({ faults, differences }: ComparedStack): readonly string[] {
  return [
    ...faults,
    ...differences.flatMap(({ refusal, entry, path }) =>
      refusal === undefined ? [] : [faultOf({ ...entry, path }, refusal)],
    ),
  ];
}

export function plannedOf(context: Context, { stack, differences, unread }: ComparedStack): PlannedStack {
  return plannedStack(
    stack.name,
    differences.map((one) => rowOf(one, context)),
    unread.map(({ section }) => section.name),
  );
}

/** Differences that are no mere edit of the file. */
export const foreign: readonly (string | null)[] = ['drifted', 'both', 'unknown'];

function driftOf(
  context: Context,
  { stack, differences, unread, readings, faults }: ComparedStack,
  strict: readonly SectionName[],
): PlannedStack {
  for (const fault of faults) context.warn(fault);
  const drifted = differences.filter(({ why }) => foreign.includes(why)).map((one) => rowOf(one, context));
  const unmanaged = readings
    .filter(({ section }) => strict.includes(section.name))
    .flatMap(({ items, wanted }) => unmanagedItems(items, wanted));
  const rows = [...drifted, ...unmanaged.map((item) => unmanagedRow(item, context))];
  return plannedStack(
    stack.name,
    rows,
    unread.map(({ section }) => section.name),
  );
}

/** `shop/production: 2 drifted: env.LOG_LEVEL, settings.git.branch` */
function driftLines({ stacks }: StatePlan): readonly string[] {
  return stacks
    .filter(({ changes }) => changes.length > 0)
    .map(({ stack, changes }) => `${stack}: ${changes.length} drifted: ${changes.map(({ path }) => path).join(', ')}`);
}

interface Verdict {
  readonly exit_code?: boolean;
  readonly isDifference: (row: PlannedStack['changes'][number]) => boolean;
  readonly noun: string;
}

/** Throws unavailable for a section that was not read, and with --exit-code differs for a difference; both hold the plan. */
function endRead(
  compared: readonly ComparedStack[],
  plan: StatePlan,
  { exit_code, isDifference, noun }: Verdict,
): void {
  const unread = unreadError(compared);
  const partial = { value: plan };
  const count = plan.stacks.flatMap(({ changes }) => changes.filter(isDifference)).length;
  if (exit_code && count > 0) {
    const also = unread ? `; ${unread.why}` : '';
    throw new CliError('differs', `${count === 1 ? `one ${noun}` : `${count} ${noun}s`}${also}`, { partial });
  }
  if (unread) throw unread.with({ partial });
}

/** The error of the first section that could not be read. */
export function unreadError(compared: readonly ComparedStack[]): CliError | undefined {
  const [first, ...more] = compared.flatMap(({ stack, unread }) => unread.map((one) => ({ stack, ...one })));
  if (!first) return undefined;
  const names = new Set([first, ...more].map(({ section }) => section.name));
  const why = `not checked: ${[...names].join(', ')}`;
  return first.error.with({ stack: first.stack.name, why }, `${first.stack.name}: ${why}: ${first.error.message}`);
}
