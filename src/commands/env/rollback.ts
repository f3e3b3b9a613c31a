import { readAll, refuseReadonly } from '../../builders/resource/find.ts';
import { write } from '../../builders/write.ts';
import type { Context } from '../../contract/command.ts';
import type { CommandLine } from '../../contract/command-line.ts';
import { integer, optional, text, type Values } from '../../contract/field.ts';
import { inStack } from '../../contract/params.ts';
import { isoText, momentIn } from '../../contract/values/time.ts';
import { CliError } from '../../errors/cli-error.ts';
import { environments, type Variable, variable } from '../../resources/env.ts';
import { planVariables } from './plan.ts';
import { heldValues, previousOf, valueAt } from './value-at.ts';
import { findVariable, keysField, type VariableChange, variableChangeRecord, variableText } from './variable.ts';

const params = {
  stack_id: inStack,
  keys: keysField('Environment variables to roll back.'),
  to: optional(integer('Number of the value in `stack env history`; for one KEY.')),
  before: optional(text('Value before this time: 2026-03-02T18:45:00Z or a date (UTC).', { placeholder: 'time' })),
};

export const envRollback = write({
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
  isList: true,
  severalStacks: true,
  plan: async (context, input) => {
    const { stack_id } = input;
    const wanted = readWanted(input);
    const known = await readAll(context, variable, input);
    const keys = [...new Set(input.keys)];
    const found = await Promise.all(keys.map((key) => findVariable(context, known, { key, stack_id })));
    // Checked first: read-only explains more than a missing earlier value.
    refuseReadonly(found);
    const values = found.map((row) => ({ key: row.key, value: earlierValue(row, wanted, stack_id) }));
    const check = (one: VariableChange) => refuseChanged(context, stack_id, one);
    return planVariables(context, values, { stack_id, known, origin: 'history', check });
  },
});

function readWanted({ keys, to, before }: Values<typeof params>) {
  if (to !== undefined && before !== undefined) throw new CliError('usage', 'use --to or --before, not both');
  if (to !== undefined && new Set(keys).size > 1)
    throw new CliError('usage', '--to takes only one KEY: each variable has its own numbers');
  const [key, number = ''] = keys;
  if (key !== undefined && keys.length === 2 && /^\d+$/.test(number)) {
    const correction = { replace: { word: number, by: ['--to', number] } };
    throw new CliError('usage', `"${number}" is no name of a variable: a number of the history follows --to`, {
      correction,
    });
  }
  const moment = before === undefined ? undefined : momentIn(before);
  if (before === undefined || moment) return { to, before: moment };
  const form = 'a date or a time with its zone, such as 2026-03-02 or 2026-03-02T18:45:00Z';
  throw new CliError('usage', `--before must be ${form}, not "${before}"`);
}

function earlierValue(row: Variable, { to, before }: ReturnType<typeof readWanted>, stack_id: string): string {
  const { key } = row;
  const refuse = (why: string) => new CliError('not_found', why, historyHint(key, stack_id));
  let held = previousOf(row);
  let none = `${key} has no earlier value that differs`;
  let unknown = `the service does not show the value that ${key} had before`;
  if (before) {
    held = valueAt(row, before.getTime() - 1);
    unknown = `the service does not show the value of ${key} before ${isoText(before)}`;
    none = `no value of ${key} is known before ${isoText(before)}`;
  } else if (to !== undefined) {
    held = heldValues(row).find(({ number }) => number === to);
    none = `${key} has no earlier value ${to}`;
  }
  if (!held) throw refuse(none);
  if (held === 'unknown') throw refuse(unknown);
  if (held.value === null) throw refuse(`${key} was null then, which cannot be set`);
  return held.value;
}

function historyHint(key: string, stack_id: string): { readonly hint: CommandLine } {
  return { hint: { path: 'stack env history', operands: [key], stack_id } };
}

async function refuseChanged(context: Context, stack_id: string, { key, before }: VariableChange): Promise<void> {
  const found = (await context.call(environments.list, { stack_id })).find((row) => row.key === key);
  if (found && before && variableText(found) === variableText(before)) return;
  const message = `${key} was ${found ? 'changed' : 'deleted'} meanwhile; it was not rolled back`;
  throw new CliError('rejected', message, historyHint(key, stack_id));
}
