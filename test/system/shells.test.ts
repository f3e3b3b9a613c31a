import { execFileSync } from 'node:child_process';
import { writeFileSync } from 'node:fs';
import { join } from 'node:path';
import fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import { shellWord } from '../../src/contract/values/text.ts';
import { envFileText, readVariables } from '../../src/env-file/formats.ts';
import { hasProgram } from '../support/programs.ts';
import { slowProperty } from '../support/property.ts';
import { temporaryFolder } from '../support/stackops.ts';

const shells = ['sh', 'bash', 'zsh', 'fish'] as const;
const pieces = [
  "'",
  '"',
  '\\',
  '\\\\',
  '$',
  '`',
  '!',
  '=',
  '%',
  '~',
  '#',
  '\n',
  ' ',
  '*',
  '{a,b}',
  '(id)',
  'é',
  '-n',
  '?',
];
const texts = fc.oneof(
  fc.array(fc.constantFrom(...pieces), { maxLength: 8 }).map((parts) => parts.join('')),
  fc.string({ unit: 'grapheme' }).filter((text) => !text.includes('\0')),
);
const hard: readonly string[] = [
  '\\',
  '\\\\',
  "\\'",
  "'\\",
  '=ls',
  '%self',
  '{"a":"\\"b\\\\"}',
  "it's",
  '!!',
  '-e',
  '',
];

/** Runs a script; a shell that takes part of a value for a command says so. */
function ran(shell: string, script: string): string {
  const flags = { sh: [], bash: ['--norc'], zsh: ['-f'], fish: ['--no-config'] }[shell] ?? [];
  return execFileSync(shell, [...flags, '-c', script], { encoding: 'utf8', stdio: ['ignore', 'pipe', 'pipe'] });
}

describe.each(shells)('%s', (shell) => {
  const tested = test.skipIf(!hasProgram(shell));

  tested('reads each word of a printed line as it was meant', () => {
    const line = hard.map(shellWord).join(' ');
    expect(ran(shell, `printf '%s|' ${line}`)).toBe(hard.map((word) => `${word}|`).join(''));
  });

  tested('sources what env export --format shell writes', () => {
    const values = new Map(hard.map((value, index) => [`V_${index}`, value]));
    const file = join(temporaryFolder(), 'values.sh');
    writeFileSync(file, envFileText(values, 'shell'));
    const names = [...values.keys()].map((name) => `"$${name}"`).join(' ');
    expect(ran(shell, `. ${file}; printf '%s|' ${names}`)).toBe(hard.map((value) => `${value}|`).join(''));
  });

  if (!hasProgram(shell)) return;
  slowProperty('reads any text that is quoted for it', [texts], async (text) => {
    expect(ran(shell, `printf '%s' ${shellWord(text)}`)).toBe(text);
  });
});

const sourced = fc.oneof(
  texts,
  fc.array(fc.constantFrom("'", '`touch ran`', '$(touch ran)', ';', '\\'), { maxLength: 5 }).map((all) => all.join('')),
);
slowProperty(
  'a dotenv file that is sourced holds the values and runs nothing, or was refused',
  [sourced],
  async (value) => {
    const folder = temporaryFolder();
    const text = attempt(() => envFileText(new Map([['VALUE', value]]), 'dotenv'));
    if (text === undefined) {
      expect(value).toSatisfy((text: string) => text.includes("'") && text.includes('`'));
      return;
    }
    writeFileSync(join(folder, 'v.env'), text);
    const [entry, ...more] = await readVariables({ text, source: 'v.env' }, 'dotenv');
    expect({ value: entry?.value, more }).toEqual({ value, more: [] });
    expect(ran('sh', `cd ${folder}; set -e; . ./v.env; printf '%s|' "$VALUE"; ls`)).toBe(`${value}|v.env\n`);
  },
  [["'`touch ran`"], ["'$(touch ran)"]],
);

test.each(['$(touch ran)', 'A;touch ran;B', 'A\nB', 'A B', '', "it's", 'a/b', 'A#B', 'A=B'])(
  'the name %j is refused in a dotenv file',
  (name) => {
    expect(() => envFileText(new Map([[name, 'x']]), 'dotenv')).toThrow(
      `a dotenv file cannot name a variable ${JSON.stringify(name)}`,
    );
  },
);

test.each(['A', 'a.b', 'my-key', '1ST', 'GRÖSSE', '_'])('the name %j reads back', async (name) => {
  const text = envFileText(new Map([[name, 'x']]), 'dotenv');
  expect(await readVariables({ text, source: '' }, 'dotenv')).toMatchObject([{ key: name, value: 'x' }]);
});

function attempt(work: () => string): string | undefined {
  try {
    return work();
  } catch {
    return undefined;
  }
}
