import Table from 'cli-table3';
import { beforeEach, expect, test, vi } from 'vitest';
import { drawTable } from '../../../src/output/table/table.ts';
import { EnvironmentVariable } from '../../../src/resources/env.ts';
import { inPipe, onTerminal } from './views.ts';

/** Every cell that the table library was handed. */
const handed: string[] = [];
beforeEach(() => {
  handed.splice(0);
  vi.spyOn(Table.prototype, 'toString').mockImplementation(function (this: string[][]) {
    handed.push(...this.flat());
    return '';
  });
});

const rowOf = (value: string) => ({ key: 'K', value, is_password: false, readonly: false, updated_at: null });

test.each([
  ['exactly as long', 'a'.repeat(500), 'a'.repeat(500)],
  ['one more', 'a'.repeat(501), `${'a'.repeat(499)}…`],
  ['a million', 'a '.repeat(500_000), `${'a '.repeat(249)}a…`],
  ['pictographs count once', '😀'.repeat(500), '😀'.repeat(500)],
  ['and are never cut in half', '😀'.repeat(501), `${'😀'.repeat(499)}…`],
])('a cell of a table ends at 500 characters: %s', async (_, value, shown) => {
  const drawn = await drawTable(EnvironmentVariable, [rowOf(value), rowOf('b')], inPipe({ format: 'table' }));
  expect(
    drawn
      .split('\n')[1]
      ?.split('  ')
      .find((cell) => cell.startsWith(shown.slice(0, 2))),
  ).toBe(shown);
});

test('on a terminal of any width too, before the table library sees it', async () => {
  await drawTable(EnvironmentVariable, [rowOf('a'.repeat(1_000_000))], onTerminal({ width: 100_000 }));
  expect(handed).toContain(`${'a'.repeat(499)}…`);
  expect(Math.max(...handed.map((cell) => cell.length))).toBe(500);
});
