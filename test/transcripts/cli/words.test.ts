import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { expect, test } from 'vitest';
import { faultOf } from '../../support/printed-commands.ts';
import { run } from '../../support/stackops.ts';

/** What operators type who know gh, heroku, fly, kubectl, hcloud, doctl, docker compose or systemctl, and the hint for it. */
const answers = readFileSync(join(import.meta.dirname, 'words.txt'), 'utf8')
  .split('\n')
  .filter(Boolean)
  .flatMap((line) => {
    const [typed = '', hint = ''] = line.split(' -> ');
    return typed.split(' | ').map((words) => ({ typed: words, hint }));
  });
/** Hints where there is no such command. */
const sentences = new Set(answers.map(({ hint }) => hint).filter((hint) => !hint.startsWith('stackops ')));

test.each(answers)('$typed is answered with $hint', async ({ typed, hint }) => {
  const { code, stdout, stderr } = await run(typed.split(' '));
  expect([code, stdout]).toEqual([2, '']);
  expect(stderr.split('\n').slice(1)).toEqual([`hint: ${hint}`, '']);
  expect(stderr).not.toContain('s3cret');
});

test('hardly any is only sent to a page of help, and none stands here twice', () => {
  expect(new Set(answers.map(({ typed }) => typed)).size).toBe(answers.length);
  expect(answers.length).toBeGreaterThan(300);
  expect(answers.filter(({ hint }) => hint.endsWith('--help')).length).toBeLessThanOrEqual(20);
});

test.each([...sentences])('the command in a sentence works: %s', async (sentence) => {
  const [, command] = /: (stackops .*)$/.exec(sentence) ?? [];
  expect(command && (await faultOf(command, []))).toBeUndefined();
});

test.each(['env TOKEN=s3cret', 'TOKEN=s3cret', 'stack TOKEN=s3cret list'])(
  'a value in the place of a command is not repeated: %s',
  async (typed) => {
    const { code, stderr } = await run(typed.split(' '));
    expect(code).toBe(2);
    expect(stderr).toMatch(/^error: unknown command "TOKEN=…"\nhint: /);
  },
);
