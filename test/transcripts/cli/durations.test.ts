import { writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { expect, test } from 'vitest';
import { flagsOf } from '../../../src/cli/arguments/arguments.ts';
import { globalOptions } from '../../../src/cli/arguments/options.ts';
import { topLevel } from '../../../src/commands/index.ts';
import { run, temporaryFolder } from '../../support/stackops.ts';
import { transcriptFile } from '../../support/transcript.ts';

const menus = await Promise.all(topLevel.map(({ load }) => load()));
const timed = menus
  .flatMap((menu) => Object.entries(menu))
  .flatMap(([words, command]) =>
    flagsOf(command)
      .filter(({ field }) => field.bareUnit !== undefined)
      .map(({ long }) => [words, long] as const),
  );

async function savedPlan(env: Readonly<Record<string, string>>): Promise<string> {
  const file = join(temporaryFolder(), 'stackops.yaml');
  writeFileSync(file, 'version: 1\nstack: shop/production\nenv: { LOG_LEVEL: debug }\n');
  await run(['plan', file, '--take', 'file', '--out', `${file}.plan`], { env });
  return `${file}.plan`;
}

/** What these cannot do without. */
const beside: Readonly<Record<string, readonly string[]>> = {
  'gateway create': ['--name', 'x'],
  'gateway update': ['bastion-1'],
};

test('every duration of every command needs its unit, and shows what was probably meant', async () => {
  for (const [words, long] of timed) {
    const place = /gateway|sandbox|apply/.test(words) ? [] : ['-s', 'shop'];
    const watch = long === '--every' ? ['--watch'] : [];
    // A sandbox that is served goes on, so its hint is not tried.
    const env = words === 'sandbox start' ? {} : { STACKOPS_SANDBOX: '1' };
    const line = [
      ...words.split(' '),
      long,
      '30',
      ...watch,
      ...place,
      ...(beside[words] ?? []),
      ...(words === 'apply' ? [await savedPlan(env)] : []),
    ];
    const { code, stderr } = await run(line, { env });
    expect({ words, long, code }).toEqual({ words, long, code: 2 });
    expect(stderr).toContain(`error: ${long} must be a duration such as `);
    expect(stderr).toMatch(new RegExp(`hint: .*${long} 30(h|s|ms)`));
  }
  expect(timed.length).toBeGreaterThan(6);
});

test('so do those of all commands and of settings', transcriptFile);

test('the flags of all commands that take a duration are these', () => {
  expect(globalOptions.filter(({ flags }) => flags.includes('<duration>')).map(({ flags }) => flags)).toEqual([
    '--wait-timeout <duration>',
    '--poll <duration>',
    '--timeout <duration>',
  ]);
});
