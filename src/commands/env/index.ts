import { commandOf, customCommand } from '../../builders/custom-command.ts';
import { readAll } from '../../builders/resource/find.ts';
import type { Context, Menu } from '../../contract/command.ts';
import { flag, instant, integer, nullable, optional, secret, text } from '../../contract/field.ts';
import { stackParam } from '../../contract/params.ts';
import { type RecordOf, record } from '../../contract/record.ts';
import { one, rows } from '../../contract/reply.ts';
import { msOf } from '../../contract/values/time.ts';
import { deployments } from '../../resources/deployment.ts';
import { EnvironmentVariable, environments, isSecretVariable, type Variable, variable } from '../../resources/env.ts';
import { envCheckCommand } from './check.ts';
import { envCopyCommand } from './copy.ts';
import { envDiffCommand } from './diff.ts';
import { envEditCommand } from './edit.ts';
import { exportCommand } from './export.ts';
import { importCommand } from './import.ts';
import { envRollbackCommand } from './rollback.ts';
import { envRunCommand } from './run.ts';
import { envSetCommand, envUnsetCommand } from './set.ts';
import { historyValues, readChangedSince } from './value-at.ts';
import { findVariable, textOrNullWord } from './variable.ts';

const envGetCommand = customCommand({
  about: 'Print the value of an environment variable.',
  params: { stack_id: stackParam, key: variable.argumentField },
  positionals: ['key'],
  examples: ['stackops stack env get LOG_LEVEL -s shop'],
  calls: [environments.list],
  output: { kind: 'value', reply: one(EnvironmentVariable) },
  revealed: ['value'],
  isRead: true,
  run: async (context, input) => findVariable(context, await readAll(context, variable, input), input),
  present: (row) => ({ kind: 'value', text: textOrNullWord(row) }),
});

const params = {
  ...environments.list.params,
  pending: optional(flag('Only those changed since the last deployment.')),
};

const envListCommand = commandOf<typeof params, readonly Variable[]>(
  {
    about: environments.list.about,
    params,
    examples: [
      'stackops stack env list -s shop',
      'stackops stack env list --pending -s shop',
      "stackops stack env list -s shop --json | jq -r '.[].key'",
    ],
    calls: [deployments.list, environments.list],
    reply: environments.list.reply,
  },
  {
    kind: 'runs',
    isRead: true,
    run: async (context, { pending, stack_id }) => {
      if (pending) return pendingVariables(context, stack_id);
      return context.call(environments.list, { stack_id }, { limit: context.limit });
    },
    present: (rows, { pending }) => ({
      kind: 'table',
      record: EnvironmentVariable,
      rows,
      ...(pending && { empty: 'Nothing was changed since the live deployment began.' }),
    }),
    eachPage: async (context, { pending, stack_id }, take) => {
      if (pending) await take(await pendingVariables(context, stack_id));
      else await context.eachPage(environments.list, { stack_id }, take, { limit: context.limit });
    },
  },
);

async function pendingVariables(context: Context, stack_id: string): Promise<readonly Variable[]> {
  // A value that was set with --apply-strategy immediately may be live already. It is listed nevertheless.
  return (await readChangedSince(context, stack_id, 'live')).rows;
}

const HistoryRow = record(
  'value',
  {
    key: text('Name of the environment variable.'),
    number: nullable(integer('Number of the value for `rollback --to`; the current value has none.')),
    value: nullable(secret(text('The value.'))),
    set_at: nullable(instant('When it was set.')),
    replaced_at: nullable(instant('When it was replaced.')),
    is_password: flag('Whether the value is a password.'),
  },
  ['key', 'number', 'value', 'set_at', 'replaced_at'],
  { isSecret: isSecretVariable },
);
type HistoryRow = RecordOf<typeof HistoryRow>;

const envHistoryCommand = customCommand({
  about: 'List current and earlier values; deleted variables have none.',
  params: {
    stack_id: stackParam,
    key: optional({
      ...variable.argumentField,
      about: 'Name of the environment variable (default: all that changed).',
    }),
    since: optional(
      integer('Only values set or replaced in this time, such as 24h or 7d.', { unit: 'seconds', bareUnit: 'h' }),
    ),
  },
  positionals: ['key'],
  examples: ['stackops stack env history LOG_LEVEL -s shop', 'stackops stack env history --since 24h -s shop'],
  calls: [environments.list],
  reply: rows(HistoryRow),
  isRead: true,
  run: async (context, input) => {
    const { key, since } = input;
    const rows = await readAll(context, variable, input);
    const fromMs = since === undefined ? undefined : context.now().getTime() - since * 1000;
    const chosenRows = key === undefined ? rows : [await findVariable(context, rows, { ...input, key })];
    // Without a key and --since, variables that never changed are left out: `stack env list` shows them.
    return chosenRows
      .filter((row) => key !== undefined || fromMs !== undefined || historyValues(row).length > 1)
      .flatMap((row) => {
        const is_password = row.is_password !== false;
        const values = historyValues(row).toReversed();
        return values.map((value): HistoryRow => ({ key: row.key, ...value, is_password }));
      })
      .filter(({ set_at, replaced_at }) => fromMs === undefined || Math.max(msOf(set_at), msOf(replaced_at)) >= fromMs)
      .toSorted((a, b) => msOf(b.set_at) - msOf(a.set_at));
  },
  present: (values, { since }) => ({
    kind: 'table',
    record: HistoryRow,
    rows: values,
    empty: `No environment variable ${since === undefined ? 'has an earlier value' : 'changed in this time'}.`,
  }),
});

export const envCommands: Menu = {
  'stack env list': envListCommand,
  'stack env get': envGetCommand,
  'stack env set': envSetCommand,
  'stack env unset': envUnsetCommand,
  'stack env copy': envCopyCommand,
  'stack env check': envCheckCommand,
  'stack env diff': envDiffCommand,
  'stack env edit': envEditCommand,
  'stack env export': exportCommand,
  'stack env import': importCommand,
  'stack env history': envHistoryCommand,
  'stack env rollback': envRollbackCommand,
  'stack env run': envRunCommand,
};
