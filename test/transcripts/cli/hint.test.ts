import { expect, test } from 'vitest';
import { withoutValues } from '../../../src/cli/arguments/flags.ts';
import { commandText, flagWords } from '../../../src/contract/command-line.ts';
import { quoteWithPlaceholder } from '../../../src/contract/values/text.ts';

test('every one of several commands goes to the same service, and names its stack as it was given', () => {
  const lines = [
    { path: 'variant list', stack_id: 'a1' },
    { path: 'db list', stack_id: 'b2', server_group_id: 21 },
  ];
  const destination = {
    flags: ['--sandbox', '-p', 'eu west'],
    stackName: (uid: string) => (uid === 'a1' ? 'my shop' : uid),
  };
  expect(commandText(lines, destination)).toBe(
    "stackops variant list -s 'my shop' --sandbox -p 'eu west' && stackops db list -s b2 -g 21 --sandbox -p 'eu west'",
  );
  expect(commandText(lines)).toBe('stackops variant list -s a1 && stackops db list -s b2 -g 21');
});

test('what looks like a flag stands behind --, or joined to its own flag', () => {
  expect(commandText({ path: 'tags set', operands: ['server/a', '-x'], stack_id: '-y' })).toBe(
    'stackops tags set -s-y -- server/a -x',
  );
  expect(flagWords('--name', '-x')).toEqual(['--name=-x']);
});

test('what no line can show is not shown', () => {
  expect(commandText({ path: 'tags clear', operands: ['a\nb'] })).toBeUndefined();
  expect(commandText([])).toBeUndefined();
});

test('the query and the password of an address are not repeated', () => {
  const words = ['--url', 'https://ada:pw@files.example.com/a.tar?X-Sig=s3cret&b=1', 'https://files.example.com/a.tar'];
  const shown = ['--url', 'https://<value>@files.example.com/a.tar?<value>', 'https://files.example.com/a.tar'];
  expect(withoutValues(words)).toEqual(shown);
  expect(withoutValues([`--url=${words[1]}`])).toEqual([`--url=${shown[1]}`]);
  expect(withoutValues(['https://files.example.com/a#s3cret', 'files.example.com/a?sig=s3cret'])).toEqual([
    'https://files.example.com/a#<value>',
    'files.example.com/a?sig=<value>',
  ]);
});

test('a value is not kept, whatever its name looks like', () => {
  const names = ['A', '2FA', 'a b', 'ключ', '$X', 'A:B', '-fkey', '/stacks?token'];
  const kept = (words: readonly string[]) => withoutValues(words).join('\n');
  expect(kept(names.map((name) => `${name}=s3cret=1`))).toBe(names.map((name) => `${name}=<value>`).join('\n'));
  expect(withoutValues(['--field=a b=s3cret', '--', '--X=s3cret'])).toEqual([
    '--field=a b=<value>',
    '--',
    '--X=<value>',
  ]);
});

test('a value that is no secret is kept, and those of flags beside it are not', () => {
  const argv = ['user', 'update', '--role', 'shop=Admin', '--role=blog=Admin', '--field', 'key=s3cret'];
  expect(withoutValues(argv, ['shop=Admin', 'blog=Admin'])).toEqual([...argv.slice(0, -1), 'key=<value>']);
});

test('no shell passes a placeholder on', () => {
  expect(["it's=<value>", 'https://<value>@h/a?<value>', '', 'a b'].map(quoteWithPlaceholder)).toEqual([
    "'it'\\''s='<value>",
    "https://<value>'@h/a?'<value>",
    "''",
    "'a b'",
  ]);
});
