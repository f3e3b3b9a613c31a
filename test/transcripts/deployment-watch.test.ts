import { expect, test } from 'vitest';
import { deployment, framesOf, interrupted, refuse, screen, uid, watch } from '../support/watch.ts';

const list = `deployment list -s ${uid} --watch`;
const known = [deployment(2, 'success', true), deployment(1, 'success')];
const running = [deployment(3, 'pending'), ...known];

test('in a pipe: the deployments, then a line for each change', async () => {
  const { stdout, stderr, requests } = await watch(list, {
    replies: { deployments: known },
    at: {
      20: { deployments: running },
      40: { deployments: [deployment(3, 'failed'), deployment(2, 'success', true)] },
    },
    until: 61,
  });
  expect(stdout.replaceAll('\t', ' ')).toBe(`\
2026-05-04T12:00:00Z deployment 2 - live
2026-05-04T12:00:00Z deployment 1 - success
2026-05-04T12:00:30Z deployment 3 - pending
2026-05-04T12:00:40Z deployment 3 pending failed
`);
  expect([stderr, requests]).toEqual([interrupted, { deployments: 6 }]);
});

test('a read that fails keeps the list, and says why; a stack that is gone ends it', async () => {
  const { host, listeners } = screen(24);
  const ran = await watch(`${list} --columns id,outcome`, {
    replies: { deployments: known },
    at: { 20: { deployments: refuse(501) }, 40: { deployments: refuse(404) } },
    terminal: 120,
    screen: host,
  });
  expect(framesOf(ran).slice(1)).toEqual([
    'ID  OUTCOME\n 2  success\n 1  success\n\n12:00:15 UTC, every 15s. Press q to quit.\n',
    `\
ID  OUTCOME
 2  success
 1  success

not read: last read 12:00:15 UTC; the service does not support this operation (501): the service says why
12:00:30 UTC, every 15s. Press q to quit.
`,
  ]);
  expect([ran.code, ran.seconds, listeners()]).toEqual([3, 45, 0]);
});

test.each([list, `activity -s ${uid} --type deployment --since 3650d --watch`])(
  'in a pipe a list that cannot be read is not read: %s',
  async (words) => {
    const { stdout } = await watch(words, {
      replies: { deployments: known },
      at: { 20: { deployments: refuse(501) } },
      until: 31,
    });
    expect(stdout).toMatch(/\t-\t-\tnot read: last read 12:00:15 UTC; the service does not support this operation/);
  },
);

test('activity can be watched, too: in a pipe the oldest event comes first', async () => {
  const { stdout, stderr } = await watch(`activity -s ${uid} --type deployment,env --since 3650d --watch`, {
    replies: { deployments: known },
    at: { 20: { deployments: running }, 40: { deployments: refuse(503) } },
    until: 61,
  });
  expect([stdout.replaceAll('\t', ' '), stderr]).toEqual([
    `\
2026-05-04T12:00:00Z deployment 1 - success, commit d8b847d, took 1h
2026-05-04T12:00:00Z deployment 2 - success, commit d8b847d, took 1h
2026-05-04T12:00:30Z deployment 3 - pending, commit d8b847d
2026-05-04T12:00:45Z activity - - ${uid}: deployment could not be read: the service failed (503): the service says why
`,
    interrupted,
  ]);
});

test('several stacks have a list each', async () => {
  const { code, stderr, requests } = await watch('deployment list -s shop,blog --watch', { replies: {} });
  expect([code, stderr, requests]).toEqual([
    2,
    'error: --watch takes one stack: "deployment list" has a list for each\n',
    {},
  ]);
});
