import { EventEmitter, once } from 'node:events';
import { writeFileSync } from 'node:fs';
import type { ServerResponse } from 'node:http';
import { join } from 'node:path';
import { expect, test } from 'vitest';
import { mark } from '../support/phrases.ts';
import { startSandbox } from '../support/sandbox.ts';
import { reply, startService } from '../support/service.ts';
import { run, temporaryFolder } from '../support/stackops.ts';
import { transcriptFile } from '../support/transcript.ts';

const blog = 'a81b6c0d4e2f49738c5d6e7f80912a3b';

test('a read over several stacks is one list whose rows say where they come from', transcriptFile);
test('a stack that fails is a row with its error, and the others are shown', transcriptFile);
test('variables are set and deleted everywhere, and one command undoes it', transcriptFile);
test('a half-made unset over several stacks can be typed again', transcriptFile);
test('nothing is sent before every stack is found and would take the change', transcriptFile);

test('the stacks may stand in a file, or come from stdin', async () => {
  const file = join(temporaryFolder(), 'stacks');
  writeFileSync(file, '# all that is ours\nshop\n\nblog/staging # soon to go\nshop\n');
  const env = { STACKOPS_SANDBOX: '1' };
  const words = ['stack', 'env', 'get', 'LOG_LEVEL', '-s'];
  const expected = { code: 0, stdout: 'shop\tinfo\nblog/staging\tdebug\n' };
  expect(await run([...words, `@${file}`], { env })).toMatchObject(expected);
  expect(await run([...words, '-'], { env, stdin: 'shop\nblog/staging\n' })).toMatchObject(expected);
  expect(await run([...words, '-'], { env, stdin: '# none\n' })).toMatchObject({
    code: 2,
    stderr: 'error: no stack in stdin\n',
  });
  const set = ['stack', 'env', 'set', 'K', '--stdin', '-s', '-'];
  expect(await run(set, { env, stdin: 'shop\n' })).toMatchObject({
    code: 2,
    stderr: `${mark}error: shop: use stdin for -s or for another value, not both\n`,
  });
  const ofOne = join(temporaryFolder(), 'one');
  writeFileSync(ofOne, 'shop # the only one\n');
  const uid = ['stack', 'get', '--jq', '.uid', '-s'];
  expect(await run([...uid, `@${ofOne}`], { env })).toEqual(await run([...uid, 'shop'], { env }));
  expect(await run(['stack', 'get', '-s', `@${file}`], { env })).toMatchObject({
    code: 2,
    stderr: 'error: "stack get" acts on one stack at a time; give -s one name\n',
  });
  expect(await run(['stack', 'env', 'get', 'LOG_LEVEL', '--stacks-file', file], { env })).toMatchObject({
    code: 2,
    stderr: 'error: --stacks-file was removed; use -s @FILE, or -s - for stdin\n',
  });
  expect(await run([...words, '@'], { env })).toMatchObject({
    code: 2,
    stderr: 'error: -s @ needs a file name: -s @FILE\n',
  });
});

test('a change that one stack refuses is made on the other, and the run failed in part', async () => {
  const { env } = await startSandbox({ faults: [`POST /stacks/${blog}/environments=422`] });
  const words = ['stack', 'env', 'set', 'A=1', '-s', 'shop,blog/staging', '--json', '--fields', 'stack,change'];
  const { code, stdout } = await run(words, { env });
  expect([code, JSON.parse(stdout)]).toEqual([
    1,
    [
      { stack: 'shop', change: 'created' },
      { stack: 'blog/staging', change: 'failed' },
    ],
  ]);
});

/**
 * A service with five empty stacks that cuts the first change off, or none. It answers changes when a request of its own
 * has come back and no other change has arrived meanwhile: whatever is sent at once is under way at once. After a change
 * that was cut off it answers none before that one is looked for.
 */
async function fiveStacks(first: 'answered' | 'cut') {
  const seen = { most: 0, all: 0 };
  const under: ServerResponse[] = [];
  const looks = new EventEmitter();
  const looked = once(looks, 'look');
  const answerWhenQuiet = async () => {
    if (first === 'cut') await looked;
    const before = seen.all;
    await (await fetch(url)).text();
    if (seen.all > before) return;
    for (const one of under.splice(0)) reply(one, { response: { id: 1, key: 'A', value: '1' } });
  };
  const { url } = await startService(({ method }, response) => {
    if (method === 'GET') {
      if (seen.all > 0) looks.emit('look');
      return reply(response, { response: [], pagination: null });
    }
    seen.all += 1;
    if (seen.all === 1 && first === 'cut') return response.destroy();
    under.push(response);
    seen.most = Math.max(seen.most, under.length);
    void answerWhenQuiet();
  });
  const uids = [1, 2, 3, 4, 5].map((nth) => String(nth).repeat(32));
  return { seen, words: ['-s', uids.join(',')], env: { STACKOPS_BASE_URL: url, STACKOPS_TOKEN: 'token' } };
}

test.each([[['A=1']], [['A=1', 'B=2', 'C=3']]])(
  'of %j over five stacks no more than four are under way at once',
  async (pairs) => {
    const { seen, words, env } = await fiveStacks('answered');
    expect(await run(['stack', 'env', 'set', ...pairs, ...words], { env })).toMatchObject({ code: 0 });
    expect(seen.all).toBe(5 * pairs.length);
    expect(seen.most).toBeLessThanOrEqual(4);
  },
);

test('the first unknown outcome stops the other stacks too, unless --keep-going', async () => {
  const pairs = ['A=1', 'B=2', 'C=3', 'D=4', 'E=5', 'F=6'];
  const stopped = await fiveStacks('cut');
  const got = await run(['stack', 'env', 'set', ...pairs, ...stopped.words, '--json'], { env: stopped.env });
  expect(got.code).toBe(11);
  // What was made before shows another value, which is a warning.
  expect(JSON.parse(got.stderr.trimEnd().split('\n').at(-1) ?? '').error.code).toBe('outcome_unknown');
  expect(stopped.seen.all).toBeLessThanOrEqual(4 + 3);
  const going = await fiveStacks('cut');
  await run(['stack', 'env', 'set', ...pairs, ...going.words, '--keep-going'], { env: going.env });
  expect(going.seen.all).toBe(5 * 6);
});
