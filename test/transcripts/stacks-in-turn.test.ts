import { writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { expect, test } from 'vitest';
import { seedDeployments } from '../../src/sandbox/seed/rows.ts';
import { seedMoment, seedState } from '../../src/sandbox/seed/seed.ts';
import { unsent } from '../support/phrases.ts';
import { startSandbox, type TestSandboxOptions } from '../support/sandbox.ts';
import { type RunOptions, run, temporaryFolder } from '../support/stackops.ts';
import { transcriptFile } from '../support/transcript.ts';

test('several stacks are deployed one after another, in the order given, after one question', transcriptFile);
test('the first that fails stops the rest, and the last line goes on', transcriptFile);

test('one that has not ended in time is waited for before the command goes on', transcriptFile);

test('nothing is sent before all are found and planned, and only named stacks are', transcriptFile);
test('settings of several stacks are changed one stack after another', transcriptFile);

test('it is the same where the service answers with actions', (context) =>
  transcriptFile(context, { sandbox: { replies: 'actions' } }));
test('an action that fails stops the rest', (context) =>
  transcriptFile(context, { sandbox: { replies: 'actions', failActions: true } }));

/** Words played at a sandbox that can be changed behind their back, and the deployments that arrived there. */
async function served(
  words: string,
  { faults = [], ...options }: RunOptions & Pick<TestSandboxOptions, 'faults'> = {},
) {
  const state = seedState(seedMoment);
  let nowMs = seedMoment.getTime();
  const now = () => new Date(nowMs);
  const sandbox = await startSandbox({ state, now, faults });
  const { env } = sandbox;
  const play = (whileWaiting: () => void = () => undefined) => {
    let isFirst = true;
    const slept = (ms: number): void => {
      nowMs += ms;
      if (isFirst) whileWaiting();
      isFirst = false;
    };
    return run(words.split(' '), { env, now: () => seedMoment, slept, ...options });
  };
  const sent = () => sandbox.requests.filter(({ method }) => method !== 'GET').map(({ path }) => path.split('/')[2]);
  return { play, state, sent };
}

const [shop, staging] = ['5f3c9a1e7b2d4c8f9e0a1b2c3d4e5f60', 'a81b6c0d4e2f49738c5d6e7f80912a3b'];
const production = 'b92c7d1e5f30584a9d6e7f8091a2b3c4';

test('a stack is planned once more when its turn comes: what went live meanwhile is what the undo goes back to', async () => {
  const { play, state } = await served('redeploy -s shop,blog/production -y');
  const { code, stderr, stdout } = await play(() => {
    const blog = state.stacks.find(({ row }) => row.name === 'blog' && row.environment === 'production');
    const times = { started_at: '2026-05-04T12:00:00Z', finished_at: '2026-05-04T12:00:01Z' };
    for (const { row } of blog?.deployments ?? []) row.is_live = false;
    blog?.deployments.push(...seedDeployments('blog', [{ id: 1043, triggered_by: 'mara', ...times, is_live: true }]));
    state.next.deployment = 1044;
  });
  expect([code, stdout]).toEqual([0, expect.stringContaining('blog/production: Previously live: deployment 1043')]);
  expect(stderr).toContain('&& stackops deployment rollback 1043 -s blog/production\n');
});

test.each([undefined, 80])('the result of each is shown before the next begins (terminal: %s)', async (terminal) => {
  let seen = '';
  const shown = (text: string) => {
    seen += text;
  };
  const { play } = await served('redeploy -s shop,blog/production -y -v', { shown, ...(terminal && { terminal }) });
  expect(await play()).toMatchObject({ code: 0 });
  const order = ['shop: deployment 1042 succeeded', `POST /stacks/${production}/deployments`, 'blog/production: Prev'];
  const places = order.map((text) => seen.indexOf(text));
  expect(places).toEqual(places.toSorted((one, other) => one - other));
  expect(seen.match(/shop: deployment 1042 succeeded/g)).toHaveLength(1);
});

test('a name that would be several, a file or stdin in the line that goes on is its UID there', async () => {
  const list = join(temporaryFolder(), 'stacks');
  const { play, state } = await served(`redeploy -s @${list} --git-ref broken -y`);
  const names = ['shop, old', '@home', '-'];
  writeFileSync(list, names.join('\n'));
  for (const [at, name] of names.entries()) if (state.stacks[at]) state.stacks[at].row.name = name;
  const uids = state.stacks.map(({ row }) => row.uid);
  const { stderr } = await play();
  expect(stderr).toContain(`hint: stackops redeploy --git-ref broken -y -s ${uids.join(',')}\n`);
});

test('a setting that somebody else changed meanwhile is not overwritten', async () => {
  const { play, state, sent } = await served('stack settings set git.branch=release -s shop,blog/staging');
  const { code, stderr } = await play(() => {
    const branch = state.stacks[1]?.settings.find(({ key }) => key === 'git.branch');
    if (branch) branch.value = 'hotfix';
  });
  expect(code).toBe(1);
  expect(stderr).toContain(
    `error: blog/staging failed: git.branch changed meanwhile${unsent}. shop succeeded.\n` +
      'hint: stackops stack settings set git.branch=release -w -s blog/staging\n',
  );
  expect(sent()).toEqual([shop]);
});

test('an outcome that is not known stops the rest, too, and is checked before the command goes on', async () => {
  const faults = [`POST /stacks/${staging}/deployments=504`];
  const { play, sent } = await served('redeploy -s shop,blog/staging,blog/production -y', { faults });
  const { code, stderr, stdout } = await play();
  expect([code, sent()]).toEqual([11, [shop, staging]]);
  expect(stderr).toContain('shop succeeded. Not tried: blog/production.\n');
  expect(stderr).toMatch(
    /hint: stackops deployment list -s blog\/staging && stackops redeploy -y -w -s blog\/production\n$/,
  );
  expect(stdout).toContain('blog/staging: starting deployment (outcome unknown)\n');
});

test('Ctrl-C stops the waiting, and the rest', async () => {
  const stop = new AbortController();
  const { play, sent } = await served('redeploy -s shop,blog/staging -y', { signal: stop.signal });
  const { code, stderr } = await play(() => stop.abort('SIGINT'));
  expect([code, sent()]).toEqual([130, [shop]]);
  expect(stderr).toMatch(
    /Not tried: blog\/staging\.\nhint: stackops deployment wait 1042 -s shop && stackops redeploy -y -w -s blog\/staging\n$/,
  );
});

test('a table of values holds nothing but its rows', async () => {
  const { code, stdout } = await run(
    ['redeploy', '-s', 'shop,blog/staging', '-y', '--output', 'csv', '--fields', 'stack,id'],
    {
      env: { STACKOPS_SANDBOX: '1' },
    },
  );
  expect([code, stdout]).toEqual([0, 'stack,id\r\nshop,1042\r\nblog/staging,1043\r\n']);
});
