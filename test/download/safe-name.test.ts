import { describe, expect, test } from 'vitest';
import { safeName } from '../../src/commands/backup/safe-name.ts';
import { Problem } from '../../src/problems/problem.ts';

describe('a name that a service gave', () => {
  test.each([
    ['shop_prod_20260504.tar'],
    ['shop.tar-aa'],
    ['a..b'],
    ['a..'],
    ['with blanks and ünïcödé 日本.tar'],
    ['12:30.tar'],
    ['-rf'],
    ['nulls.tar'],
    ['com10'],
    ['console.log'],
    ['%2e%2e%2fevil'],
    ['x'.repeat(250)],
  ])('%s stays as it is', (name) => {
    expect(safeName(name)).toBe(name);
  });

  test.each([
    ['../../evil', 'evil'],
    ['..\\..\\evil', 'evil'],
    ['/etc/passwd', 'passwd'],
    ['C:\\Windows\\evil.tar', 'evil.tar'],
    ['c:evil.tar', 'evil.tar'],
    ['\\\\host\\share\\evil', 'evil'],
    ['backups/shop/901/shop.tar', 'shop.tar'],
    ['./x', 'x'],
    ['.ssh/id', 'id'],
  ])('%s becomes %s: its last part, never a path', (given, name) => {
    expect(safeName(given)).toBe(name);
  });

  test.each([
    ['', 'which is no name for a file'],
    ['.', 'which is no name for a file'],
    ['..', 'which is no name for a file'],
    ['...', 'which is no name for a file'],
    [' ', 'which is no name for a file'],
    ['x/', 'which is no name for a file'],
    ['a/..', 'which is no name for a file'],
    ['C:', 'which is no name for a file'],
    ['NUL', 'which is the name of a device'],
    ['nul.tar', 'which is the name of a device'],
    ['CON ', 'which is the name of a device'],
    ['com1.tar.gz', 'which is the name of a device'],
    ['.ssh', 'which other programs would trust'],
    ['../.bashrc', 'which other programs would trust'],
    ['.BashRC', 'which other programs would trust'],
    ['.git', 'which other programs would trust'],
    ['.forward', 'which other programs would trust'],
    ['.psqlrc', 'which other programs would trust'],
    ['.gdbinit', 'which other programs would trust'],
    ['.tmux.conf', 'which other programs would trust'],
    ['.my.cnf', 'which other programs would trust'],
    ['.pgpass', 'which other programs would trust'],
    ['.curlrc', 'which other programs would trust'],
    ['..a', 'which other programs would trust'],
    ['a\0b', 'which holds characters that do not show'],
    ['a\nb', 'which holds characters that do not show'],
    ['\x1b[2Jx', 'which holds characters that do not show'],
    ['rat\u202egpj.tar', 'which holds characters that do not show'],
    ['a\u200bb', 'which holds characters that do not show'],
    ['\ud800', 'which holds characters that do not show'],
    ['x'.repeat(251), 'which is longer than 250 bytes'],
    ['x'.repeat(300), 'which is longer than 250 bytes'],
    ['ü'.repeat(126), 'which is longer than 250 bytes'],
  ])('%j is refused, %s', (given, why) => {
    expect(() => safeName(given)).toThrow(Problem);
    expect(() => safeName(given)).toThrow(`, ${why}; it was not read`);
  });
});
