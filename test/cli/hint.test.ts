import { expect, test } from 'vitest';
import { atSameService } from '../../src/cli/hint.ts';
import type { Options } from '../../src/cli/options.ts';
import { shownWord, wordsForRecords } from '../../src/cli/words.ts';

const options = { sandbox: true, profile: 'eu west' } as Options;
const tail = "--sandbox -p 'eu west'";

test('every one of several commands goes to the same service', () => {
  expect(atSameService('stackops stack list', options)).toBe(`stackops stack list ${tail}`);
  expect(atSameService('stackops db list && stackops db list -g 2', options)).toBe(
    `stackops db list ${tail} && stackops db list -g 2 ${tail}`,
  );
  expect(atSameService('stackops stack list && stackops db list', {} as Options)).toBe(
    'stackops stack list && stackops db list',
  );
});

test('what stands between quotes is no command', () => {
  const value = "stackops stack env set 'A=1 && stackops 2' 'B=it'\\''s && stackops 3'";
  expect(atSameService(value, options)).toBe(`${value} ${tail}`);
});

test('the query and the password of an address are not repeated', () => {
  const words = ['--url', 'https://ada:pw@files.example.com/a.tar?X-Sig=s3cret&b=1', 'https://files.example.com/a.tar'];
  const shown = ['--url', 'https://<value>@files.example.com/a.tar?<value>', 'https://files.example.com/a.tar'];
  expect(wordsForRecords(words, false)).toEqual(shown);
  expect(words.map(shownWord)).toEqual(shown);
});
