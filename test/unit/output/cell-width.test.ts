import fc from 'fast-check';
import { expect, test } from 'vitest';
import { cellWidth, cutToWidth, messageLines, wrapToWidth } from '../../../src/output/table/cell-width.ts';
import { property } from '../../support/property.ts';

test.each([
  ['', 0],
  ['canary', 6],
  ['naïve', 5],
  ['nai\u0308ve', 5],
  ['東京', 4],
  ['カナリア', 8],
  ['서울', 4],
  ['ｆｕｌｌ', 8],
  ['ﾊﾝ', 2],
  ['🚀', 2],
  ['🫠', 2],
  ['👍🏽', 2],
  ['❤️', 2],
  ['❤', 1],
  ['🇨🇭', 2],
  ['สวัสดี', 4],
  ['…•', 2],
])('%j takes %i columns', (text, width) => {
  expect(cellWidth(text)).toBe(width);
});

test.each([
  ['canary', 6, 'canary'],
  ['canary', 4, 'can…'],
  ['東京都', 5, '東京…'],
  ['東京都', 4, '東…'],
  ['nai\u0308ve text', 4, 'nai\u0308…'],
  ['🚀🚀🚀', 3, '🚀…'],
])('%j cut to %i columns is %j', (text, width, cut) => {
  expect(cutToWidth(text, width)).toBe(cut);
});

property(
  'what is cut always fits and is well-formed',
  [fc.string({ unit: 'grapheme' }), fc.integer({ min: 1, max: 20 })],
  (text, width) => {
    const cut = cutToWidth(text, width);
    expect(cellWidth(cut)).toBeLessThanOrEqual(width);
    expect(cut.isWellFormed()).toBe(true);
  },
);

test.each([
  ['', 4, ['']],
  ['not there', 9, ['not there']],
  ['not there', 8, ['not', 'there']],
  ['a b c d', 3, ['a b', 'c d']],
  ['one  two', 4, ['one', 'two']],
  ['/usr/local/bin', 5, ['/usr/', 'local', '/bin']],
  ['in /usr/local', 5, ['in', '/usr/', 'local']],
  ['東京 大阪府', 5, ['東京', '大阪', '府']],
  ['one two three four', 5, ['one', 'two', 'thre…']],
])('%j in %i columns on at most three lines: %j', (text, width, lines) => {
  expect(wrapToWidth(text, width, 3)).toEqual(lines);
});

test.each([
  ['not there', 20, ['not there']],
  ['the stack is not there', 20, ['the stack is', '      not there']],
  ['/usr/local/bin/stackops is not there', 20, ['/usr/local/bin/stackops', '      is not there']],
  ['see: stackops status', 20, ['see:', '     stackops status']],
  ['stackops status', 20, ['', '     stackops status']],
  ['mkdir -p /srv/x', 20, ['', '     mkdir -p /srv/x']],
  ['chmod o-w /srv/a', 20, ['', '    chmod o-w /srv/a']],
  ['stackops status -s shop', 20, ['stackops status -s shop']],
  ['see: stackops status -s shop', 20, ['see:', ' stackops status -s shop']],
])('%j beside a label in %i columns: %j', (text, width, lines) => {
  expect(messageLines(text, width, 6)).toEqual(lines);
});

property(
  'what is wrapped fits, is well-formed and complete',
  [fc.string({ unit: 'grapheme' }), fc.integer({ min: 2, max: 20 })],
  (text, width) => {
    const lines = wrapToWidth(text, width, Number.POSITIVE_INFINITY);
    for (const line of lines) {
      expect(cellWidth(line)).toBeLessThanOrEqual(width);
      expect(line.isWellFormed()).toBe(true);
    }
    expect(lines.join('').replaceAll(/\s/g, '')).toBe(text.replaceAll(/\s/g, ''));
  },
);
