import { expect, test } from 'vitest';
import { reply, startService } from '../support/service.ts';
import { run } from '../support/stackops.ts';
import { transcript, transcriptFile } from '../support/transcript.ts';

test('--servers reboots one server after another, once the name of the stack is typed', transcriptFile);
test('nothing is rebooted that nobody confirmed or that nobody may reboot', transcriptFile);

test('it is the same in the other forms of reply, and where a reboot fails, the rest is not tried', async () => {
  for (const replies of ['actions', 'legacy'] as const) {
    await transcript(
      `
      $ stackops restart -s shop --servers --confirm shop/production --jq 'map(.change)'
      ["rebooted","rebooted","rebooted","rebooted"]
    `,
      { sandbox: { replies } },
    );
    await transcript(
      `
      $ stackops restart -s shop --servers --confirm shop/production
      ! 12:00:00 the reboot of shop-web-1: health unknown
      ! 12:00:05 the reboot of shop-web-1: health failed
      ! error: server shop-web-1: the reboot of shop-web-1 has not finished after 30m (health failed); it continues. Not tried: server shop-web-2, server shop-db-1, server shop-worker-1.
      ! hint: stackops server get shop-web-1 -s shop
      rebooting server shop-web-1 (queued)
      rebooting server shop-web-2 (not tried)
      rebooting server shop-db-1 (not tried)
      rebooting server shop-worker-1 (not tried)
      = 8
    `,
      { sandbox: { replies, failActions: true } },
    );
  }
});

const uid = '5f3c9a1e7b2d4c8f9e0a1b2c3d4e5f60';
const words = `restart --servers --confirm ${uid} -s ${uid} --poll 1s`.split(' ');

/** A service of two servers whose health goes through these codes, one for each look; and what was sent. */
async function serviceOf(health: Readonly<Record<string, readonly number[]>>, status = 200) {
  const left = new Map(Object.entries(health).map(([name, codes]) => [name, [...codes]]));
  const service = await startService(({ method, path }, response) => {
    const [, , , kind, name = ''] = path.split('/');
    const codes = left.get(name) ?? [];
    if (method === 'POST') reply(response, { response: { ok: true, message: 'ok' } }, status);
    else if (kind === 'deployments') reply(response, { response: [] });
    else if (kind !== 'servers') reply(response, { error: 'no' }, 404);
    else if (name)
      reply(response, { response: { uid: name, name, health_state: codes.length > 1 ? codes.shift() : codes[0] } });
    else reply(response, { response: [...left.keys()].map((one) => ({ uid: one, name: one, health_state: 3 })) });
  });
  const { env } = service;
  const sent = () => service.seen.map(({ method, path }) => `${method} ${path.split('/').slice(3).join('/')}`);
  return { play: (more: readonly string[] = []) => run([...words, ...more], { env }), sent };
}

test('a server is back once it was down and is healthy, or is healthy at the second look', async () => {
  const { play, sent } = await serviceOf({ a: [3, 0, 2, 3], b: [3, 3], c: [0, 3] });
  expect(await play()).toMatchObject({ code: 0, stdout: 'server a rebooted\nserver b rebooted\nserver c rebooted\n' });
  expect(sent().slice(2)).toEqual([
    'GET ',
    'POST servers/a/reboot',
    ...Array.from({ length: 4 }, () => 'GET servers/a'),
    'POST servers/b/reboot',
    'GET servers/b',
    'GET servers/b',
    'POST servers/c/reboot',
    'GET servers/c',
    'GET servers/c',
  ]);
});

test('two requests are sent before the first reboot, and one for the name that is confirmed', async () => {
  const { play, sent } = await serviceOf({ a: [3] });
  await play();
  expect(sent().slice(0, 4).toSorted()).toEqual(['GET ', 'GET deployments', 'GET servers', 'POST servers/a/reboot']);
});

test('the first that does not come back stops the rest', async () => {
  const { play, sent } = await serviceOf({ a: [3], b: [0, 4], c: [3] });
  expect(await play(['--wait-timeout', '10s'])).toMatchObject({
    code: 1,
    stdout: 'server a rebooted\nrebooting server b (queued)\nrebooting server c (not tried)\n',
    stderr: expect.stringContaining(
      'server b: the reboot of b has not finished after 10s (health failed); it continues. server a was rebooted. Not tried: server c.\n',
    ),
  });
  expect(sent()).not.toContain('POST servers/c/reboot');
});

test('where no health is shown nothing is rebooted, since nothing could show that a server is back', async () => {
  const service = await startService(({ path }, response) =>
    reply(response, { response: path.endsWith('/servers') ? [{ uid: 'a', name: 'web-1' }] : [] }),
  );
  const { env } = service;
  expect(await run(words, { env })).toEqual({
    code: 7,
    stdout: '',
    stderr: 'error: the service does not show the health of web-1; nothing was sent\n',
  });
  expect(service.seen.filter(({ method }) => method !== 'GET')).toEqual([]);
});

test('a reboot that is refused stops the rest', async () => {
  const { play, sent } = await serviceOf({ a: [3], b: [3] }, 400);
  expect(await play()).toMatchObject({ code: 6 });
  expect(sent()).not.toContain('POST servers/b/reboot');
});
