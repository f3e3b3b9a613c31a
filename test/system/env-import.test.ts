import fc from 'fast-check';
import { expect } from 'vitest';
import { envFileText, envFormats } from '../../src/env-file/formats.ts';
import { slowProperty } from '../support/property.ts';
import { ownFolders, run } from '../support/stackops.ts';

/** Sets of variables imported from stdin into one stack of the sandbox. */

const keys = fc.oneof(
  fc.constantFrom('LOG_LEVEL', 'CURRENCY', 'GREETING', 'SMTP_PASSWORD', 'ROBOTS'),
  fc.stringMatching(/^NEW_[A-Z0-9_]{0,6}$/),
);
const values = fc.oneof(
  fc.constantFrom('', 'EUR', 'a b', "it's", '"', '$HOME', '`id`', '#', ' ', '\n', 'a\r\nb', '\t', '💧', '\\', '!'),
  // The mask is refused as the value of a secret.
  fc.string({ unit: 'grapheme', maxLength: 20 }).filter((text) => !text.includes('\0') && text !== '***'),
);
const sets = fc.uniqueArray(fc.tuple(keys, values), { selector: ([key]) => key, minLength: 1, maxLength: 5 });
const formats = fc.constantFrom(...envFormats);

/** One sandbox with its state; every command is a minute after the one before. */
function openStack() {
  const env = { STACKOPS_SANDBOX: '1', ...ownFolders() };
  let nowMs = Date.parse('2026-05-04T12:00:00Z');
  return async (words: readonly string[], stdin = '') => {
    nowMs += 60_000;
    const now = new Date(nowMs);
    const { code, stdout, stderr } = await run(words, { env, stdin, now: () => now });
    expect(code, stderr).toBe(0);
    return { stdout, stderr };
  };
}

const importing = (format: string) => `stack env import - --format ${format} --allow-empty -s shop`.split(' ');
const exporting = ['stack', 'env', 'export', '-s', 'shop', '--type', 'all', '--format', 'json'];

slowProperty(
  'what was just imported is as the file has it, and needs no change',
  [sets, formats],
  async (set, format) => {
    const play = openStack();
    const text = envFileText(new Map(set), format);
    await play([...importing(format), '-y'], text);
    const plan = JSON.parse((await play([...importing(format), '-n', '--json'], text)).stdout);
    expect(plan.map(({ key, action }: { key: string; action: string }) => [key, action])).toEqual(
      set.map(([key]) => [key, 'unchanged']),
    );
    expect(JSON.parse((await play(exporting)).stdout)).toMatchObject(Object.fromEntries(set));
  },
);

slowProperty('the undo of an import restores every value', [sets, sets], async (earlier, set) => {
  const play = openStack();
  await play([...importing('json'), '-y'], JSON.stringify(Object.fromEntries(earlier)));
  const before = (await play(exporting)).stdout;
  const { stderr } = await play([...importing('json'), '-y'], JSON.stringify(Object.fromEntries(set)));
  const undo = /^undo: (.+)$/m.exec(stderr)?.[1];
  // Names of variables need no quotes here.
  for (const command of undo?.split(' && ') ?? []) await play([...command.split(' ').slice(1), '-y']);
  expect((await play(exporting)).stdout).toBe(before);
});
