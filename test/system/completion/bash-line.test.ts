import { describe, expect, test } from 'vitest';
import { readTypedWords } from '../../../src/completion/shells.ts';

/** With what readline replaces of it, as bash tells. */
const read = (line: string, replaced = '') => readTypedWords('bash', [line, replaced]);

describe('a line of bash up to the cursor', () => {
  test.each([
    ['stackops ', [], ''],
    ['stackops sta', [], 'sta'],
    ['stackops  stack\tenv ', ['stack', 'env'], ''],
    ['stackops -s my\\ shop stack', ['-s', 'my shop'], 'stack'],
    [`stackops -s "my shop" 'it is' a`, ['-s', 'my shop', 'it is'], 'a'],
    [`stackops "a\\"b\\$c\\d" ''`, ['a"b$c\\d'], ''],
    [`stackops a'b'"c"d`, [], 'abcd'],
    [`stackops 'a\\`, [], 'a\\'],
    ['stackops Bücher\\ 📚', [], 'Bücher 📚'],
  ])('%s', (line, before, currentWord) => {
    expect(read(line)).toMatchObject({ before, currentWord, isRedirected: false });
  });

  test.each([
    ['stackops --stack=sh', 'sh', 8, ''],
    ['stackops --stack=', '', 8, ''],
    ['stackops --stack=', '=', 8, ''],
    ['stackops ada@harb', '@harb', 3, ''],
    ['stackops web:1', '1', 4, ''],
    ['stackops web\\:1', 'web\\:1', 0, ''],
    ['stackops "web:1', 'web:1', 0, '"'],
    ['stackops --stack="my sh', 'my sh', 8, '"'],
    ["stackops --stack='my", 'my', 8, "'"],
    ['stackops --stack="my"sh', '"my"sh', 8, ''],
    ['stackops a"b c', 'b c', 1, '"'],
  ])('%s, of which readline replaces %s: %d characters stay', (line, replaced, keptLength, quote) => {
    expect(read(line, replaced)).toMatchObject({ keptLength, quote });
  });

  test.each([
    ['stackops stack li', 0],
    ['stackops --stack=sh', 8],
    ['stackops --stack="my sh', 8],
    ['stackops web:1', 4],
    ['stackops ', 0],
  ])('%s: of the script of 0.1.0, which passes COMP_WORDBREAKS, %d characters stay', (line, keptLength) => {
    expect(read(line, ' \t\n"\'@><=;|&(:')).toMatchObject({ keptLength });
  });

  test('a redirection is no word, and takes a file', () => {
    expect(read('stackops stack list > out')).toMatchObject({ before: ['stack', 'list'], isRedirected: true });
    expect(read('stackops stack list 2>err ')).toMatchObject({
      before: ['stack', 'list'],
      currentWord: '',
      isRedirected: false,
    });
    expect(read('stackops stack list 2>')).toMatchObject({ before: ['stack', 'list'], isRedirected: true });
  });
});
