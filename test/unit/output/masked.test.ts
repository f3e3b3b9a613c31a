import { describe, expect, test } from 'vitest';
import { flag, group, integer, many, optional, secret, text } from '../../../src/contract/field.ts';
import { record } from '../../../src/contract/record.ts';
import { rows } from '../../../src/contract/reply.ts';
import { withOriginal } from '../../../src/contract/values/json.ts';
import { maskResult } from '../../../src/output/masked.ts';

const entry = group({ number: integer('Number.'), value: secret(text('Earlier value.')) }, 'One earlier value.');
const Variable = record(
  'variable',
  {
    key: text('Name.'),
    value: secret(text('Value.', { aliases: ['content'] })),
    is_password: optional(flag('Whether it is a password.')),
    history: optional(many(entry, 'Earlier values.')),
  },
  ['key', 'value'],
);

function masked(row: object, revealed?: readonly string[]): unknown {
  const { value } = maskResult({ value: [row], reply: rows(Variable), revealed, presentation: { kind: 'nothing' } });
  return JSON.parse(JSON.stringify(value))[0];
}

describe('a row of data', () => {
  test('has the mask in place of each secret, and names them', () => {
    const row = { key: 'A', value: 'hunter2', history: [{ number: 1, value: 'hunter1' }] };
    expect(masked(row)).toEqual({
      key: 'A',
      value: '***',
      history: [{ number: 1, value: '***' }],
      masked: ['value', 'history.value'],
    });
    expect(row.value).toBe('hunter2');
  });

  test('says nothing of null, absent and empty values', () => {
    expect(masked({ key: 'A', value: null, history: [] })).toEqual({ key: 'A', value: null, history: [] });
    expect(masked({ key: 'A', value: '' })).toEqual({ key: 'A', value: '' });
  });

  test('that is no secret stays as it is', () => {
    expect(masked({ key: 'A', value: 'info', is_password: false })).toEqual({
      key: 'A',
      value: 'info',
      is_password: false,
    });
  });

  test('keeps the field that its command is called for', () => {
    const row = { key: 'A', value: 'hunter2', history: [{ number: 1, value: 'hunter1' }] };
    expect(masked(row, ['value'])).toMatchObject({ value: 'hunter2', masked: ['history.value'] });
  });

  test('is masked under the name and in the type that the service sent', () => {
    expect(masked({ key: 'A', content: 12_345 })).toEqual({ key: 'A', content: '***', masked: ['content'] });
    const typed = withOriginal({ key: 'A', value: '12345' }, { key: 'A', value: 12_345 });
    expect(masked(typed)).toEqual({ key: 'A', value: '***', masked: ['value'] });
  });
});

test('a table shows the mask, of a row that was read by its type too', () => {
  const typed = withOriginal({ key: 'A', value: '12345' }, { key: 'A', value: 12_345 });
  const { presentation } = maskResult({ value: [], presentation: { kind: 'table', record: Variable, rows: [typed] } });
  expect(presentation).toMatchObject({ rows: [{ key: 'A', value: '***' }] });
});
