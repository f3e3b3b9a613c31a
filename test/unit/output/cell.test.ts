import { expect, test } from 'vitest';
import {
  type Field,
  flag,
  group,
  instant,
  integer,
  many,
  map,
  opaque,
  secret,
  text,
} from '../../../src/contract/field.ts';
import { cellText, tsvCellText } from '../../../src/output/table/cell.ts';
import { inPipe, onTerminal } from './views.ts';

const plain = text('Text.');
const outcome = group({ code: integer('Code.'), meaning: text('Meaning.') }, 'Outcome.');
const tag = group({ value: text('Tag.'), reserved: flag('Reserved.') }, 'Tag.');
const health = integer('Health.', { meanings: ['unknown', 'building'] });
const size = integer('Size.', { unit: 'bytes' });

const table: readonly (readonly [Field, unknown, string, string])[] = [
  [plain, undefined, '-', '-'],
  [plain, null, '-', '-'],
  [plain, '', '-', ''],
  [plain, 'a\tb\nc\\d\x1b', 'a\\tb\\nc\\d\\x1b', 'a\\tb\\nc\\\\d\\x1b'],
  [plain, 7, '7', '7'],
  [plain, { odd: 1 }, '{"odd":1}', '{"odd":1}'],
  [integer('Id.'), 12, '12', '12'],
  [integer('Id.'), 9007199254740993n, '9007199254740993', '9007199254740993'],
  [integer('Id.'), 'twelve', 'twelve', 'twelve'],
  [flag('Live.'), true, 'yes', 'yes'],
  [flag('Live.'), false, 'no', 'no'],
  [flag('Live.'), 'maybe', 'maybe', 'maybe'],
  [instant('Start.'), '2025-06-01T11:57:00Z', '3m ago', '2025-06-01T11:57:00Z'],
  [instant('Start.'), '2025-06-01T11:57:00+0000', '3m ago', '2025-06-01T11:57:00Z'],
  [instant('Start.'), '2025-06-01 11:57:00 UTC', '3m ago', '2025-06-01T11:57:00Z'],
  [instant('Start.'), 'soon\x07', 'soon\\x07', 'soon\\x07'],
  [instant('Start.'), 1748779020, '1748779020', '1748779020'],
  [size, 512, '512 B', '512'],
  [size, 1024, '1.0 KiB', '1024'],
  [size, 1048575, '1.0 MiB', '1048575'],
  [size, 4509715660, '4.2 GiB', '4509715660'],
  [size, 4509715660n, '4.2 GiB', '4509715660'],
  [integer('Share.', { unit: 'percent' }), 25, '25 %', '25'],
  [integer('Lifetime.', { unit: 'seconds' }), 90, '90 s', '90'],
  [health, 1, 'building', 'building'],
  [health, 9, '9', '9'],
  [outcome, { code: 1, meaning: 'success' }, 'success', 'success'],
  [outcome, { code: 1 }, 'code=1', 'code=1'],
  [outcome, 'success', 'success', 'success'],
  [tag, { value: 'web', reserved: false }, 'value=web, reserved=no', 'value=web, reserved=no'],
  [many(plain, 'Users.'), ['ann', 'bob'], 'ann, bob', 'ann, bob'],
  [many(plain, 'Users.'), [], '-', '-'],
  [many(tag, 'Tags.'), [{ value: 'web' }, { value: 'eu' }], 'web, eu', 'web, eu'],
  [map(integer('Count.'), 'Counts.'), { web1: 2, web2: 3 }, 'web1=2, web2=3', 'web1=2, web2=3'],
  [map(integer('Count.'), 'Counts.'), {}, '-', '-'],
  [opaque('Facts.'), { a: [1, 'x'] }, '{"a":[1,"x"]}', '{"a":[1,"x"]}'],
];

test.each(table)('%o with %o', (field, value, human, data) => {
  expect(cellText(field, value, onTerminal())).toBe(human);
  expect(tsvCellText(field, value, inPipe())).toBe(data);
});

test('a secret that is not there is not masked', () => {
  expect(cellText(secret(text('Password.')), null, onTerminal())).toBe('-');
});
