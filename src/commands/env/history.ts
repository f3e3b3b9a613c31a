import type { Context, Menu } from '../../contract/command.ts';
import { flag, instant, integer, many, nullable, optional, secret, text } from '../../contract/field.ts';
import { type RecordOf, record } from '../../contract/record.ts';
import { rows } from '../../contract/reply.ts';
import { script } from '../../kinds/script.ts';
import { Problem } from '../../problems/problem.ts';
import { environments, type Variable } from '../../resources/env.ts';
import { settingText } from '../../resources/setting-text.ts';
import { inStack } from '../../resources/shared.ts';
import { refuseReadonly } from '../refuse-readonly.ts';
import { EnvChange, presentChanges } from './change.ts';
import { findVariable } from './find.ts';
import { readMoment } from './moment.ts';
import { earlierValue, msOf, pastOf, pointToHistory, setAt, type Wanted } from './past.ts';
import { type Step, writeVariables } from './write.ts';

const HeldValue = record(
  'value',
  {
    key: text('Name of the variable.'),
    number: nullable(integer('Number of the earlier value, for `--to` of rollback; none: the value of now.')),
    value: secret(text('The value.')),
    set_at: nullable(instant('When it was set.')),
    replaced_at: nullable(instant('When it was replaced.')),
    is_password: flag('Whether the value is a password.'),
  },
  ['key', 'number', 'value', 'set_at', 'replaced_at'],
);
type HeldValue = RecordOf<typeof HeldValue>;

const history = script({
  about: 'List the values variables have and had, newest first; a deleted variable leaves none.',
  params: {
    stack_id: inStack,
    key: optional(
      text('Name of the variable; without it, all that have changed.', { label: 'KEY', names: 'environment variable' }),
    ),
    since: optional(integer('Only values set or replaced within this time: 90s, 5m, 24h, 7d.', { unit: 'seconds' })),
  },
  positionals: ['key'],
  examples: ['stackops stack env history LOG_LEVEL -s shop', 'stackops stack env history --since 24h -s shop'],
  calls: [environments.list],
  reply: rows(HeldValue),
  run: async (context, { stack_id, key, since }) => {
    const known = await context.call(environments.list, { stack_id });
    const from = since === undefined ? undefined : context.now().getTime() - since * 1000;
    const chosen = key === undefined ? known : [findVariable(known, { key, stack_id })];
    // Without a question, what has never changed is only a longer way to say `stack env list`.
    const told = chosen.filter((variable) => key !== undefined || from !== undefined || pastOf(variable).length > 0);
    return told
      .flatMap(heldValues)
      .filter(({ set_at, replaced_at }) => from === undefined || Math.max(msOf(set_at), msOf(replaced_at)) >= from)
      .toSorted((a, b) => msOf(b.set_at) - msOf(a.set_at));
  },
  present: (found, { since }) => ({
    kind: 'table',
    record: HeldValue,
    rows: found,
    empty: since === undefined ? 'No variable has an earlier value.' : 'Nothing has changed in this time.',
  }),
});

/** The value of now, then the earlier ones. */
function heldValues(variable: Variable): readonly HeldValue[] {
  const { key } = variable;
  const is_password = variable.is_password !== false;
  const now = { number: null, value: settingText(variable.value), set_at: setAt(variable), replaced_at: null };
  return [now, ...pastOf(variable).toReversed()].map((held) => ({ key, ...held, is_password }));
}

const rollback = script({
  about: 'Give variables an earlier value again: the newest that differs, unless told otherwise.',
  params: {
    stack_id: inStack,
    keys: many(text('Name of a variable.', { names: 'environment variable' }), 'What to roll back.', { label: 'KEY' }),
    to: optional(integer('Number of the value, as `stack env history` shows it; for one KEY.')),
    before: optional(
      text('The value of right before this moment: 2026-03-02 (midnight UTC) or 2026-03-02T18:45:00Z.', {
        placeholder: 'moment',
      }),
    ),
  },
  positionals: ['keys'],
  examples: [
    'stackops stack env rollback LOG_LEVEL -s shop',
    'stackops stack env rollback LOG_LEVEL --to 1 -s shop',
    'stackops stack env rollback LOG_LEVEL CURRENCY --before 2026-03-02T18:00:00Z -s shop',
  ],
  calls: [environments.list, environments.update],
  reply: rows(EnvChange),
  severalStacks: true,
  run: async (context, input) => {
    const { stack_id } = input;
    const wanted = readWanted(input);
    const known = await context.call(environments.list, { stack_id });
    const found = [...new Set(input.keys)].map((key) => findVariable(known, { key, stack_id }));
    refuseReadonly(found);
    const steps = found.map((before): Step => {
      return { key: before.key, before, value: earlierValue(before, wanted, stack_id) };
    });
    const check = (step: Step) => refuseMoved(context, stack_id, step);
    return writeVariables(context, steps, { stack_id, deed: 'rolled back', check });
  },
  present: (changes, _, audience) => presentChanges(changes, audience),
});

function readWanted({
  keys,
  to,
  before,
}: {
  readonly keys: readonly string[];
  readonly to?: number;
  readonly before?: string;
}): Wanted {
  if (to !== undefined && before !== undefined) throw new Problem('usage', '--to and --before exclude each other');
  if (to !== undefined && new Set(keys).size > 1) throw new Problem('usage', '--to takes one KEY: numbers differ');
  return { to, before: before === undefined ? undefined : readMoment(before, '--before') };
}

/** What somebody else has changed meanwhile is theirs. */
async function refuseMoved(context: Context, stack_id: string, { key, before }: Step): Promise<void> {
  const found = (await context.call(environments.list, { stack_id })).find((variable) => variable.key === key);
  if (found && before && settingText(found.value) === settingText(before.value)) return;
  throw new Problem(
    'rejected',
    `${key} was ${found ? 'changed' : 'deleted'} meanwhile; it was left alone`,
    pointToHistory(key, stack_id),
  );
}

export const envHistoryStories = {
  'stack env history': history,
  'stack env rollback': rollback,
} satisfies Menu;
