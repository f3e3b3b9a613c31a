import type { Audience, Context, Menu, Presentation } from '../../contract/command.ts';
import { flag, integer, many, oneOf, optional, type Values } from '../../contract/field.ts';
import { one } from '../../contract/reply.ts';
import { script } from '../../kinds/script.ts';
import type { ListStacks } from '../../places/stack.ts';
import { Problem } from '../../problems/problem.ts';
import { actions } from '../../resources/action.ts';
import { backups } from '../../resources/backup.ts';
import { deployments } from '../../resources/deployment.ts';
import { environments } from '../../resources/env.ts';
import { processes } from '../../resources/process.ts';
import { servers } from '../../resources/server.ts';
import { inStack } from '../../resources/shared.ts';
import { stacks } from '../../resources/stack.ts';
import { variants } from '../../resources/variant.ts';
import type { Services } from '../services.ts';
import { ofEachStack, statusOfAll, statusOfNamed } from './all-stacks.ts';
import { stackLines, statusLines } from './lines.ts';
import { readStackStatus, type StatusOptions } from './read.ts';
import { type Section, type StackStatus, StatusLine, StatusRecord, sections } from './record.ts';
import { screenOf } from './screen.ts';
import { judge } from './verdict.ts';

/** Time for all reads of one stack. */
const timeLimitMs = 10_000;
/** The sections that can show a problem. */
const canShowProblems: readonly Section[] = ['deployment', 'servers', 'backups'];

const params = {
  stack_id: optional(inStack),
  all: optional(flag('Show a row for each stack, problems first.')),
  only: optional(many(oneOf(sections, 'Section.'), 'Only these sections.', { placeholder: 'sections' })),
  backup_age: optional(integer('Oldest good backup allowed (default 24h).', { unit: 'seconds', placeholder: 'age' })),
  exit_code: optional(flag('Exit with 9 if there is a problem.')),
};
const calls = [
  stacks.list,
  stacks.get,
  deployments.list,
  variants.list,
  servers.list,
  processes.list,
  backups.list,
  environments.list,
  actions.list,
];

export interface StatusServices extends Pick<Services, 'settings'> {
  /** The list in which this run looks up stacks, read once. */
  readonly listStacks: ListStacks;
}

/** The command `status`. */
export function statusCommands({ settings, listStacks }: StatusServices): Menu {
  return {
    status: script({
      about: 'Show what is live, in progress and wrong in a stack, or in several.',
      params,
      examples: ['stackops status --all', 'stackops status -s shop --only servers,backups'],
      calls,
      output: { kind: 'rows', reply: one(StatusRecord), table: StatusLine },
      exits: [
        [9, 'with --exit-code: a deployment, a server or a backup has a problem'],
        [7, 'with --exit-code: a section could not be read'],
      ],
      isRead: true,
      severalStacks: true,
      run: async (context, input): Promise<StackStatus | readonly StackStatus[]> => {
        const { value: stack, origin } = settings().get('stack');
        if (input.all && origin === 'flag --stack') throw allAndNamed();
        if (stack && !input.all) return judged(await statusOfStack(context, optionsOf(input, sections)), input);
        return judged(await statusOfAll(context, optionsOf(input, ofEachStack)), input);
      },
      runOver: async (context, input, find) => {
        if (input.all) throw allAndNamed();
        const options = optionsOf(input, ofEachStack);
        return judged(await statusOfNamed(context, { find, list: listStacks }, options), input);
      },
      present: (found, _, audience) => presentStatus(found, audience),
    }),
  };
}

type StatusInput = Values<typeof params>;

function optionsOf({ only, backup_age }: StatusInput, byDefault: readonly Section[]): StatusOptions {
  return { only: only ?? byDefault, maxAge: backup_age ?? 86_400 };
}

function allAndNamed(): Problem {
  return new Problem('usage', 'use --all or -s, not both');
}

/** With --exit-code a problem is an error. */
function judged<Found extends StackStatus | readonly StackStatus[]>(found: Found, input: StatusInput): Found {
  if (input.exit_code) judge(found, input.only ?? canShowProblems);
  return found;
}

function presentStatus(found: StackStatus | readonly StackStatus[], audience: Audience): Presentation {
  if ('uid' in found) return { kind: 'screen', record: StatusLine, rows: statusLines(found), blocks: screenOf(found) };
  const columns = ['name', 'environment', 'state', 'commit', 'since', 'problems'];
  return { kind: 'table', record: { ...StatusLine, columns }, rows: stackLines(found, audience), empty: 'No stack.' };
}

async function statusOfStack(context: Context, options: StatusOptions): Promise<StackStatus> {
  const uid = String(await context.place(inStack));
  const { status, failure } = await readStackStatus(
    context,
    { uid },
    { ...options, deadline: context.deadline(timeLimitMs) },
  );
  if (failure) throw failure;
  return status;
}
