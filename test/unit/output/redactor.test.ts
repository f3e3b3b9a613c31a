import fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import { createRedactor } from '../../../src/output/safe/redactor.ts';
import { property } from '../../support/property.ts';
import { leaksIn, secretForms } from '../../support/secret-forms.ts';

function hiding(...secrets: readonly string[]) {
  const redactor = createRedactor();
  for (const secret of secrets) redactor.hide(secret);
  return redactor;
}

describe('a credential is found', () => {
  test.each(Object.entries(secretForms))('%s', (_, form) => {
    const secret = `Tö"k/e+n\\ <Zz>&'9=`;
    const shown = hiding(secret).redact(`before ${form(secret)} behind`);
    expect(shown).toMatch(/^before .{0,6}\*\*\*.{0,8} behind$/);
    expect(leaksIn(shown, secret)).toEqual([]);
  });
});

test('of several lines, also when they became one', () => {
  const key = '-----BEGIN KEY-----\nMIIB+/0=\n-----END KEY-----\n';
  const { redact } = hiding(key);
  expect(redact(`bad key ${key.replaceAll('\n', ' ')}`)).toBe('bad key *** ');
  expect(redact(`bad key ${JSON.stringify(key)}`)).toBe('bad key "***\\n"');
});

test('a short one stands alone, a longer one is found within words', () => {
  expect(hiding('tok').redact('tok, token and /devices/tok')).toBe('***, token and /devices/***');
  expect(hiding('tokens').redact('mytokensare')).toBe('my***are');
});

test.each([
  ['straße-7', 'STRASSE-7'],
  ['  !𐀀𐀀ᾀ', '!𐀀𐀀ἈΙ'],
  ['İzmir-35', 'i̇zmir-35'],
  ['οδος-ΟΔΟΣ', 'ΟΔΟΣ-οδοσ'],
])('%s is found as %s, whatever letter follows', (secret, written) => {
  const { redact } = hiding(secret);
  expect([redact(`<${written}>`), redact(`ß${written}x`), redact(`İ${secret.trim()}Σ`)]).toEqual([
    '<***>',
    'ß***x',
    'İ***Σ',
  ]);
});

test('nothing is a secret that is empty, and a text without secrets stays as it is', () => {
  const text = '100 % of a\\nb &amp; c + d';
  expect(hiding('', '  ').redact(text)).toBe(text);
  expect(hiding('hunter22').redact(text)).toBe(text);
});

test('a written value is missing in what the service says, and only there', () => {
  const redactor = createRedactor();
  for (const value of ['hunter22', 'percentage', 'short']) redactor.hideWritten(value);
  expect(redactor.quote('hunter22: canary_percentage is no percentage;\n short')).toBe(
    '***: canary_percentage is no ***; short',
  );
  expect(redactor.redact('hunter22')).toBe('hunter22');
});

test('what is quoted is cut behind its secrets', () => {
  const quoted = hiding('hunter22').quote(`${'x'.repeat(496)}hunter22`);
  expect(quoted).toBe(`${'x'.repeat(496)}***`);
});

const secrets = fc.string({ unit: 'grapheme', minLength: 6, maxLength: 40 }).filter((text) => text.trim().length >= 6);
const forms = fc.constantFrom(...Object.keys(secretForms));
const around = fc.stringMatching(/^[ :;,.]{0,5}$/);

property('whatever the secret and its form', [secrets, forms, around, around], (secret, name, before, behind) => {
  const form = secretForms[name] ?? String;
  const shown = hiding(secret).redact(`<${before}${form(secret.trim())}${behind}>`);
  if (!shown.includes('***')) throw new Error(shown);
});
