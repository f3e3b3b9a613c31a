import { expect, test } from 'vitest';
import { reply, startService } from '../support/service.ts';
import { type RunOptions, run } from '../support/stackops.ts';
import { screen } from '../support/watch.ts';

const uidOf = (at: number) => `5f3c9a1e7b2d4c8f9e0a1b2c3d4e5f${String(at).padStart(2, '0')}`;
const rows = Array.from({ length: 60 }, (_, at) => ({
  uid: uidOf(at),
  name: `s${String(at).padStart(2, '0')}`,
  environment: 'test',
  status: 1,
}));
const deployment = { id: 9, started_at: '2026-05-04T10:00:00Z', finished_at: '2026-05-04T10:05:00Z', is_live: true };
const outcomeAt = (path: string) => ({ code: 1, meaning: path.includes(uidOf(48)) ? 'failed' : 'success' });

/** Of 60 stacks the 49th has a failed deployment, the 31st a failed server, and the servers of the 20th cannot be read. */
async function fleet() {
  const service = await startService(({ path }, response) => {
    if (path === '/stacks') return reply(response, { response: rows });
    if (path.endsWith('/deployments'))
      return reply(response, { response: [{ ...deployment, outcome: outcomeAt(path) }] });
    if (path.includes(uidOf(19))) return reply(response, { error: 'forbidden' }, 403);
    const health_state = path.includes(uidOf(30)) ? 4 : 3;
    return reply(response, { response: [{ uid: 's1', name: 'web-1', health_state }] });
  });
  const { env } = service;
  return {
    service,
    status: (flags: readonly string[], at: RunOptions = {}) => run(['status', ...flags], { env, ...at }),
  };
}

test('of sixty stacks those with a problem come first, with two requests each and one for the list', async () => {
  const { service, status } = await fleet();
  const { code, stdout } = await status(['-q']);
  const worst = ['s30', 's48', 's19'].map((name) => rows.find((row) => row.name === name)?.uid);
  const others = rows.map(({ uid }) => uid).filter((uid) => !worst.includes(uid));
  expect([code, stdout.trimEnd().split('\n')]).toEqual([0, [...worst, ...others]]);
  expect(service.seen.length).toBe(1 + 2 * 60);
});

test('one screen shows the worst of them, in every form', async () => {
  const { status } = await fleet();
  expect(await status(['--limit', '3'])).toEqual({
    code: 0,
    stdout: [
      's30⇥test⇥deployed⇥-⇥2026-05-04T10:05:00Z⇥server web-1 is failed, not checked: actions, backups\n',
      's48⇥test⇥deployed⇥-⇥2026-05-04T10:05:00Z⇥deployment 9 failed, not checked: actions, backups\n',
      's19⇥test⇥deployed⇥-⇥2026-05-04T10:05:00Z⇥servers unreadable, not checked: actions, backups\n',
    ]
      .join('')
      .replaceAll('⇥', '\t'),
    stderr: '',
  });
  expect((await status(['--jq', '.[:3] | .[].name'])).stdout).toBe('s30\ns48\ns19\n');
});

test('a terminal shows the first of sixty stacks on one screen, and says how to see all', async () => {
  const { status } = await fleet();
  const { stdout, stderr } = await status([], { terminal: 80, screen: screen(24).host });
  expect(`${stdout}${stderr}`.trimEnd().split('\n').length).toBe(23);
  expect(stdout).toMatch(/\ns30 .*\ns48 .*\ns19 /s);
  expect(stderr.split('\n')[0]).toBe('18 of 60 stacks; --limit 60 shows all.');
  const some = await status(['--where', 'problems~failed'], { terminal: 80, screen: screen(24).host });
  expect(some.stderr.split('\n')[0]).toBe('2 of 60 stacks.');
  const all = await status(['--limit', '60'], { terminal: 80, screen: screen(24).host });
  expect(all.stdout.trimEnd().split('\n').length).toBeGreaterThan(60);
  expect(all.stderr).not.toContain('--limit');
});
