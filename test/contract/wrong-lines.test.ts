import { writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { afterAll, expect, test } from 'vitest';
import { commandsOf } from '../support/printed-commands.ts';
import { run, temporaryFolder } from '../support/stackops.ts';
import { type WrongLine, wrongLines, wrongLinesFile } from '../support/wrong-lines.ts';

const found: WrongLine[] = [];

test.each(wrongLines)('$typed -> $hint', async ({ typed, code, hint }) => {
  const folder = temporaryFolder();
  for (const name of ['staging.env', 'key']) writeFileSync(join(folder, name), 'LOG_LEVEL=debug\n');
  const play = (words: readonly string[]) => {
    const inFolder = words.map((word) => word.replaceAll('FOLDER', folder));
    const end = new AbortController();
    // What watches or waits ends at its first pause.
    const ending = { signal: end.signal, slept: () => end.abort('SIGINT') };
    return run(inFolder, { env: { STACKOPS_SANDBOX: '1', STACKOPS_STACK: 'shop' }, stdin: 'text', ...ending });
  };
  const [words = []] = commandsOf(`stackops ${typed}`);
  const ran = await play(words);
  const [, shown = ''] = /^hint: (.*)$/m.exec(ran.stderr.replaceAll(folder, 'FOLDER')) ?? [];
  found.push({ typed, code: ran.code, hint: shown });
  if (!process.env['STACKOPS_UPDATE']) expect([ran.code, shown]).toEqual([code, hint]);
  expect(ran.stderr).not.toContain('s3cret');
  const [, line = ''] = /(?:^|: )(stackops .*)$/.exec(shown) ?? [];
  for (const command of commandsOf(line)) {
    const at = command.includes('--') ? command.indexOf('--') : command.length;
    const { code: ended, stderr } = await play(command.toSpliced(at, 0, '-n'));
    // A sign-in cannot be rehearsed.
    if (!stderr.includes('has no dry run')) expect(ended, `${command.join(' ')} -n: ${stderr}`).not.toBe(2);
  }
});

test('at most 20 lead to a page of help alone, or nowhere', () => {
  const refused = wrongLines.filter(({ code }) => code !== 0);
  expect(new Set(wrongLines.map(({ typed }) => typed)).size).toBe(wrongLines.length);
  expect(refused.length).toBeGreaterThan(500);
  expect(refused.filter(({ hint }) => /^(stackops .*--help)?$/.test(hint)).length).toBeLessThanOrEqual(20);
});

afterAll(() => {
  if (!process.env['STACKOPS_UPDATE']) return;
  const lines = found.map(
    ({ typed, code, hint }) => `${code === 2 ? '' : `${code} `}${typed}${hint && ` -> ${hint}`}\n`,
  );
  writeFileSync(wrongLinesFile, lines.join(''));
});
