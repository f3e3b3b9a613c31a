import { combinePlans } from '../../builders/execute/combine-plans.ts';
import { changeRecord } from '../../builders/execute/summary.ts';
import { write } from '../../builders/write.ts';
import type { Context, Menu } from '../../contract/command.ts';
import { flag, integer, oneOf, optional, text } from '../../contract/field.ts';
import type { Plan, Preview, StackPlan } from '../../contract/plan.ts';
import { CliError, expectCliError } from '../../errors/cli-error.ts';
import { maxFileBytes } from '../../files/named-file.ts';
import { applyStrategyParam } from '../../resources/env.ts';
import { actionCountTexts } from '../env/change-set.ts';
import { redeployCalls } from '../env/plan.ts';
import { checkLockFile, stackHold } from './lock-file.ts';
import { plannedStackOf, sectionReads, takeFlag } from './plan.ts';
import { isPlanText, readSavedPlan, type SavedPlan, withRemainingDifferences } from './plan-file.ts';
import { type ComparedStack, compareFile } from './read.ts';
import { refuseDrift, refuseFaults, refuseUnresolved, unreadError } from './refusals.ts';
import { isWrite, planLines, statePlan } from './rows.ts';
import { fileSections } from './sections/index.ts';
import { type FileInput, fileParams, filePaths, type OpenFile, openStackFile } from './stack-file.ts';
import { planStack, type StepOptions } from './steps.ts';

interface ApplyInput extends FileInput, StepOptions {
  readonly if_busy?: 'wait' | 'fail';
  readonly max_age?: number;
}

export const applyCommands: Menu = {
  apply: write({
    about: 'Make stacks as a file describes them.',
    params: {
      ...fileParams,
      take: takeFlag,
      if_busy: optional(oneOf(['wait', 'fail'], 'While another change runs.', { placeholder: 'action' })),
      max_age: optional(
        integer('Oldest plan of plan --out to apply (default 24h).', {
          unit: 'seconds',
          bareUnit: 'h',
          placeholder: 'age',
        }),
      ),
      apply_strategy: applyStrategyParam,
      redeploy: optional(flag('Redeploy once, after all changes succeeded.')),
    },
    positionals: ['file'],
    examples: ['stackops apply --take file -n', 'stackops apply stackops.yaml -s blog/staging --take file -y'],
    calls: [...sectionReads, ...redeployCalls, ...fileSections.flatMap(({ writes }) => writes)],
    record: {
      ...changeRecord(
        { stack: text('The stack, as the file spells it.'), path: text('Its path, such as env.KEY.') },
        { before: text('Its value; `***` for a secret.') },
      ),
      // The values of the records are masked already, so the output masks none.
      isSecret: () => false,
    },
    printsList: true,
    confirm: { level: 'yes', act: 'Apply', when: 'every time; where it deletes, by the name of the stack' },
    wait: 'always',
    severalStacks: true,
    showsSeveral: true,
    moreEffects: ['reads_file', 'writes_file', 'runs_program'],
    exits: [[6, 'impossible, busy, changed meanwhile, or --take is missing']],
    plan: async (context, input, _, findStacks) => {
      const { file } = filePaths(input);
      const text = await context.readText(file, maxFileBytes).catch(expectCliError);
      if (!(text instanceof CliError) && isPlanText(text)) return planFromSavedPlan(context, file, text, input);
      if (input.max_age !== undefined) throw new CliError('usage', `--max-age is for a saved plan, not for ${file}`);
      return planFromFile(context, await openStackFile(context, input, findStacks), input);
    },
  }),
};

async function planFromSavedPlan(context: Context, path: string, text: string, input: ApplyInput): Promise<Plan> {
  const { take, only, max_age = 86_400 } = input;
  if (take !== undefined || only !== undefined || context.host.settings.get('stack').origin.kind === 'flag') {
    throw new CliError('usage', `${path} is a plan: leave out -s, --only and --take`, { nothing: 'sent' });
  }
  const { savedPlan, planInput } = await readSavedPlan(context, path, text, max_age);
  const savedInput = { ...input, ...planInput };
  const openFile = await openStackFile(context, savedInput);
  const stacks = openFile.stacks.filter(({ name }) => name in savedPlan.stacks);
  return planFromFile(context, { ...openFile, stacks }, savedInput, savedPlan);
}

async function planFromFile(
  context: Context,
  openFile: OpenFile,
  input: ApplyInput,
  savedPlan?: SavedPlan,
): Promise<Plan> {
  await checkLockFile(context, openFile.file, openFile.lockFile);
  const compare = async (stacks = openFile.stacks) => {
    const comparedStacks = await compareFile(context, { ...openFile, stacks }, input);
    return savedPlan ? withRemainingDifferences(savedPlan, comparedStacks) : comparedStacks;
  };
  const compared = await compareWhenFree(context, compare, input);
  refuseFaults(compared);
  const readError = unreadError(compared);
  if (readError) throw readError.with({ nothing: 'sent' });
  refuseUnresolved(compared);
  if (!savedPlan && input.take === undefined) refuseDrift(compared);
  const changedStacks = compared.filter(({ differences }) => differences.some(isWrite));
  const stackPlans = changedStacks.map((one): StackPlan => {
    const planOf = (comparedStack: ComparedStack) => planStack(context, comparedStack, openFile.lockFile, input);
    return {
      stack: one.stack.name,
      plan: planOf(one),
      replan: async () => planOf((await compare([one.stack]))[0] ?? one),
    };
  });
  const preview = previewOf(context, compared, input, savedPlan ? 'already applied' : 'Nothing to change.');
  if (stackPlans.length === 0) {
    return { steps: [], printsList: true, preview, summarize: () => ({ lines: preview.lines }) };
  }
  const deletesItem = ({ differences }: ComparedStack) => differences.some(({ action }) => action === 'delete');
  const hasDeletion = changedStacks.some(deletesItem);
  const namesOf = (stacks: readonly ComparedStack[]) => stacks.map(({ stack }) => stack.name).join(', ');
  return {
    ...combinePlans(stackPlans, stackPlans.length > 1),
    preview,
    ask: {
      level: hasDeletion ? 'typed' : undefined,
      name: namesOf(hasDeletion && !context.isProtected ? changedStacks.filter(deletesItem) : changedStacks),
      others: openFile.stacks.map(({ name }) => name),
      text: async () => `Apply ${openFile.file} to ${namesOf(changedStacks)}`,
      details: () => actionCountTexts(preview.changes.map(({ action }) => action)),
    },
  };
}

/**
 * Compares the file with the service. While another `apply` or an action changes a stack of the file, throws `rejected`
 * or, with `--if-busy wait`, waits. A dry run with `--if-busy wait` does not wait.
 */
async function compareWhenFree(
  context: Context,
  compare: () => Promise<readonly ComparedStack[]>,
  { if_busy }: ApplyInput,
): Promise<readonly ComparedStack[]> {
  let compared = await compare();
  const findBusyLines = () => compared.flatMap((one) => busyLinesOf(context, one));
  const lines = findBusyLines();
  if (lines.length === 0) return compared;
  if (if_busy !== 'wait') {
    const details = { nothing: 'sent', lines, correction: { add: ['--if-busy', 'wait'] } } as const;
    throw new CliError('rejected', 'something of the file is being changed', details);
  }
  if (context.dryRun) return compared;
  const check = async () => {
    compared = await compare();
    const text = findBusyLines().join(', ');
    return { state: text ? 'running' : 'good', text: text || 'finished', value: undefined } as const;
  };
  await context.follow({ name: 'the change in progress', resume: undefined, check });
  return compared;
}

function busyLinesOf(context: Context, { stack, differences }: ComparedStack): readonly string[] {
  const { name } = stack;
  const holderText = differences.some(isWrite) ? stackHold(context, stack).holder() : undefined;
  const busyItems = differences.filter(({ action }) => action === 'busy');
  const itemLines = busyItems.map(({ path, reason }) => `${name}: ${path}: ${reason}`);
  return holderText === undefined ? itemLines : [`another apply changes ${name}${holderText}`, ...itemLines];
}

function previewOf(
  context: Context,
  compared: readonly ComparedStack[],
  { apply_strategy, redeploy }: ApplyInput,
  emptyText: string,
): Preview {
  const plan = statePlan(compared.map((one) => plannedStackOf(context, one)));
  const changes = plan.stacks.flatMap(({ stack, changes: rows }) => rows.map((row) => ({ stack, ...row })));
  const lines = planLines(plan);
  const changedVariables = changes.filter((row) => isWrite(row) && row.path.startsWith('env.'));
  const appliesEach = changedVariables.length > 1 && apply_strategy === undefined;
  return {
    changes: changes as unknown as Preview['changes'],
    lines: lines.length > 0 ? lines : [emptyText],
    closing: [
      ...(appliesEach ? ['The service may apply each change at once.'] : []),
      ...(plan.requests > 0 && redeploy ? ['Then each changed stack is redeployed once.'] : []),
    ],
  };
}
