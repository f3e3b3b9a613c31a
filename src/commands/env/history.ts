import { flag, instant, integer, nullable, optional, secret, text } from '../../contract/field.ts';
import { type RecordOf, record } from '../../contract/record.ts';
import { rows } from '../../contract/reply.ts';
import { msOf } from '../../contract/values/moment.ts';
import { readAll } from '../../kinds/resource/find.ts';
import { script } from '../../kinds/script.ts';
import { environments, isSecret, type Variable, variable } from '../../resources/env.ts';
import { inStack } from '../../resources/shared.ts';
import type { Services } from '../services.ts';
import { findVariable } from './variable/find-variable.ts';
import { heldValues } from './variable/value-at.ts';

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
  { isSecret },
);
type HistoryRow = RecordOf<typeof HistoryRow>;

export const history = (services: Services) =>
  script({
    about: 'List current and earlier values; deleted variables have none.',
    params: {
      stack_id: inStack,
      key: optional(
        text('Name of the environment variable (default: all that changed).', {
          label: 'KEY',
          names: 'environment variable',
        }),
      ),
      since: optional(integer('Only values set or replaced in this time, such as 24h or 7d.', { unit: 'seconds' })),
    },
    positionals: ['key'],
    examples: ['stackops stack env history LOG_LEVEL -s shop', 'stackops stack env history --since 24h -s shop'],
    calls: [environments.list],
    reply: rows(HistoryRow),
    isRead: true,
    run: async (context, input) => {
      const { key, since } = input;
      const known = await readAll(context, variable, input);
      const from = since === undefined ? undefined : context.now().getTime() - since * 1000;
      const chosen = key === undefined ? known : [await findVariable(context, services, known, { ...input, key })];
      // Variables that never changed are in `stack env list`; they are shown only when asked for.
      return chosen
        .filter((row) => key !== undefined || from !== undefined || heldValues(row).length > 1)
        .flatMap(historyOf)
        .filter(({ set_at, replaced_at }) => from === undefined || Math.max(msOf(set_at), msOf(replaced_at)) >= from)
        .toSorted((a, b) => msOf(b.set_at) - msOf(a.set_at));
    },
    present: (found, { since }) => ({
      kind: 'table',
      record: HistoryRow,
      rows: found,
      empty:
        since === undefined
          ? 'No environment variable has an earlier value.'
          : 'No environment variable changed in this time.',
    }),
  });

/** The current value, then the earlier ones. */
function historyOf(row: Variable): readonly HistoryRow[] {
  const { key } = row;
  const is_password = row.is_password !== false;
  return heldValues(row)
    .toReversed()
    .map((held) => ({ key, ...held, is_password }));
}
