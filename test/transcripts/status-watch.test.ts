import type { ServerResponse } from 'node:http';
import { expect, test } from 'vitest';
import { reply } from '../support/service.ts';
import { transcriptFile } from '../support/transcript.ts';
import { deployment, framesOf, interrupted, refuse, screen, server, stack, uid, watch } from '../support/watch.ts';

const one = `status -s ${uid} --watch`;
test('in a pipe: the first state, then a line for each change', async () => {
  const { stdout, stderr, code } = await watch(one, {
    replies: {},
    at: {
      20: { deployments: [deployment(3, 'pending'), deployment(2, 'success', true), deployment(1, 'success')] },
      40: {
        deployments: [deployment(3, 'success', true), deployment(2, 'success'), deployment(1, 'success')],
        servers: [server('web-1', 2), server('web-2', 1)],
      },
    },
  });
  expect(stdout.replaceAll('\t', ' ')).toBe(`\
2026-05-04T12:00:00Z stack shop/production - deployed
2026-05-04T12:00:00Z deployment 2 - live
2026-05-04T12:00:00Z deployment 1 - success
2026-05-04T12:00:00Z servers web-1 - healthy
2026-05-04T12:00:00Z processes web - 2
2026-05-04T12:00:30Z deployment 3 - pending
2026-05-04T12:00:40Z deployment 3 pending live
2026-05-04T12:00:40Z deployment 2 live success
2026-05-04T12:01:00Z servers web-1 healthy impaired
2026-05-04T12:01:00Z servers web-2 - building
`);
  expect([code, stderr]).toEqual([130, interrupted]);
});

test('as JSON: an object for each change', async () => {
  const { stdout } = await watch(`${one} --json --only servers --where name=web-1`, {
    replies: {},
    at: { 30: { servers: [server('web-2', 3)] } },
  });
  expect(stdout).toBe(
    '{"time":"2026-05-04T12:00:00Z","section":"servers","name":"web-1","before":null,"after":"healthy"}\n' +
      '{"time":"2026-05-04T12:01:00Z","section":"servers","name":"web-1","before":"healthy","after":null}\n',
  );
});

test('all stacks in a pipe', async () => {
  const { stdout } = await watch('status --watch', {
    replies: { stacks: [stack('shop'), stack('blog')] },
    at: {
      20: {
        stacks: [stack('shop', { status: 6, is_busy: true })],
        deployments: [deployment(3, 'failed'), deployment(2, 'success', true)],
      },
    },
    until: 31,
  });
  expect(stdout.replaceAll('\t', ' ')).toBe(`\
2026-05-04T12:00:00Z stack shop/production - deployed
2026-05-04T12:00:00Z live shop/production - deployment 2, commit d8b847d
2026-05-04T12:00:00Z stack blog/production - deployed
2026-05-04T12:00:00Z live blog/production - deployment 2, commit d8b847d
2026-05-04T12:00:30Z stack shop/production deployed deploying
2026-05-04T12:00:30Z problems shop/production - deployment 3 failed
2026-05-04T12:00:30Z busy shop/production - the stack is deploying
2026-05-04T12:00:30Z stack blog/production deployed -
2026-05-04T12:00:30Z live blog/production deployment 2, commit d8b847d -
`);
});

test('requests of two minutes when nothing happens, and while something deploys', async () => {
  const idle = { application_variants: 8, processes: 8, servers: 2, backups: 2, environments: 2, stack: 8 };
  expect((await watch(one, { replies: {} })).requests).toEqual({ ...idle, deployments: 8 });
  const deploying = { deployments: [deployment(3, 'pending'), deployment(2, 'success', true)] };
  expect((await watch(one, { replies: deploying })).requests).toEqual({
    ...idle,
    deployments: 24,
    application_variants: 24,
  });
});

test('requests of two minutes for several stacks, one of which deploys', async () => {
  const three = [stack('shop', { status: 6 }), stack('blog'), stack('wiki')];
  const { requests } = await watch('status --watch', { replies: { stacks: three } });
  expect(requests).toEqual({ stacks: 8, deployments: 24 + 8 + 8, servers: 6 });
});

test('requests of two minutes for forty stacks', async () => {
  const forty = Array.from({ length: 40 }, (_, at) => stack('shop', { uid: uid.replace(/..$/, String(at + 10)) }));
  const { requests } = await watch('status --watch', { replies: { stacks: forty } });
  expect(requests).toEqual({ stacks: 8, deployments: 40, servers: 40 });
});

test('near the rate limit it reads less often, and says so', async () => {
  const { requests, stderr } = await watch(`${one} --only deployment`, {
    replies: {},
    headers: { 'x-ratelimit-limit': '3000', 'x-ratelimit-remaining': '299' },
  });
  expect(requests).toEqual({ deployments: 2, stack: 2 });
  expect(stderr).toBe(`reading every 60s: less than 10 % of the rate limit left\n${interrupted}`);
});

test('when there is room again, or after a refusal because of the limit', async () => {
  const left = (remaining: string) => (response: ServerResponse) => {
    response.setHeader('x-ratelimit-limit', '3000');
    response.setHeader('x-ratelimit-remaining', remaining);
    reply(response, { response: [deployment(1, 'success', true)] });
  };
  const recovered = await watch(`${one} --only deployment`, {
    replies: { deployments: left('299') },
    at: { 50: { deployments: left('3000') } },
  });
  expect(recovered.requests).toEqual({ deployments: 5, stack: 5 });
  const throttled = (at: string) => (response: ServerResponse) => {
    response.setHeader('date', `Mon, 04 May 2026 ${at} GMT`);
    reply(response, { error: 'throttled', details: 'too many' }, 503);
  };
  const refused = (at: string) =>
    watch(`${one} --only deployment`, { replies: {}, at: { 20: { deployments: throttled(at) } } });
  const soon = await refused('11:59:10');
  expect(soon.requests).toEqual({ deployments: 4, stack: 4 });
  const later = await refused('11:45:00');
  expect(later.requests).toEqual({ deployments: 3, stack: 3 });
  expect(later.stderr).toBe(
    `reading every 900s: limit of 3,000 requests an hour reached until 12:00 UTC (503)\n${interrupted}`,
  );
});

test.each([
  [undefined, { deployments: 6, stack: 6 }, 'reading every 60s: the service asks for fewer requests (429)'],
  ['90', { deployments: 4, stack: 4 }, 'reading every 90s: the service asks to wait 1m 30s (429)'],
])('one refusal because of the rate, with Retry-After %s, slows one pause', async (asked, requests, told) => {
  const tooMany = (response: ServerResponse) => {
    if (asked !== undefined) response.setHeader('retry-after', asked);
    reply(response, { details: 'too many' }, 429);
  };
  const ran = await watch(`${one} --only deployment`, {
    replies: {},
    at: { 20: { deployments: tooMany }, 31: { deployments: [deployment(1, 'success', true)] } },
    until: 130,
  });
  expect([ran.requests, ran.stderr]).toEqual([requests, `${told}\n${interrupted}`]);
});

test('what is read seldom is read soon after an outage', async () => {
  const { stdout } = await watch(`${one} --only servers,backups`, {
    replies: { servers: refuse(503) },
    at: { 16: { servers: [server('web-1', 3)] } },
    until: 59,
  });
  expect(stdout.replaceAll('\t', ' ').split('\n').slice(-3)).toEqual([
    '2026-05-04T12:00:30Z servers web-1 - healthy',
    '2026-05-04T12:00:30Z servers - unreadable: the service failed (503): the service says why -',
    '',
  ]);
});

test('a read that fails keeps what was read before, and says why and since when', async () => {
  const { stdout } = await watch(`${one} --only deployment,processes`, {
    replies: {},
    at: {
      20: { processes: refuse(501) },
      50: { processes: [{ name: 'web', servers: { 'web-1': 3 } }] },
    },
  });
  const why = 'last read 12:00:15 UTC; the service does not support this operation (501): the service says why';
  expect(stdout.replaceAll('\t', ' ').split('\n').slice(4)).toEqual([
    `2026-05-04T12:00:30Z processes - - unreadable: ${why}`,
    '2026-05-04T12:01:00Z processes web 2 3',
    `2026-05-04T12:01:00Z processes - unreadable: ${why} -`,
    '',
  ]);
});

const only = `${one} --only deployment,processes`;

test.each([
  [401, 4],
  [403, 5],
  [404, 3],
])('%d for everything that could be read ends it with %d', async (status, expected) => {
  const { code, seconds } = await watch(only, {
    replies: {},
    at: {
      20: { deployments: refuse(status), processes: refuse(status) },
    },
  });
  expect([code, seconds]).toEqual([expected, 30]);
});

test('what was refused from the start ends nothing', async () => {
  const { code, seconds } = await watch(only, { replies: { processes: refuse(403) } });
  expect([code, seconds]).toEqual([130, 120]);
});

test('a named stack that is gone ends it', async () => {
  const { code, stderr, seconds } = await watch('status -s shop,blog --watch', {
    replies: { stacks: [stack('shop'), stack('blog')] },
    at: { 20: { stacks: [stack('shop')] } },
  });
  expect([code, seconds]).toEqual([3, 30]);
  expect(stderr).toMatch(/^error: stack "[0-9a-f]{32}" not found\nhint: stackops stack list\n$/);
});

test('a list of stacks that fails keeps the rows, and one that is refused ends it', async () => {
  const { stdout, code, seconds } = await watch('status --watch', {
    replies: {},
    at: {
      20: { stacks: refuse(501) },
      40: { stacks: refuse(401) },
    },
  });
  expect(stdout.replaceAll('\t', ' ').split('\n').slice(2)).toEqual([
    expect.stringMatching(/^2026-05-04T12:00:30Z unreadable shop\/production - stack: last read 12:00:15 UTC; .*$/),
    '',
  ]);
  expect([code, seconds]).toEqual([4, 45]);
});

test('on a terminal it is redrawn until q is pressed', async () => {
  const { host, next, listeners } = screen(24, ['resized', 'quit']);
  const ran = await watch(`${one} --only servers`, {
    replies: { servers: [server('web-1', 3), server('web-2', 4)] },
    at: { 15: next, 60: next },
    terminal: 80,
    screen: host,
  });
  const frame = (time: string) => `\
Stack    shop/production  deployed
Servers  web-2  failed   web
         web-1  healthy  web

${time} UTC, every 15s. Press q to quit.
`;
  expect(framesOf(ran)).toEqual([
    frame('12:00:00'),
    frame('12:00:00'),
    frame('12:00:15'),
    frame('12:00:30'),
    frame('12:00:45'),
  ]);
  expect(ran).toMatchObject({ code: 0, stderr: '', seconds: 60 });
  expect(listeners()).toBe(0);
});

test('sections that fail stay on the screen with why and since when, however small it is', async () => {
  const ran = await watch(`${one} --only servers,processes`, {
    replies: {},
    at: { 50: { servers: refuse(501), processes: refuse(501) } },
    until: 61,
    terminal: 60,
    screen: screen(8).host,
  });
  expect(framesOf(ran).slice(-2)).toEqual([
    `\
Stack      shop/production  deployed
Servers    web-1  healthy  web
Processes  web  2  even  2 on web-1

12:00:45 UTC, every 15s. Press q to quit.
`,
    `\
Stack      shop/production  deployed
2 more lines do not fit

shop/production: servers not read: last read 12:00:00 UTC;
the service does not support this operation (501): the serv…
shop/production: processes not read: last read 12:00:45 UTC;
12:01:00 UTC, every 15s. Press q to quit.
`,
  ]);
});

test('in a row of several stacks, too', async () => {
  const ran = await watch('status --watch', {
    replies: { stacks: [stack('shop'), stack('blog')] },
    at: { 50: { servers: refuse(403) } },
    until: 61,
    terminal: 100,
    screen: screen(24).host,
  });
  expect(framesOf(ran).at(-1)).toBe(`\
NAME  ENVIRONMENT  STATE     COMMIT   SINCE   PROBLEMS
shop  production   deployed  d8b847d  1h ago  servers unreadable
blog  production   deployed  d8b847d  1h ago  servers unreadable

shop/production, blog/production: servers not read: last read 12:00:00 UTC; access denied (403): the
command needs the public scope: the service says why
not checked: backups
12:01:00 UTC, every 15s. Press q to quit.
`);
});

test('a screen that is too tall is cut, and near the rate limit it says so', async () => {
  const ran = await watch(one, {
    replies: { servers: ['a', 'b', 'c', 'd', 'e'].map((name) => server(name, 3)) },
    until: 1,
    terminal: 80,
    screen: screen(8).host,
    headers: { 'x-ratelimit-limit': '3000', 'x-ratelimit-remaining': '1' },
  });
  expect(framesOf(ran)[0]).toBe(`\
Stack        shop/production  deployed
Live         deployment 2, commit d8b847d, 1h ago
Deployments  last 2: 2 success
Variants     none
8 more lines do not fit

12:00:00 UTC, every 60s (less than 10 % of the rate limit left). Press q to qui…
`);
});

test('texts of the service steer no terminal', async () => {
  const hostile = (response: ServerResponse) =>
    reply(response, { error: 'x', details: 'gone\u001b[2J\r\n\u001b[H' }, 501);
  const ran = await watch(`${one} --only servers,processes`, {
    replies: { servers: [server('web\u001b[2J\n-1', 3)] },
    at: { 20: { processes: hostile } },
    until: 31,
    terminal: 100,
    screen: screen(24).host,
  });
  expect(ran.stdout).toContain('web\\x1b[2J');
  expect(ran.stdout).toContain('gone\\x1b[2J');
  expect(ran.stdout).not.toMatch(/\x1b\[(2J|H)/);
});

test('a warning of the service is not drawn over', async () => {
  const warned = (response: ServerResponse) => {
    response.setHeader('x-cloud66-warning', 'soon gone');
    reply(response, { response: [] });
  };
  const ran = await watch(`${one} --only servers`, {
    replies: {},
    at: { 50: { servers: warned } },
    until: 80,
    terminal: 80,
    screen: screen(24).host,
  });
  expect(ran.stderr).toBe(`warning: soon gone\n${interrupted}`);
  const ups = ran.stdout.split('\x1b[?7l').map((frame) => /^\r\x1b\[(\d)A/.exec(frame)?.[1] ?? '-');
  expect(ups.slice(1).join(' ')).toBe('- 4 4 4 - 4');
});

test('an error ends it with the terminal restored', async () => {
  const { host, listeners } = screen(24);
  const at = { 20: { servers: refuse(401) } };
  const { code, seconds } = await watch(`${one} --only servers`, { replies: {}, at, terminal: 80, screen: host });
  expect([code, seconds, listeners()]).toEqual([4, 60, 0]);
});

test.each(['--every 9s', '--exit-code', '--sort name', '--fields commit'])(
  'a mistake costs no request: --watch %s',
  async (flags) => {
    const { code, requests } = await watch(`status --watch ${flags}`, { replies: {} });
    expect([code, requests]).toEqual([2, {}]);
  },
);

test('mistakes', transcriptFile);
