import { expect, it } from 'vitest';
import { splitCommand } from '../../../src/fields/read-value.ts';

it.each([
  ['op read op://ops/stackops/token', ['op', 'read', 'op://ops/stackops/token']],
  ['  pass\tshow  ops/stackops ', ['pass', 'show', 'ops/stackops']],
  ["secret-tool lookup name 'my token'", ['secret-tool', 'lookup', 'name', 'my token']],
  ['security find -a "my \\"name\\"" -w', ['security', 'find', '-a', 'my "name"', '-w']],
  ["sh -c 'op read op://a/b | head -1; echo $HOME'", ['sh', '-c', 'op read op://a/b | head -1; echo $HOME']],
  [`print it''self "" '' a"b c"'d e'`, ['print', 'itself', '', '', 'ab cd e']],
  ['a\\ b \\$c \\~ "\\$d" "C:\\Program Files\\op.exe"', ['a b', '$c', '~', '$d', 'C:\\Program Files\\op.exe']],
  ['op read op://vault/item?attribute=otp', ['op', 'read', 'op://vault/item?attribute=otp']],
])('%s', (text, words) => {
  expect(splitCommand(text)).toEqual(words);
});

it.each([
  'op read x | head -1',
  'a & b',
  'a ; b',
  'a < b',
  'a > b',
  'a $b',
  'a "$b"',
  'a `b`',
  'a "`b`"',
  '~/bin/token',
  "op 'read",
  'op "read',
  'op read\\',
  'VAULT_TOKEN=abc vault read x',
  '',
  ' ',
  "''",
])('%j needs a shell, or is no command', (text) => {
  expect(splitCommand(text)).toBeUndefined();
});
