import { parseEnv } from 'node:util';
import { parse } from 'dotenv';
import fc from 'fast-check';
import { expect } from 'vitest';
import {
  type EnvFormat,
  envFileText,
  envFormats,
  readVariables,
  updatedFileText,
} from '../../../src/env-file/formats.ts';
import { property } from '../../support/property.ts';

const source = '.env';
const keys = fc.stringMatching(/^[A-Za-z_][A-Za-z0-9_]{0,9}$/);
const hard = fc.constantFrom(
  "'",
  '"',
  '\\',
  '$',
  '`',
  '#',
  ' ',
  '\n',
  '\r\n',
  '\t',
  '=',
  'é',
  '💧',
  '!',
  ' #',
  '\\n',
  '$A',
  '$(id)',
  'no',
  '1.0',
  '~',
);
const texts = fc.oneof(
  fc.array(hard, { maxLength: 8 }).map((parts) => parts.join('')),
  fc.string({ unit: 'grapheme' }).filter((text) => !text.includes('\0')),
);
/** No dotenv value is safe in a shell with both. */
const safeTexts = texts.filter((text) => !(text.includes("'") && text.includes('`')));
const sets = fc.uniqueArray(fc.tuple(keys, safeTexts), { selector: ([key]) => key, maxLength: 6 });
const formats = fc.constantFrom(...envFormats);
type Pairs = readonly (readonly [string, string])[];

property('any set of values reads back as it was written', [sets, formats], async (pairs, format) => {
  const text = envFileText(new Map(pairs), format);
  expect(await pairsIn(text, format)).toEqual(pairs);
});

property(
  'a file takes other values in, and keeps the keys it had',
  [sets, sets, formats],
  async (old, pairs, format) => {
    const text = envFileText(new Map(old), format);
    const both = await updatedFileText({ text, source }, format, new Map(pairs));
    expect(new Map(await pairsIn(both, format))).toEqual(new Map([...old, ...pairs]));
  },
);

property('other readers agree where single quotes are enough and no CR is in a value', [sets], async (pairs) => {
  const simple = pairs.filter(([, value]) => !/['\r]/.test(value));
  const text = envFileText(new Map(simple), 'dotenv');
  expect(parseEnv(text)).toEqual(Object.fromEntries(simple));
  // The package takes a backslash at the end of a value for one that escapes the quote.
  const plainer = simple.filter(([, value]) => !value.endsWith('\\'));
  expect(parse(envFileText(new Map(plainer), 'dotenv'))).toEqual(Object.fromEntries(plainer));
});

async function pairsIn(text: string, format: EnvFormat): Promise<Pairs> {
  return (await readVariables({ text, source }, format)).map(({ key, value }) => [key, value] as const);
}
