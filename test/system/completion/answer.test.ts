import { describe, expect, test } from 'vitest';
import type { Candidate } from '../../../src/completion/name-cache.ts';
import type { Offer } from '../../../src/completion/offer.ts';
import { answerFor, readTypedWords } from '../../../src/completion/shells.ts';

const named = (...values: readonly string[]): readonly Candidate[] => values.map((value) => ({ value, about: '' }));

function offer(text: string, candidates: readonly Candidate[], more: Partial<Offer> = {}): Offer {
  return { kind: 'names', prefix: '', text, candidates, isOpen: false, taken: [], separators: '', ...more };
}

function answered(shell: string, given: readonly string[], offered: Offer): readonly string[] {
  const typed = readTypedWords(shell, given);
  if (!typed) throw new Error(`${shell} is no shell`);
  return answerFor(typed, offered).replace(/\n$/, '').split('\n');
}

/** What bash puts in place of what readline holds to be the word; TAB, or TAB TAB. */
function bash(line: string, offered: Offer, type = '9'): readonly string[] {
  const replaced = line.replace(/^(.*[\s"':=]|[^@]*(?=@))/s, '');
  return answered('bash', [`stackops ${line}`, replaced, type, '60'], offered).slice(2);
}

describe('bash', () => {
  test.each([
    ['my', 'my shop', 'my\\ shop'],
    ['"my', 'my shop', 'my shop'],
    ["'my", 'my shop', 'my shop'],
    ["'it", "it's", "it'\\''s"],
    ['it', "it's", "it\\'s"],
    ['"a', 'a"b$c`d\\e', 'a\\"b\\$c\\`d\\\\e'],
    ['a', '$(rm -rf ~);`x`|&<>*?[]{}!#^', '\\$\\(rm\\ -rf\\ \\~\\)\\;\\`x\\`\\|\\&\\<\\>\\*\\?\\[\\]\\{\\}\\!\\#\\^'],
    ['web:', 'web:1', '1'],
    ['ada@', 'ada@harbour.example', '@harbour.example'],
  ])('%s: %s is written %s', (line, value, written) => {
    const text = value.startsWith('$') ? '' : value.slice(0, line.replace(/^["']/, '').length);
    expect(bash(value.startsWith('$') ? '' : line, offer(text, named(value)))).toEqual([written]);
  });

  test('an exclamation mark cannot be written between double quotes', () => {
    expect(bash('"a', offer('a', named('a!b', 'ab')))).toEqual(['ab']);
  });

  test('behind a flag and its sign only the value is replaced', () => {
    expect(bash('--stack=my', offer('my', named('my shop'), { prefix: '--stack=' }))).toEqual(['my\\ shop']);
    expect(bash('-s a,my', offer('my', named('my shop'), { prefix: 'a,' }))).toEqual(['a,my\\ shop']);
  });

  test('begins with what was typed; else but for case, unless that would take something away', () => {
    expect(bash('lo', offer('lo', named('low', 'LOG')))).toEqual(['low']);
    expect(bash('lo', offer('lo', named('LOG_A', 'LOG_B')))).toEqual(['LOG_A', 'LOG_B']);
    expect(bash('lo', offer('lo', named('LOG', 'Log')))).toEqual([]);
    expect(bash('x', offer('x', named('LOG')))).toEqual([]);
  });

  test('a long name stands alone, a wide one in the column', () => {
    const candidates = [
      { value: 'x'.repeat(40), about: 'production' },
      { value: '日本', about: 'staging' },
      { value: 'crm', about: 'production' },
    ];
    expect(bash('', offer('', candidates), '63')).toEqual([
      'x'.repeat(40),
      `日本${' '.repeat(26)}  (staging)`,
      `crm${' '.repeat(27)}  (production)`,
    ]);
  });

  test('what is said of them is listed in a column, cut to the width, and never inserted', () => {
    const candidates = [
      { value: '1042', about: 'failed' },
      { value: '1041', about: 'a very long story that goes on and on and on, and is not told to its end' },
      { value: '9', about: '' },
    ];
    expect(bash('', offer('', candidates), '63')).toEqual([
      '1042  (failed)',
      '1041  (a very long story that goes on and on and on, and…)',
      '9',
    ]);
    expect(bash('', offer('', candidates), '9')).toEqual(['1042', '1041', '9']);
    expect(bash('', offer('', candidates), '37')).toEqual(['1042', '1041', '9']);
    expect(bash('', offer('', candidates.slice(0, 1)), '63')).toEqual(['1042']);
  });

  test('a redirection takes a file', () => {
    expect(answered('bash', ['stackops stack list > o', 'o'], offer('o', []))).toEqual(['files', '']);
  });
});

describe('the other shells', () => {
  test('zsh quotes by itself, but for the signs of its own list', () => {
    const candidates = [{ value: 'a:b\\c d', about: 'x: y' }, ...named('$x')];
    expect(answered('zsh', ['a'], offer('a', candidates, { prefix: 'k,' }))).toEqual([
      'names',
      'k,',
      'a\\:b\\\\c d:x: y',
      '$x',
    ]);
  });

  test('fish takes whole words', () => {
    const candidates = [{ value: 'a b', about: 'x' }];
    expect(answered('fish', ['--stack=a'], offer('a', candidates, { prefix: '--stack=' }))).toEqual([
      'names',
      '--stack=',
      '--stack=a b\tx',
    ]);
  });

  test.each([
    ["'my sh", 'my sh'],
    ['"my \\"sh', 'my "sh'],
    ['my\\ sh', 'my sh'],
    ['a\'b\'"c"d', 'abcd'],
    ["'it\\'s", "it's"],
    ['', ''],
  ])('fish: %s is %s', (word, currentWord) => {
    expect(readTypedWords('fish', ['stack', word])).toMatchObject({ before: ['stack'], currentWord });
  });

  test.each([
    ['shop', 'shop'],
    ['my shop', "'my shop'"],
    ["it's", "'it''s'"],
    ['a,b', "'a,b'"],
    ['$x;y', "'$x;y'"],
  ])('PowerShell: %s is written %s', (value, written) => {
    expect(answered('powershell', ['stack', '.'], offer('', [{ value, about: 'x' }]))).toEqual([
      'names',
      '',
      `${written}\t${value}\tx`,
    ]);
  });

  test('PowerShell: the last word comes with a dot, and with the quote that is open', () => {
    expect(readTypedWords('powershell', ['stack', '.'])).toMatchObject({ before: ['stack'], currentWord: '' });
    expect(readTypedWords('powershell', ["'my.."])).toMatchObject({ before: [], currentWord: 'my.' });
  });
});

describe('no space', () => {
  test.each([
    ['names nospace', named('A', 'B'), true],
    ['names nospace', named('server/', 'loadbalancer/'), false],
    ['names', named('A='.slice(0, 1), 'B/'), false],
    ['names', [], true],
  ])('%s', (kind, candidates, isOpen) => {
    expect(answered('zsh', [''], offer('', candidates, { isOpen }))[0]).toBe(kind);
  });

  test('what stands there already is not offered again', () => {
    expect(answered('zsh', [''], offer('', named('A', 'B'), { taken: ['A'], isOpen: true }))).toEqual([
      'names nospace',
      '',
      'B=',
    ]);
  });
});
