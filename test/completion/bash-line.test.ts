import { describe, expect, test } from 'vitest';
import { readBashLine } from '../../src/completion/bash-line.ts';

/** What bash starts with. */
const breaks = ' \t\n"\'@><=;|&(:';
const read = (line: string) => readBashLine(line, breaks);

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
  ])('%s', (line, before, current) => {
    expect(read(line)).toMatchObject({ before, current, isRedirected: false });
  });

  test.each([
    ['stackops --stack=sh', 8, ''],
    ['stackops ada@harb', 4, ''],
    ['stackops web:1', 4, ''],
    ['stackops web\\:1', 0, ''],
    ['stackops "web:1', 0, '"'],
    ['stackops --stack="my sh', 8, '"'],
    ["stackops --stack='my", 8, "'"],
    ['stackops --stack="my"sh', 8, ''],
  ])('%s: readline keeps %d characters', (line, fixed, quote) => {
    expect(read(line)).toMatchObject({ fixed, quote });
  });

  test('break characters are what they were set to', () => {
    expect(readBashLine('stackops --stack=a:b', ' ')).toMatchObject({ fixed: 0 });
  });

  test('a redirection is no word, and takes a file', () => {
    expect(read('stackops stack list > out')).toMatchObject({ before: ['stack', 'list'], isRedirected: true });
    expect(read('stackops stack list 2>err ')).toMatchObject({
      before: ['stack', 'list'],
      current: '',
      isRedirected: false,
    });
    expect(read('stackops stack list 2>')).toMatchObject({ before: ['stack', 'list'], isRedirected: true });
  });
});
