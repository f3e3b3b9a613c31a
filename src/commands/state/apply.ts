import { combinePlans } from '../../builders/execute/combine-plans.ts';
import { changeRecord } from '../../builders/execute/summary.ts';
import { write } from '../../builders/write.ts';
import type { Context, Menu } from '../../contract/command.ts';
import { flag, integer, oneOf, optional, text } from '../../contract/field.ts';
import type { Plan, Preview, StackPlan } from '../../contract/plan.ts';
import { CliError, expectCliError } from '../../errors/cli-error.ts';
import { maxFileBytes } from '../../files/named-file.ts';
import { applyStrategyParam } from '../../resources/env.ts';
import { blockerStatus } from '../../writes/wait/action.ts';
import { actionCountTexts } from '../env/change-set.ts';
import { redeployCalls } from '../env/plan.ts';
import { isWrite } from './compare.ts';
import { type ComparedStack, compareFile, fileSections } from './compare-file.ts';
import { checkLockFile, findOtherApply } from './lock-file.ts';
import { sectionReads, takeFlag } from './plan.ts';
import { isPlanText, readSavedPlan, type SavedPlan, withRemainingDifferences } from './plan-file.ts';
import { refuseFaults, refuseUnready } from './refusals.ts';
import { pathFields, planLines, statePlan } from './rows.ts';
import { type FileInput, fileParams, filePaths, type OpenFile, openStackFile } from './stack-file.ts';
import { planStack, type StepOptions } from './steps.ts';

const ageOptions = { unit: 'seconds', bareUnit: 'h', placeholder: 'age' } as const;

interface ApplyInput extends FileInput, StepOptions {
  readonly if_busy?: 'wait' | 'fail';
  readonly max_age?: number;
  /** The saved plan to apply, if the named file is one. */
  readonly savedPlan?: SavedPlan;
}

export const applyCommands: Menu = {
  apply: write({
    about: 'Make stacks as a file describes them.',
    params: {
      ...fileParams,
      take: takeFlag,
      if_busy: optional(oneOf(['wait', 'fail'], 'While another change runs.', { placeholder: 'action' })),
      max_age: optional(integer('Oldest plan of plan --out to apply (default 24h).', ageOptions)),
      apply_strategy: applyStrategyParam,
      redeploy: optional(flag('Redeploy once, after all changes succeeded.')),
    },
    positionals: ['file'],
    examples: ['stackops apply --take file -n', 'stackops apply stackops.yaml -s blog/staging --take file -y'],
    calls: [...sectionReads, ...redeployCalls, ...fileSections.flatMap(({ writes }) => writes)],
    record: {
      ...changeRecord(pathFields, { before: text('Its value; `***` for a secret.') }),
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
  const savedInput = { ...input, ...(await readSavedPlan(context, path, text, max_age)) };
  const openFile = await openStackFile(context, savedInput);
  const stacks = openFile.stacks.filter(({ name }) => Object.hasOwn(savedInput.savedPlan.stacks, name));
  return planFromFile(context, { ...openFile, stacks }, savedInput);
}

async function planFromFile(context: Context, openFile: OpenFile, input: ApplyInput): Promise<Plan> {
  const { savedPlan, take } = input;
  await checkLockFile(context, openFile.file, openFile.lockFile);
  const compare = async (stacks = openFile.stacks) => {
    const comparedStacks = await compareFile(context, { ...openFile, stacks }, input);
    return savedPlan ? withRemainingDifferences(savedPlan, comparedStacks) : comparedStacks;
  };
  const compared = await compareWhenFree(context, compare, input);
  refuseFaults(compared);
  refuseUnready(compared, { allowsDrift: savedPlan !== undefined || take !== undefined });
  const changedStacks = compared.filter(({ differences }) => differences.some(isWrite));
  const planOf = (comparedStack: ComparedStack) => planStack(context, comparedStack, openFile.lockFile, input);
  const stackPlans = changedStacks.map((one): StackPlan => {
    const replan = async () => planOf((await compare([one.stack]))[0] ?? one);
    return { stack: one.stack.name, plan: planOf(one), replan };
  });
  const preview = previewOf(context, compared, input);
  if (stackPlans.length === 0) return { steps: [], preview, summarize: () => ({ lines: preview.lines }) };
  const deletingStacks = changedStacks.filter(({ differences }) => differences.some((one) => one.action === 'delete'));
  const typedStacks = deletingStacks.length > 0 && !context.isProtected ? deletingStacks : changedStacks;
  const namesOf = (stacks: readonly ComparedStack[]) => stacks.map(({ stack }) => stack.name).join(', ');
  return {
    ...combinePlans(stackPlans, stackPlans.length > 1),
    preview,
    ask: {
      level: deletingStacks.length > 0 ? 'typed' : undefined,
      name: namesOf(typedStacks),
      others: openFile.stacks.map(({ name }) => name),
      text: async () => `Apply ${openFile.file} to ${namesOf(changedStacks)}`,
      details: () => actionCountTexts(preview.changes.map(({ action }) => action)),
    },
  };
}

type CompareStacks = () => Promise<readonly ComparedStack[]>;

/** Throws `rejected` while a stack of the file is being changed. `--if-busy wait` waits, except in a dry run. */
async function compareWhenFree(context: Context, compare: CompareStacks, { if_busy }: ApplyInput) {
  let compared = await compare();
  const findBusyLines = () => compared.flatMap((one) => busyLinesOf(context, one));
  const lines = findBusyLines();
  if (lines.length === 0 || (if_busy === 'wait' && context.dryRun)) return compared;
  if (if_busy !== 'wait') {
    const details = { nothing: 'sent', lines, correction: { add: ['--if-busy', 'wait'] } } as const;
    throw new CliError('rejected', 'something of the file is being changed', details);
  }
  const check = async () => {
    compared = await compare();
    return blockerStatus(findBusyLines());
  };
  await context.follow({ name: 'the change in progress', resume: undefined, check });
  return compared;
}

function busyLinesOf(context: Context, { stack, differences }: ComparedStack): readonly string[] {
  const otherApply = differences.some(isWrite) ? findOtherApply(context, stack) : undefined;
  const busyItems = differences.filter(({ action }) => action === 'busy');
  return [otherApply ?? [], busyItems.map(({ path, reason }) => `${stack.name}: ${path}: ${reason}`)].flat();
}

function previewOf(context: Context, compared: readonly ComparedStack[], input: ApplyInput): Preview {
  const { apply_strategy, redeploy, savedPlan } = input;
  const plan = statePlan(compared, context);
  const changes = plan.stacks.flatMap(({ stack, changes: rows }) => rows.map((row) => ({ stack, ...row })));
  const lines = planLines(plan);
  const changedVariables = changes.filter((row) => isWrite(row) && row.path.startsWith('env.'));
  const appliesEach = changedVariables.length > 1 && apply_strategy === undefined;
  return {
    changes: changes as unknown as Preview['changes'],
    lines: lines.length > 0 ? lines : [savedPlan ? 'already applied' : 'Nothing to change.'],
    closing: [
      ...(appliesEach ? ['The service may apply each change at once.'] : []),
      ...(plan.requests > 0 && redeploy ? ['Then each changed stack is redeployed once.'] : []),
    ],
  };
}
