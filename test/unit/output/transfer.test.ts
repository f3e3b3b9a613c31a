import { expect, test } from 'vitest';
import { safeText } from '../../../src/output/safe/safe-text.ts';
import { createTransferProgress } from '../../../src/output/table/transfer.ts';

const mebibyte = 1024 * 1024;

function screen(options: { readonly terminal?: boolean; readonly width?: number } = {}) {
  let nowMs = 0;
  const lines: string[] = [];
  const transfer = createTransferProgress({
    terminal: options.terminal ?? true,
    err: {
      width: options.width ?? 80,
      visible: safeText,
      redraw: async (line) => void lines.push(line),
    },
    clock: () => nowMs,
  });
  const wait = (ms: number): void => {
    nowMs += ms;
  };
  return { transfer, lines, wait };
}

test('a file fills its bar, with percent, bytes and rate', () => {
  const { transfer, lines, wait } = screen();
  transfer.begin('shop.tar', 4 * mebibyte);
  wait(500);
  transfer.add(mebibyte);
  wait(1500);
  transfer.add(2 * mebibyte);
  wait(500);
  transfer.add(mebibyte);
  transfer.end();
  transfer.end();
  expect(lines).toEqual([
    'shop.tar  [....................]   0 %  0 B of 4.0 MiB',
    'shop.tar  [#####...............]  25 %  1.0 MiB of 4.0 MiB',
    'shop.tar  [###############.....]  75 %  3.0 MiB of 4.0 MiB  1.5 MiB/s',
    'shop.tar  [####################] 100 %  4.0 MiB of 4.0 MiB  1.6 MiB/s',
    '',
  ]);
});

test('it is drawn ten times a second at most, and 100 % is the end', () => {
  const { transfer, lines, wait } = screen();
  transfer.begin('x', 1000);
  for (let added = 0; added < 999; added += 1) {
    wait(1);
    transfer.add(1);
  }
  expect(lines).toHaveLength(10);
  wait(100);
  transfer.add(0);
  expect(lines.at(-1)).toContain('  99 %  999 B of 1000 B');
});

test('without a length there is no bar', () => {
  const { transfer, lines, wait } = screen();
  transfer.begin('x', undefined);
  wait(2000);
  transfer.add(4096);
  expect(lines).toEqual(['x  0 B', 'x  4.0 KiB  2.0 KiB/s']);
});

test('a narrow terminal loses the bar, then the name', () => {
  const { transfer, lines } = screen({ width: 45 });
  transfer.begin('shop_prod_20260413_030000.tar', mebibyte);
  expect(lines).toEqual(['shop_prod_20260413_0…    0 %  0 B of 1.0 MiB']);
  const small = screen({ width: 20 });
  small.transfer.begin('shop_prod_20260413_030000.tar', mebibyte);
  expect(small.lines[0]).toHaveLength(19);
});

test('an empty file is complete, and a name cannot steer the terminal', () => {
  const { transfer, lines } = screen();
  transfer.begin('a\x1b[2J', 0);
  expect(lines).toEqual(['a\\x1b[2J  [####################] 100 %  0 B of 0 B']);
});

test('nothing is shown where nobody looks', () => {
  for (const options of [{ terminal: false }, { width: 0 }]) {
    const { transfer, lines } = screen(options);
    transfer.begin('x', 1);
    transfer.add(1);
    transfer.end();
    expect(lines).toEqual([]);
  }
});
