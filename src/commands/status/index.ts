import type { Audience, Context, Menu, Presentation } from '../../contract/command.ts';
import { flagWords } from '../../contract/command-line.ts';
import { flag, integer, many, oneOf, optional } from '../../contract/field.ts';
import { one } from '../../contract/reply.ts';
import { script } from '../../kinds/script.ts';
import { Problem } from '../../problems/problem.ts';
import { unlessUnreadable } from '../../problems/unreadable.ts';
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
import { stackLines, statusLines } from './lines.ts';
import { readStackStatus, type StatusOptions } from './read.ts';
import { type Section, type StackStatus, StatusLine, StatusRecord, sections } from './record.ts';
import { screenOf } from './screen.ts';
import { judge } from './verdict.ts';

/** Time for all reads of one stack. */
const timeLimitMs = 10_000;
/** What is read of each of all stacks; each section is one request. */
const ofEachStack: readonly Section[] = ['deployment', 'servers'];
/** The sections that can show a problem. */
const judged: readonly Section[] = ['deployment', 'servers', 'backups'];

const params = {
  stack_id: optional(inStack),
  all: optional(flag('Show a row for each stack, despite a default stack.')),
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

/** The command `status`. */
export function statusCommands({ settings }: Pick<Services, 'settings'>): Menu {
  return {
    status: script({
      about: 'Show what is live, in progress and wrong in a stack, or in all stacks.',
      params,
      examples: ['stackops status --all', 'stackops status -s shop --only servers,backups'],
      calls,
      output: { kind: 'rows', reply: one(StatusRecord), table: StatusLine },
      exits: [
        [9, 'with --exit-code: a deployment, a server or a backup has a problem'],
        [7, 'with --exit-code: a section could not be read'],
      ],
      isRead: true,
      run: async (
        context,
        { all, only, backup_age: maxAge = 86_400, exit_code },
      ): Promise<StackStatus | readonly StackStatus[]> => {
        const { value: stack, origin } = settings().get('stack');
        if (all && origin === 'flag --stack') throw new Problem('usage', 'use --all or -s, not both');
        const found =
          stack && !all
            ? await statusOfStack(context, { only: only ?? sections, maxAge })
            : await statusOfAll(context, { only: only ?? ofEachStack, maxAge });
        if (exit_code) judge(found, only ?? judged);
        return found;
      },
      present: (found, _, audience) => presentStatus(found, audience),
    }),
  };
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

/** At most two requests a stack. */
async function statusOfAll(context: Context, options: StatusOptions): Promise<readonly StackStatus[]> {
  const { only } = options;
  const requests = new Set(only.includes('pending') ? ['deployment', ...only] : only).size;
  if (requests > 2) {
    throw new Problem('usage', 'for all stacks, --only takes two sections; pending also reads the deployments', {
      hint: { path: 'status', flags: flagWords('--only', 'deployment,backups') },
    });
  }
  const rows = await unlessUnreadable(context.call(stacks.list, {}));
  if (!rows) {
    const hint = 'give the UID of a stack with -s';
    throw new Problem('not_found', 'this service or token does not list stacks', { hint });
  }
  const found = await Promise.all(rows.map((row) => readStackStatus(context, { uid: row.uid, row }, options)));
  const failures = found.flatMap(({ failure }) => failure ?? []);
  if (failures[0] && failures.length === found.length) throw failures[0];
  return found.map(({ status }) => status);
}
