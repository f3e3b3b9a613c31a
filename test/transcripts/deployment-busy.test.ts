import { expect, test } from 'vitest';
import { unsent } from '../support/phrases.ts';
import { reply, startService } from '../support/service.ts';
import { run } from '../support/stackops.ts';
import { transcript, transcriptFile } from '../support/transcript.ts';

test('during another deployment redeploy waits, skips or fails', transcriptFile);
test('where no deployment is in progress, it deploys at once', transcriptFile);

test('a person is asked before it waits', () =>
  transcript(`
    $ stackops redeploy -s shop -y -q
    80$ stackops redeploy -s shop --if-busy wait
    < y
    ! Deploy stack shop/production (from main, live: commit d8b847d since 2026-04-14T09:34:10Z, deployment 1042 is pending)? [y/N]
    ! undo: stackops deployment cancel 1043 -s shop
    deployment 1043 queued: Stack shop queued for redeployment
  `));

const uid = '5f3c9a1e7b2d4c8f9e0a1b2c3d4e5f60';
const done = { finished_at: '2026-05-04T10:05:00Z', outcome: { code: 1, meaning: 'success' } };

/** What the service says of the stack; a number is the status of a refusal. */
interface Said {
  readonly stack?: object | number;
  readonly deployments?: readonly object[];
  readonly actions?: readonly object[] | number;
}

/** Says the first until it was asked that often for the stack, then that nothing is going on. */
async function serviceWith(said: Said, asked = Infinity) {
  const free = { stack: { status: 1, is_busy: false }, deployments: [{ id: 2, ...done }], actions: [] };
  let times = 0;
  const service = await startService(({ method, path }, response) => {
    const part = path.slice(path.lastIndexOf('/') + 1);
    if (method === 'POST') return reply(response, { response: { id: 3, message: 'ok', queued: true } });
    if (part === uid) times += 1;
    const found = { ...free, ...(times > asked ? {} : said) }[part === uid ? 'stack' : (part as keyof Said)];
    if (typeof found === 'number') reply(response, { error: 'not found' }, found);
    else reply(response, { response: part === uid ? { uid, name: 'shop', environment: 'test', ...found } : found });
  });
  const { env } = service;
  const redeploy = (ifBusy: string) => run(['redeploy', '-s', uid, '-y', '--if-busy', ifBusy], { env });
  return { service, redeploy };
}

test.each<readonly [string, Said, string]>([
  ['says that it is busy', { stack: { status: 1, is_busy: true } }, 'the stack is busy'],
  ['is being analysed', { stack: { status: 3 } }, 'the stack is analysing'],
  ['is queued', { stack: { status: 5 } }, 'the stack is queued'],
  ['is deploying', { stack: { status: 6 } }, 'the stack is deploying'],
  [
    'has an unfinished action',
    { actions: [{ id: 9, action: 'scale_up', started_at: '2026-05-04T11:00:00Z', finished_at: null }] },
    'action 9 scale_up is running',
  ],
  [
    'has a deployment in progress',
    { deployments: [{ id: 2, outcome: { code: 0, meaning: 'pending' }, finished_at: null }], stack: { is_busy: true } },
    'deployment 2 is pending',
  ],
])('a stack that %s is not deployed to', async (_, said, why) => {
  const { service, redeploy } = await serviceWith(said);
  const { code, stderr } = await redeploy('fail');
  expect([code, stderr.split('\n')[0]]).toEqual([6, `error: ${why}${unsent}`]);
  expect(await redeploy('skip')).toMatchObject({ code: 0, stdout: `skipped: ${why}\n` });
  expect(service.seen.filter(({ method }) => method === 'POST')).toEqual([]);
});

test('a status that names nothing in progress keeps no deployment waiting', async () => {
  for (const status of [0, 1, 2, 4, 7]) {
    const { service, redeploy } = await serviceWith({ stack: { status } });
    expect([status, (await redeploy('fail')).code]).toEqual([status, 0]);
    expect(service.seen.map(({ method }) => method)).toEqual(['GET', 'GET', 'GET', 'POST']);
  }
});

test('while it waits, only what kept the stack busy is read again', async () => {
  const { service, redeploy } = await serviceWith({ stack: { is_busy: true } }, 4);
  expect((await redeploy('wait')).code).toBe(0);
  const reads = service.seen.map(({ method, path }) =>
    method === 'POST' ? 'POST' : path.slice(path.lastIndexOf('/') + 1),
  );
  const all = ['actions', 'deployments', uid];
  expect([...reads.slice(0, 3).toSorted(), '|', ...reads.slice(3, 6).toSorted(), '|', ...reads.slice(6)]).toEqual([
    ...all.toSorted(),
    '|',
    ...all.toSorted(),
    '|',
    ...[uid, uid, uid],
    ...['deployments', 'actions', uid],
    'POST',
  ]);
});

test('what is not shown is said to be unchecked', async () => {
  const { redeploy } = await serviceWith({ actions: 404, stack: 403 });
  const { code, stderr } = await redeploy('fail');
  expect([code, stderr.split('\n')[0]]).toEqual([
    0,
    'warning: --if-busy did not check actions, stack: not shown by the service',
  ]);
});
