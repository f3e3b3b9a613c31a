import { readAll, refuseReadonly } from '../../builders/resource/find.ts';
import { write } from '../../builders/write.ts';
import type { Context } from '../../contract/command.ts';
import type { CommandLine } from '../../contract/command-line.ts';
import { integer, optional, text, type Values } from '../../contract/field.ts';
import { stackParam } from '../../contract/params.ts';
import { isoText, readMoment } from '../../contract/values/time.ts';
import { CliError } from '../../errors/cli-error.ts';
import { environments, type Variable, variable } from '../../resources/env.ts';
import { planVariables } from './plan.ts';
import { type HistoryValue, historyValues, previousValue, valueAt } from './value-at.ts';
import { findVariable, keysField, type VariableChange, valueOrNull, variableChangeRecord } from './variable.ts';

const params = {
  stack_id: stackParam,
  keys: keysField('Environment variables to roll back.'),
  to: optional(integer('Number of the value in `stack env history`; for one KEY.')),
  before: optional(text('Value before this time: 2026-03-02T18:45:00Z or a date (UTC).', { placeholder: 'time' })),
};

export const envRollbackCommand = write({
  about: 'Restore earlier values (default: the newest that differs).',
  params,
  positionals: ['keys'],
  examples: [
    'stackops stack env rollback LOG_LEVEL -s shop',
    'stackops stack env rollback LOG_LEVEL --to 1 -s shop',
    'stackops stack env rollback LOG_LEVEL CURRENCY --before 2026-03-02T18:00:00Z -s shop',
  ],
  calls: [environments.list, environments.update],
  record: variableChangeRecord,
  printsList: true,
  severalStacks: true,
  plan: async (context, input) => {
    const { stack_id } = input;
    const choice = readChoice(input);
    const oldRows = await readAll(context, variable, input);
    const keys = [...new Set(input.keys)];
    const rows = await Promise.all(keys.map((key) => findVariable(context, oldRows, { key, stack_id })));
    // Read-only variables are refused first, because that explains more than a missing earlier value would.
    refuseReadonly(rows);
    const values = rows.map((row) => ({ key: row.key, value: earlierValue(row, choice, stack_id) }));
    const checkUnchanged = (one: VariableChange) => refuseChanged(context, stack_id, one);
    return planVariables(context, values, { stack_id, oldRows, origin: 'history', check: checkUnchanged });
  },
});

function readChoice({ keys, to, before }: Values<typeof params>) {
  if (to !== undefined && before !== undefined) throw new CliError('usage', 'use --to or --before, not both');
  if (to !== undefined && new Set(keys).size > 1)
    throw new CliError('usage', '--to takes only one KEY: each variable has its own numbers');
  const [, number = ''] = keys;
  if (keys.length === 2 && /^\d+$/.test(number)) {
    const message = `"${number}" is no name of a variable: a number of the history follows --to`;
    throw new CliError('usage', message, { correction: { replace: { word: number, by: ['--to', number] } } });
  }
  const moment = before === undefined ? undefined : readMoment(before);
  if (before === undefined || moment) return { to, before: moment };
  const expected = 'a date or a time with its zone, such as 2026-03-02 or 2026-03-02T18:45:00Z';
  throw new CliError('usage', `--before must be ${expected}, not "${before}"`);
}

type ValueChoice = ReturnType<typeof readChoice>;

function earlierValue(row: Variable, { to, before }: ValueChoice, stack_id: string): string {
  const numberedOrPrevious = () =>
    to === undefined ? previousValue(row) : historyValues(row).find(({ number }) => number === to);
  const found = before ? valueAt(row, before.getTime() - 1) : numberedOrPrevious();
  if (typeof found === 'object' && found.value !== null) return found.value;
  throw new CliError('not_found', noValueText(row.key, { to, before }, found), historyHint(row.key, stack_id));
}

function noValueText(key: string, { to, before }: ValueChoice, found: HistoryValue | 'unknown' | undefined): string {
  const valueText = before ? `of ${key} before ${isoText(before)}` : `that ${key} had before`;
  if (found === 'unknown') return `the service does not show the value ${valueText}`;
  if (found) return `${key} was null then, which cannot be set`;
  if (before) return `no value of ${key} is known before ${isoText(before)}`;
  return `${key} has no earlier value ${to ?? 'that differs'}`;
}

function historyHint(key: string, stack_id: string): { readonly hint: CommandLine } {
  return { hint: { path: 'stack env history', operands: [key], stack_id } };
}

async function refuseChanged(context: Context, stack_id: string, { key, before }: VariableChange): Promise<void> {
  const row = (await context.call(environments.list, { stack_id })).find((row) => row.key === key);
  if (row && before && valueOrNull(row) === valueOrNull(before)) return;
  const message = `${key} was ${row ? 'changed' : 'deleted'} meanwhile; it was not rolled back`;
  throw new CliError('rejected', message, historyHint(key, stack_id));
}
