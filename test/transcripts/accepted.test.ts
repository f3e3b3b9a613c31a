import { expect, test } from 'vitest';
import { reply, type Seen, startService } from '../support/service.ts';
import { run } from '../support/stackops.ts';

/** A service that says yes to every write, and shows its change after some further reads, or never. */
const stack = '5f3c9a1e7b2d4c8f9e0a1b2c3d4e5f60';

async function accepting(
  rows: Readonly<Record<string, (isDone: boolean) => unknown>>,
  { after = Number.POSITIVE_INFINITY, answer = { ok: true } as unknown } = {},
) {
  let reads = Number.NEGATIVE_INFINITY;
  const { env } = await startService(({ method, path }: Seen, response) => {
    if (method !== 'GET') {
      reads = 0;
      return reply(response, { response: answer });
    }
    const row = rows[path.replace(/\?.*/, '')];
    reads += 1;
    if (!row) return reply(response, { error: 'not_found' }, 404);
    reply(response, { response: row(reads > after) });
  });
  return (words: string) => run(words.split(' '), { env });
}

const gateway = (ttl: string | null) => [{ id: 5, name: 'PGU', address: '203.0.113.7', username: 'ops', ttl }];
const gateways = { '/accounts/42/gateways': (isDone: boolean) => gateway(isDone ? '2026-05-04T20:00:00Z' : null) };

test('what the service accepts and does not show is accepted, with no undo', async () => {
  const play = await accepting(gateways);
  expect(await play('gateway update PGU --ttl 8h -a 42')).toEqual({
    code: 0,
    stdout: 'gateway PGU: accepted; the service still shows ttl -\n',
    stderr: '',
  });
  const { stdout } = await play('gateway update PGU --ttl 8h -a 42 --json --fields change,before,after');
  expect(JSON.parse(stdout)).toEqual({ change: 'accepted', before: { ttl: null }, after: { ttl: null } });
});

test('with --wait it is looked at until it shows', async () => {
  const play = await accepting(gateways, { after: 3 });
  const { code, stdout, stderr } = await play('gateway update PGU --ttl 8h -a 42 --wait --json --fields change,after');
  expect([code, stderr]).toEqual([0, '']);
  expect(JSON.parse(stdout)).toEqual({ change: 'updated', after: { ttl: '2026-05-04T20:00:00Z' } });
});

test('what never shows is 8 with --wait', async () => {
  const play = await accepting(gateways);
  const { code, stdout, stderr } = await play('gateway update PGU --ttl 8h -a 42 --wait --wait-timeout 1m --json');
  expect(code).toBe(8);
  expect(JSON.parse(stdout)).toMatchObject({ change: 'accepted', error: { code: 'pending' } });
  expect(JSON.parse(stderr)).toMatchObject({ error: { code: 'pending', exit_code: 8 } });
});

test('a deletion that is not carried out is accepted, too, where it is waited for', async () => {
  const play = await accepting({
    [`/stacks/${stack}/environments`]: (isDone) =>
      isDone ? [] : [{ key: 'LEVEL', value: 'info', is_password: false }],
  });
  const unset = `env unset LEVEL -y -s ${stack} --wait --wait-timeout 1m`;
  expect(await play(unset)).toMatchObject({ code: 8, stdout: 'LEVEL: accepted; the service still shows info\n' });
});

test('a redeploy that is not queued is accepted', async () => {
  const deployments = { [`/stacks/${stack}/deployments`]: () => [] };
  const play = await accepting(deployments, { answer: { ok: true, queued: false } });
  const { code, stdout } = await play(`redeploy -y -s ${stack} --json --fields id,change`);
  expect([code, JSON.parse(stdout)]).toEqual([0, { id: null, change: 'accepted' }]);
});

test('a deployment that is not live at its end is 9', async () => {
  const live = { id: 300, git_hash: 'a'.repeat(40), is_live: true, outcome: { code: 1, meaning: 'success' } };
  const ended = { started_at: '2026-05-04T12:00:00Z', finished_at: '2026-05-04T12:00:04Z' };
  const next = { ...live, ...ended, id: 301, git_hash: 'b'.repeat(40), is_live: false };
  const at = `/stacks/${stack}/deployments`;
  const play = await accepting(
    { [at]: (isDone) => (isDone ? [next, { ...live, ...ended }] : [{ ...live, ...ended }]), [`${at}/301`]: () => next },
    { after: 0, answer: { id: 301, queued: true } },
  );
  const { code, stdout, stderr } = await play(`redeploy -y -s ${stack} --wait`);
  expect([code, stdout]).toEqual([9, '']);
  expect(stderr).toContain(
    'error: deployment 301 succeeded after 4s (commit bbbbbbb), but is not live. Live is still 300.\n',
  );
  expect(stderr).not.toContain('undo:');
});
