import { join } from 'node:path';
import { expect, test } from 'vitest';
import { ownEnvironment, runShell } from '../support/built.ts';
import { inFolder } from '../support/examples.ts';
import { ownFolders, type Ran, run, temporaryFolder } from '../support/stackops.ts';

const bench = join(import.meta.dirname, '../../bench');
const { budgets } = await import(new URL('../../bench/budgets.mjs', import.meta.url).href);
const { roundsOf }: Rounds = await import(new URL('../../bench/rounds.mjs', import.meta.url).href);

interface Budget {
  readonly words: string;
  readonly rounds: readonly number[];
  readonly warm?: true;
}

interface Rounds {
  roundsOf(
    budget: Budget,
    run: (words: readonly string[], address: string) => Promise<Ran>,
  ): Promise<Ran & { readonly seen: readonly number[] }>;
}

test.each<Budget>(budgets)('$words sends no more requests, in a row or in all, than $rounds', async (budget) => {
  const folders = { ...ownFolders(), XDG_CACHE_HOME: temporaryFolder() };
  const inProcess = (words: readonly string[], address: string) =>
    run(words, {
      env: { ...folders, STACKOPS_BASE_URL: address, STACKOPS_TOKEN: 'of-the-test' },
      now: () => new Date(),
    });
  const { seen, code, stderr } = await inFolder(bench, () => roundsOf(budget, inProcess));
  expect({ seen, code }, stderr).toEqual({ seen: budget.rounds, code: 0 });
});

test('the bench counts those of the built program', async () => {
  const line = "node bench/trips.mjs . 'variant list -s shop'";
  const { code, stdout, stderr } = await runShell(line, ownEnvironment({}));
  expect({ code, stderr }, stdout).toEqual({ code: 0, stderr: '' });
  const rows = stdout.trimEnd().split('\n');
  expect(rows).toHaveLength(2);
  expect(rows.filter((row) => !/ \d+ in a row, \d+ in all +at most \d+, \d+ +met$/.test(row))).toEqual([]);
});
