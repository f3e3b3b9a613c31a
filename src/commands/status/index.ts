import { customCommand } from '../../builders/custom-command.ts';
import type { Context, FindStacks, Menu } from '../../contract/command.ts';
import { flag, integer, many, oneOf, optional, type Values } from '../../contract/field.ts';
import { stackParam } from '../../contract/params.ts';
import { one } from '../../contract/reply.ts';
import { defaultEverySeconds, watchFlags } from '../../contract/watch.ts';
import { CliError } from '../../errors/cli-error.ts';
import { stacks } from '../../resources/stack.ts';
import {
  type ChooseStacks,
  chooseAllStacks,
  chooseNamedStacks,
  readStackStatus,
  type StatusOptions,
  sectionsForSeveralStacks,
  statusOfStacks,
} from './read.ts';
import { sectionsLimitMs } from './read-sections.ts';
import { type StackStatus, type Statuses, StatusLine, StatusRecord, stackTitle } from './record.ts';
import { judgedSections, listedParts, type StatusSection, sections, statusParts } from './sections.ts';
import { presentStatus } from './show.ts';
import { watchStack, watchStacks } from './watch.ts';

const params = {
  stack_id: optional(stackParam),
  all: optional(flag('Show a row for each stack, problems first.')),
  only: optional(many(oneOf(sections, 'Section.'), 'Only these sections.', { placeholder: 'sections' })),
  backup_age: optional(
    integer('Oldest good backup allowed (default 24h).', { unit: 'seconds', bareUnit: 'h', placeholder: 'age' }),
  ),
  exit_code: optional(flag('Exit with 9 if there is a problem.')),
  ...watchFlags,
};

export const statusCommands: Menu = {
  status: customCommand({
    about: 'Show what is live, in progress and wrong in a stack, or in several.',
    params,
    examples: ['stackops status -s shop --only servers,backups'],
    calls: [stacks.list, stacks.get, ...listedParts.map((name) => statusParts[name].list)],
    output: { kind: 'rows', reply: one(StatusRecord), table: StatusLine },
    exits: [
      [9, 'with --exit-code: a deployment, a server or a backup has a problem'],
      [7, 'with --exit-code: a section could not be read'],
    ],
    isRead: true,
    showsSeveral: true,
    run: async (context, input, findStacks): Promise<Statuses> => {
      const choice = stackChooser(context, input, findStacks);
      const options = optionsOf(input, choice ? sectionsForSeveralStacks : sections);
      const value = choice ? await statusOfStacks(context, choice, options) : await statusOfStack(context, options);
      if (input.exit_code) assertHealthy(value, input.only ?? judgedSections);
      return value;
    },
    watch: async (context, input, findStacks) => {
      if (input.exit_code) throw new CliError('usage', 'use --watch or --exit-code, not both');
      const everyMs = (input.every ?? defaultEverySeconds) * 1000;
      const chooseStacks = stackChooser(context, input, findStacks);
      const options = { ...optionsOf(input, chooseStacks ? sectionsForSeveralStacks : sections), everyMs };
      if (chooseStacks) return watchStacks(context, chooseStacks, options);
      return watchStack(context, String(await context.resolveTarget(stackParam)), options);
    },
    present: (value, _, audience) => presentStatus(value, audience),
  }),
};

type StatusInput = Values<typeof params>;

function stackChooser(context: Context, { all }: StatusInput, findStacks?: FindStacks): ChooseStacks | undefined {
  const { settings, listStacks } = context.host;
  const { value: stack, origin } = settings.get('stack');
  if (all && (findStacks || origin.kind === 'flag')) throw new CliError('usage', 'use --all or -s, not both');
  if (findStacks) return () => chooseNamedStacks(findStacks, listStacks);
  return stack && !all ? undefined : () => chooseAllStacks(context);
}

function optionsOf(input: StatusInput, defaultSections: readonly StatusSection[]): StatusOptions {
  const { backup_age, exit_code } = input;
  // With --exit-code or --backup-age the same sections are judged for one stack and for several, so they are added.
  const addedSections = exit_code || backup_age !== undefined ? judgedSections : [];
  const only = input.only ?? [...new Set([...defaultSections, ...addedSections])];
  const unchecked = input.only ? [] : judgedSections.filter((section) => !only.includes(section));
  return { only, maxAge: backup_age ?? 86_400, unchecked };
}

async function statusOfStack(context: Context, options: StatusOptions): Promise<StackStatus> {
  const uid = String(await context.resolveTarget(stackParam));
  const deadline = context.deadline(sectionsLimitMs);
  const { status, failure } = await readStackStatus(context, { uid }, { ...options, deadline });
  if (failure) throw failure;
  return status;
}

/** Throws `operation_failed` if a stack has problems, else `unavailable` if a needed section could not be read. */
function assertHealthy(value: Statuses, neededSections: readonly StatusSection[]): void {
  const statuses = 'uid' in value ? [value] : value;
  const partial = { value };
  if (statuses.length === 0) throw new CliError('not_found', 'there is no stack to check', { partial });
  const problemText = faultSentence(statuses, ({ problems }) => problems);
  if (problemText !== undefined) throw new CliError('operation_failed', problemText, { partial });
  const neededNames: readonly string[] = ['stack', ...neededSections];
  const unreadText = faultSentence(statuses, ({ errors }) => {
    const neededErrors = errors.filter(({ section }) => neededNames.includes(section));
    return neededErrors.map(({ section, message }) => `${section} could not be read: ${message}`);
  });
  if (unreadText !== undefined) throw new CliError('unavailable', unreadText, { partial });
}

/** Returns `shop/production: server web-1 is failed`, or a sentence about several stacks; undefined without a fault. */
function faultSentence(statuses: readonly StackStatus[], faultsOf: (status: StackStatus) => readonly string[]) {
  const allFaults = statuses.map((status) => ({ title: stackTitle(status), faults: faultsOf(status).join(', ') }));
  const faultyStacks = allFaults.filter(({ faults }) => faults !== '');
  const [first, ...more] = faultyStacks;
  if (!first) return undefined;
  if (more.length === 0) return `${first.title}: ${first.faults}`;
  return `${faultyStacks.length} stacks: ${faultyStacks.map(({ title, faults }) => `${title} (${faults})`).join(', ')}`;
}
