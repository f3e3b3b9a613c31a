import { combinePlans } from '../../builders/execute/combine-plans.ts';
import { changeRecord } from '../../builders/execute/summary.ts';
import { write } from '../../builders/write.ts';
import type { Context, Menu } from '../../contract/command.ts';
import { flag, oneOf, optional, text } from '../../contract/field.ts';
import type { Plan, Preview, StackPlan } from '../../contract/plan.ts';
import { CliError } from '../../errors/cli-error.ts';
import { applyStrategy } from '../../resources/env.ts';
import { countsOf } from '../env/change-set.ts';
import { redeployCalls } from '../env/plan.ts';
import { isResolved } from './compare.ts';
import { refuseExposedLock, stackHold } from './lock-file.ts';
import { foreign, plannedOf, reads, refuseFaults, takeFlag, unreadError } from './plan.ts';
import { type ComparedStack, compareFile } from './read.ts';
import { isWrite, planLines, statePlan } from './rows.ts';
import { fileSections } from './sections/index.ts';
import { type FileInput, fileParams, type OpenFile, openStackFile } from './stack-file.ts';
import { planStack, type StepOptions } from './steps.ts';

interface ApplyInput extends FileInput, StepOptions {
  readonly take?: 'file' | 'service';
  readonly if_busy?: 'wait' | 'fail';
}

export const applyCommands: Menu = {
  apply: write({
    about: 'Make stacks as a file describes them.',
    params: {
      ...fileParams,
      take: takeFlag,
      if_busy: optional(
        oneOf(['wait', 'fail'], 'If an unfinished action may change the same.', { placeholder: 'action' }),
      ),
      apply_strategy: applyStrategy,
      redeploy: optional(flag('Redeploy each changed stack once, after all changes succeeded.')),
    },
    positionals: ['file'],
    examples: ['stackops apply --take file -n', 'stackops apply stackops.yaml -s blog/staging --take file -y'],
    calls: [...reads, ...redeployCalls, ...fileSections.flatMap(({ writes }) => writes)],
    record: {
      ...changeRecord(
        { stack: text('The stack, as the file spells it.'), path: text('Its path, such as env.KEY.') },
        { before: text('Its value; `***` for a secret.') },
      ),
      // A record is masked where it is made.
      isSecret: () => false,
    },
    isList: true,
    confirm: { level: 'yes', act: 'Apply', when: 'every time; where it deletes, by the name of the stack' },
    wait: 'always',
    severalStacks: true,
    showsSeveral: true,
    moreEffects: ['reads_file', 'writes_file', 'runs_program'],
    exits: [[6, 'impossible, busy, changed meanwhile, or changed at the service without --take']],
    plan: async (context, input, _, findStacks) => {
      const opened = await openStackFile(context, input, findStacks);
      await refuseExposedLock(context, opened.file, opened.lockFile);
      return planFile(context, opened, input);
    },
  }),
};

async function planFile(context: Context, opened: OpenFile, input: ApplyInput): Promise<Plan> {
  const compare = (stacks = opened.stacks) => compareFile(context, { ...opened, stacks }, input);
  const compared = await whenFree(context, compare, input);
  refuseFaults(compared);
  const unread = unreadError(compared);
  if (unread) throw unread.with({ nothing: 'sent' });
  refuseUnresolved(compared);
  if (input.take === undefined) refuseForeign(compared);
  const changed = compared.filter(({ differences }) => differences.some(isWrite));
  const parts = changed.map((one): StackPlan => {
    const plan = planStack(context, one, opened, input);
    const again = async () => {
      const [now = one] = await compare([one.stack]);
      return planStack(context, now, opened, input);
    };
    return { stack: one.stack.name, plan, again };
  });
  const preview = previewOf(context, compared, input);
  if (parts.length === 0) return { steps: [], isList: true, preview, summarize: () => ({ lines: preview.lines }) };
  const typed = changed.filter(({ differences }) => differences.some(({ action }) => action === 'delete'));
  const names = (stacks: readonly ComparedStack[]) => stacks.map(({ stack }) => stack.name).join(', ');
  return {
    ...combinePlans(parts, parts.length > 1),
    preview,
    ask: {
      level: typed.length > 0 ? 'typed' : undefined,
      name: names(context.isProtected ? changed : typed),
      text: async () => `Apply ${opened.file} to ${names(changed)}`,
      details: () => countsOf(preview.changes.map(({ action }) => action)),
    },
  };
}

/** Compares, and with --if-busy wait again until no other run and no action changes the same. Throws rejected. */
async function whenFree(
  context: Context,
  compare: () => Promise<readonly ComparedStack[]>,
  { if_busy }: ApplyInput,
): Promise<readonly ComparedStack[]> {
  let compared = await compare();
  const busyNow = () => compared.flatMap((one) => busyIn(context, one));
  const busy = busyNow();
  if (busy.length === 0) return compared;
  if (if_busy !== 'wait') {
    const more = { nothing: 'sent', lines: busy, correction: { add: ['--if-busy', 'wait'] } } as const;
    throw new CliError('rejected', 'something of the file is being changed', more);
  }
  if (context.dryRun) return compared;
  const check = async () => {
    compared = await compare();
    const text = busyNow().join(', ');
    return { state: text ? 'running' : 'good', text: text || 'finished', value: undefined } as const;
  };
  await context.follow({ name: 'the change in progress', resume: undefined, check });
  return compared;
}

function busyIn(context: Context, { stack, differences }: ComparedStack): readonly string[] {
  const holder = differences.some(isWrite) ? stackHold(context, stack).holder() : undefined;
  return [
    ...(holder === undefined ? [] : [`another apply changes ${stack.name}${holder}`]),
    ...differences
      .filter(({ action }) => action === 'busy')
      .map(({ path, reason }) => `${stack.name}: ${path}: ${reason}`),
  ];
}

function refuseUnresolved(compared: readonly ComparedStack[]): void {
  const entries = new Set(compared.flatMap(({ differences }) => differences.filter((one) => !isResolved(one))));
  const lines = [...entries].map(({ entry: { source }, path }) => `${source.file}:${source.line}: ${path}`);
  if (lines.length === 0) return;
  const count = lines.length === 1 ? 'one reference is' : `${lines.length} references are`;
  throw new CliError('rejected', `${count} unset or empty`, { nothing: 'sent', lines: [...new Set(lines)] });
}

/** Throws rejected where the service was changed, or may have been, and nobody said who wins. */
function refuseForeign(compared: readonly ComparedStack[]): void {
  const lines = compared.flatMap(({ stack, differences }) =>
    differences
      .filter((one) => isWrite(one) && foreign.includes(one.why))
      .map(
        ({ path, why, item }) =>
          `${stack.name}: ${path}: ${why}${item?.changed_at ? `, changed ${item.changed_at}` : ''}`,
      ),
  );
  if (lines.length === 0) return;
  const message = 'the service differs from the file, and not only by edits of the file';
  const hint = '--take file overwrites these, --take service leaves them';
  throw new CliError('rejected', message, { nothing: 'sent', lines, hint });
}

function previewOf(context: Context, compared: readonly ComparedStack[], input: ApplyInput): Preview {
  const plan = statePlan(compared.map((one) => plannedOf(context, one)));
  const changes = plan.stacks.flatMap(({ stack, changes: own }) => own.map((row) => ({ stack, ...row })));
  const lines = planLines(plan);
  const variables = changes.filter((row) => isWrite(row) && row.path.startsWith('env.'));
  return {
    changes: changes as unknown as Preview['changes'],
    lines: lines.length > 0 ? lines : ['Nothing to change.'],
    closing: [
      ...(variables.length > 1 && input.apply_strategy === undefined
        ? ['The service may apply each change at once.']
        : []),
      ...(plan.requests > 0 && input.redeploy ? ['Then each changed stack is redeployed once.'] : []),
    ],
  };
}
