import { expect, test } from 'vitest';
import { atSameService } from '../../src/cli/hint.ts';
import type { Options } from '../../src/cli/options.ts';
import { withoutValues } from '../../src/cli/words.ts';
import { veiledShellWord } from '../../src/contract/shell-word.ts';

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
  expect(["it's=<value>", 'https://<value>@h/a?<value>', '', 'a b'].map(veiledShellWord)).toEqual([
    "'it'\\''s='<value>",
    "https://<value>'@h/a?'<value>",
    "''",
    "'a b'",
  ]);
});
