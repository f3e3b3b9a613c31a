import fc from 'fast-check';
import { expect, test } from 'vitest';
import { safeLines, safeText } from '../../../src/output/safe/safe-text.ts';
import { anyText, property } from '../../support/property.ts';

test.each([
  ['plain ~ text', 'plain ~ text'],
  ['Zürich 東京 🚀 ❤️', 'Zürich 東京 🚀 ❤️'],
  ['\x1b[31mred', '\\x1b[31mred'],
  ['\x1b]52;c;aGk=\x07', '\\x1b]52;c;aGk=\\x07'],
  ['a\tb\r\nc', 'a\\tb\\r\\nc'],
  ['\0\x7f\x85\x9b', '\\x00\\x7f\\x85\\x9b'],
  ['a\u2028b\u2029c', 'a\\u2028b\\u2029c'],
  ['user\u202etxt.exe\u2066\u061c', 'user\\u202etxt.exe\\u2066\\u061c'],
  ['zero\u200bwidth\u200d\ufeff\u00ad', 'zero\\u200bwidth\\u200d\\ufeff\\xad'],
  ['tag\u{e0041}', 'tag\\u{e0041}'],
  ['half \ud83d of a pair', 'half \\ud83d of a pair'],
  ['key\ufe0f', 'key\\ufe0f'],
  ['back\\slash', 'back\\slash'],
])('%j becomes %j', (text, safe) => {
  expect(safeText(text)).toBe(safe);
});

test('lines keep their line feeds and tabs, and nothing else', () => {
  expect(safeLines('a\tb\n\x1b[2Jc\r\n')).toBe('a\tb\n\\x1b[2Jc\\r\n');
});

/** Written out by code point: independent of the Unicode properties that the code asks for. */
const steering = /[\0-\x1f\x7f-\x9f\xad\u061c\u200b-\u200f\u2028-\u202e\u2060-\u206f\ufeff]|[\u{e0000}-\u{e0fff}]/u;

function expectHarmless(text: string): void {
  const safe = safeText(text);
  if (steering.test(safe) || !safe.isWellFormed() || safeText(safe) !== safe) throw new Error(JSON.stringify(text));
}

test('no code point of Unicode comes through that steers a terminal or hides', () => {
  for (let code = 0; code <= 0x10ffff; code += 1) expectHarmless(String.fromCodePoint(code));
});

const points = fc.array(fc.integer({ min: 0, max: 0x10ffff })).map((codes) => String.fromCodePoint(...codes));
const halves = fc.array(fc.integer({ min: 0xd800, max: 0xdfff })).map((units) => String.fromCharCode(...units));

property(
  'nor does any sequence of code points or of halves of pairs, and safe text stays as it is',
  [fc.oneof(points, halves, anyText)],
  expectHarmless,
);
