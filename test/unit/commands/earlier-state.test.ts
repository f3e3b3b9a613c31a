import { expect, it } from 'vitest';
import { earlierState, type RecordedVariable } from '../../../src/commands/env/value-at.ts';
import { typedRow } from '../../../src/http/typed.ts';
import { parseStrictJson } from '../../../src/json/read.ts';
import { EnvironmentVariable, type Variable } from '../../../src/resources/env.ts';

const [key, at] = ['LOG_LEVEL', '2026-05-04T11:00:00Z'];
const changed = (before: string | null, after: string): RecordedVariable => {
  const values = { before, after };
  return { key, isValue: (role, value) => values[role] === value, isQueued: false };
};

/** A variable with these values, oldest first; the last one is the current one. */
function held(...values: readonly string[]): Variable {
  const history = values
    .slice(0, -1)
    .map((value, index) => ({ key: index + 1, value, created_at: at, updated_at: at }));
  return {
    ...{ id: 1, key, value: values.at(-1) ?? '', readonly: false, is_password: false, is_generated: false, history },
    ...{ created_at: at, updated_at: at },
  };
}

const compare = (change: RecordedVariable, row: Variable | undefined) => earlierState(change, row);

it.each([
  ['the value before is in the history', changed('info', 'debug'), held('info', 'debug'), 'info'],
  [
    'another value was set and replaced since',
    changed('info', 'debug'),
    held('info', 'debug', 'trace', 'debug'),
    'info',
  ],
  ['it was empty before', changed('', 'debug'), held('', 'debug'), ''],
  ['it did not exist before', changed(null, 'debug'), held('debug'), null],
  ['it is undone already', changed('info', 'debug'), held('info', 'debug', 'info'), 'info'],
  ['it was created and is deleted', changed(null, 'debug'), undefined, null],
])('%s', (_, change, row, value) => {
  expect(compare(change, row)).toEqual({ key, value });
});

it.each([
  ['is now trace; the change left debug', changed('info', 'debug'), held('info', 'debug', 'trace')],
  ['is now trace; the change left another value', changed('info', 'debug'), held('trace')],
  ['does not exist now; the change left another value', changed('info', 'debug'), undefined],
])('refused: LOG_LEVEL %s', (why, change, row) => {
  expect(compare(change, row)).toEqual({ key, refusal: `LOG_LEVEL ${why}` });
});

it('is refused where there is null instead of a value', () => {
  const refusal = 'LOG_LEVEL is null now, which cannot be compared';
  for (const before of ['null', null]) {
    const row = { ...held('info', 'debug'), value: null as unknown as string };
    expect(compare(changed(before, 'debug'), row)).toEqual({ key, refusal });
  }
});

it('takes a number as it was sent', async () => {
  const sent = {
    ...held('debug'),
    history: (await parseStrictJson('[{"key":1,"value":1.10}]')) as Variable['history'],
  };
  const row = typedRow(EnvironmentVariable.fields, sent, { isRead: true, mismatchError: () => new Error('unfit') });
  expect(compare(changed('1.10', 'debug'), row)).toEqual({ key, value: '1.10' });
});

it('is refused where the service no longer holds the value before', () => {
  const refusal = 'needs the value: LOG_LEVEL';
  expect(compare(changed('info', 'debug'), held('warn', 'debug'))).toEqual({ key, refusal, isValueLost: true });
  const kept = { ...changed('info', 'debug'), undoValue: 'info' };
  expect(compare(kept, held('warn', 'debug'))).toEqual({ key, value: 'info' });
  expect(compare({ ...kept, undoValue: 'forged' }, held('warn', 'debug'))).toEqual({ key, refusal, isValueLost: true });
});

it('is refused where the change may still be made', () => {
  const refusal = 'LOG_LEVEL is as it was before, and the change is still queued';
  expect(compare({ ...changed('info', 'debug'), isQueued: true }, held('info'))).toEqual({ key, refusal });
});
