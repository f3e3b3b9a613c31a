import { expect, test } from 'vitest';
import { readTree } from '../../scripts/docs/tree.ts';
import { exampleFolder, inFolder } from '../support/examples.ts';
import { startSandbox } from '../support/sandbox.ts';
import { run, temporaryFolder } from '../support/stackops.ts';
import { type Write, writes } from '../support/writes.ts';

/**
 * Every command sends no more requests than its kind may, pages and the lookup of a name included. What it sends in a
 * row is counted for some of them (`bench/trips.mjs`); it is never more.
 */
const { mostRequests } = await import(new URL('../../bench/budgets.mjs', import.meta.url).href);
const { commands } = await readTree();
const shop = '5f3c9a1e7b2d4c8f9e0a1b2c3d4e5f60';

type Counted = Partial<Write> & Pick<Write, 'words'> & { readonly isExample?: boolean };

/** An example of each read that ends by itself. */
const reads = (): readonly Counted[] =>
  commands
    .filter(({ operations, changes_something }) => operations.length > 0 && !changes_something)
    .filter(({ waits }) => waits !== 'always')
    .map(({ name, examples }) => {
      const line = examples.find((one) => !/[|<>"]|\.env\b/.test(one)) ?? '';
      const words = line
        .replaceAll("'", '')
        .replace('./deploy.sh', 'true')
        .replace('action get 812', 'action get 811')
        .replace(/-s shop(?= |$)/, `-s ${shop}`)
        .split(' ')
        .slice(1);
      return {
        words: name === 'backup download' ? [...words, '--to', temporaryFolder()] : words,
        isExample: true,
        ...(name === 'sandbox verify' && { first: ['sandbox', 'clone', '-s', shop] }),
      };
    });

/** `{ 'stack env copy': 4 }`: the commands that send more than so many requests. */
async function above(most: number, all: readonly Counted[]): Promise<Record<string, number>> {
  const counts: Record<string, number> = {};
  for (const one of all) {
    const count = await countOf(one);
    const name = commands.findLast(({ name }) => `${one.words.join(' ')} `.startsWith(`${name} `))?.name ?? '';
    if (count > most) counts[name] = Math.max(count, counts[name] ?? 0);
  }
  return counts;
}

async function countOf({ words, stdin = '', env: own, first, isExample }: Counted): Promise<number> {
  const sandbox = await startSandbox();
  const env = { XDG_STATE_HOME: temporaryFolder(), ...own, ...sandbox.env, STACKOPS_STACK: shop };
  if (first) await run(first, { env, stdin });
  const before = sandbox.requests.length;
  // Examples read the files that they name.
  const play = () => run(words, { env, stdin });
  const { code, stderr } = await (isExample ? inFolder(exampleFolder(), play) : play());
  expect({ code, stderr: code === 0 ? '' : stderr }, words.join(' ')).toEqual({ code: 0, stderr: '' });
  await sandbox.close();
  return sandbox.requests.length - before;
}

test('no read sends more requests than its budget', async () => {
  expect(await above(mostRequests.read, reads())).toEqual(mostRequests.ofReads);
});

test('no write sends more requests than its budget', async () => {
  expect(await above(mostRequests.write, writes)).toEqual(mostRequests.ofWrites);
});
