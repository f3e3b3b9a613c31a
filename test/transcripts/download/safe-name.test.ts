import { describe, expect, test } from 'vitest';
import { safeName } from '../../../src/commands/backup/download.ts';
import { CliError } from '../../../src/errors/cli-error.ts';

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
    expect(safeName(name, 'linux')).toBe(name);
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
    expect(safeName(given, 'linux')).toBe(name);
  });

  test.each([
    ['', 'is not a file name'],
    ['.', 'is not a file name'],
    ['..', 'is not a file name'],
    ['...', 'is not a file name'],
    [' ', 'is not a file name'],
    ['x/', 'is not a file name'],
    ['a/..', 'is not a file name'],
    ['C:', 'is not a file name'],
    ['NUL', 'is the name of a device'],
    ['nul.tar', 'is the name of a device'],
    ['CON ', 'is the name of a device'],
    ['com1.tar.gz', 'is the name of a device'],
    ['.ssh', 'starts with a dot'],
    ['../.bashrc', 'starts with a dot'],
    ['.BashRC', 'starts with a dot'],
    ['.git', 'starts with a dot'],
    ['.forward', 'starts with a dot'],
    ['.psqlrc', 'starts with a dot'],
    ['.gdbinit', 'starts with a dot'],
    ['.tmux.conf', 'starts with a dot'],
    ['.my.cnf', 'starts with a dot'],
    ['.pgpass', 'starts with a dot'],
    ['.curlrc', 'starts with a dot'],
    ['..a', 'starts with a dot'],
    ['a\0b', 'contains hidden characters'],
    ['a\nb', 'contains hidden characters'],
    ['\x1b[2Jx', 'contains hidden characters'],
    ['rat\u202egpj.tar', 'contains hidden characters'],
    ['a\u200bb', 'contains hidden characters'],
    ['\ud800', 'contains hidden characters'],
    ['x'.repeat(251), 'is longer than 250 bytes'],
    ['x'.repeat(300), 'is longer than 250 bytes'],
    ['ü'.repeat(126), 'is longer than 250 bytes'],
  ])('%j is refused, %s', (given, why) => {
    expect(() => safeName(given, 'linux')).toThrow(CliError);
    expect(() => safeName(given, 'linux')).toThrow(` ${why}; it was not downloaded`);
  });
});
