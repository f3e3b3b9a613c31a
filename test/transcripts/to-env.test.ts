import { existsSync, readdirSync, readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, test } from 'vitest';
import { startSandbox } from '../support/sandbox.ts';
import { reply, startService } from '../support/service.ts';
import { ownFolders, run, temporaryFolder } from '../support/stackops.ts';
import { transcriptFile } from '../support/transcript.ts';

const regenerate = 'db user regenerate-password app -s shop --confirm app --wait --to-env DB_PASSWORD';

test('the new password goes into a variable, and is shown nowhere', transcriptFile);

test('the password of a new user goes into a variable, too', transcriptFile);

test('what cannot be done is refused before the password changes', transcriptFile);

/** A sandbox with these faults, whose time goes by while somebody waits, and the folders of the program. */
async function setUp(faults: readonly string[] = []) {
  let nowMs = Date.parse('2026-05-04T12:00:00Z');
  const sandbox = await startSandbox({ faults, now: () => new Date(nowMs) });
  const folders = ownFolders();
  const env = { ...folders, ...sandbox.env };
  const slept = (ms: number): void => {
    nowMs += ms;
  };
  const play = (words: string) => run(words.split(' '), { env, slept });
  const passwordOf = async () =>
    JSON.parse((await play('db user list -s shop --show-password --reveal --json')).stdout)[0].password as string;
  return { play, passwordOf, folders };
}

test.each([['-v'], ['--json -v'], ['--redeploy -v']])(
  'with %s nothing of the password is left anywhere',
  async (more) => {
    const { play, passwordOf, folders } = await setUp();
    const { code, stdout, stderr } = await play(`${regenerate} ${more}`);
    const password = await passwordOf();
    expect([code, password]).toEqual([0, expect.not.stringMatching('sandbox-app-password')]);
    const kept = Object.values(folders).flatMap(filesIn);
    expect(kept.length).toBeGreaterThan(0);
    expect([stdout, stderr, ...kept].filter((text) => text.includes(password))).toEqual([]);
    // Not even a hash of it, with which others could test a guess.
    expect(kept.filter((text) => text.includes('hash_key'))).toEqual([]);
    expect((await play('env get DB_PASSWORD -s shop')).stdout).toBe(`${password}\n`);
  },
);

function filesIn(folder: string): readonly string[] {
  return readdirSync(folder, { recursive: true, withFileTypes: true })
    .filter((entry) => entry.isFile())
    .map((entry) => readFileSync(join(entry.parentPath, entry.name), 'utf8'));
}

test('with --json a record for each change comes', async () => {
  const { play } = await setUp();
  const { stdout } = await play(`${regenerate} --redeploy --json`);
  expect(JSON.parse(stdout)).toMatchObject([
    { username: 'app', change: 'password_changed' },
    { key: 'DB_PASSWORD', change: 'created', before: null, after: '***' },
    { change: 'deployed' },
  ]);
});

test('a service that replies with actions', (context) => transcriptFile(context, { sandbox: { replies: 'actions' } }));

const gone = 'The password of app was changed, and the old one no longer works; DB_PASSWORD';
const finish =
  'stackops db user list --show-password --reveal -s shop -g 21 && stackops stack env set DB_PASSWORD --stdin -s shop';
const finishAndRedeploy = finish.replace('--stdin', '--stdin --redeploy -y');

describe('what follows fails', () => {
  test.each([
    ['422', 1, `. ${gone} does not hold the new one.`, finishAndRedeploy],
    ['403', 1, `. ${gone} does not hold the new one.`, finishAndRedeploy],
    ['503', 11, `. ${gone} may hold either.`, 'stackops stack env list -s shop'],
  ])('the variable is answered with %s: %i', async (status, code, said, hint) => {
    const { play, passwordOf } = await setUp([`POST /stacks/*/environments=${status}`]);
    const ran = await play(`${regenerate} --redeploy`);
    expect(ran).toMatchObject({ code, stdout: expect.stringContaining('database user app password changed') });
    expect(ran.stderr).toContain(`${said}\nhint: ${hint}\n`);
    expect(ran.stderr + ran.stdout).not.toContain(await passwordOf());
  });

  test('the password cannot be read', async () => {
    const place = '/stacks/5f3c0000000000000000000000000001/server_groups/21/database_users';
    const service = await startService(({ method, path }, response) => {
      if (method === 'POST') return reply(response, { response: { id: 7, started_via: 'api', finished_at: null } });
      if (path.endsWith('/environments')) return reply(response, { response: [] });
      if (path === place) return reply(response, { response: [{ uid: 'du1', username: 'app' }] });
      const finished_at = '2026-05-04T12:00:01Z';
      reply(response, { response: { id: 7, started_via: 'api', finished_at, finished_success: true } });
    });
    const { env } = service;
    const words = `${regenerate} -g 21`.replace('shop', '5f3c0000000000000000000000000001').split(' ');
    const { code, stderr } = await run(words, { env });
    expect([code, stderr]).toEqual([
      1,
      expect.stringContaining(
        `error: the service does not show the new password. ${gone} does not hold the new one.\n`,
      ),
    ]);
    expect(service.seen.filter(({ method }) => method !== 'GET')).toHaveLength(1);
  });

  test('the deployment is refused', async () => {
    const { play } = await setUp(['POST /stacks/*/deployments=422']);
    const { code, stderr } = await play(`${regenerate} --redeploy`);
    expect(code).toBe(1);
    expect(stderr).toContain('DB_PASSWORD holds the new password of app; the old one no longer works.\n');
  });

  test('nobody waits any longer', async () => {
    const { play } = await setUp();
    const { code, stderr } = await play(`${regenerate} --wait-timeout 1s`);
    expect(code).toBe(8);
    expect(stderr).toMatch(/^error: action 812 has not finished after .+\. DB_PASSWORD was not set\.$/m);
    expect(stderr).toContain(`\nhint: stackops action wait 812 -s shop && ${finish}\n`);
  });
});

test('an approver is asked once, and one that refuses leaves the password', async () => {
  const { play, passwordOf, folders } = await setUp();
  const seen = join(temporaryFolder(), 'seen');
  const approver = join(temporaryFolder(), 'approve');
  const decide = (code: number) =>
    writeFileSync(
      approver,
      `#!/bin/sh\n[ "$STACKOPS_CONFIG_DIR" != ${folders.STACKOPS_CONFIG_DIR} ] || cat >> ${seen}\nexit ${code}\n`,
      { mode: 0o755 },
    );
  decide(1);
  await play(`profile set approve_command=${approver}`);
  expect(await play(regenerate)).toMatchObject({ code: 5, stdout: '' });
  expect(await passwordOf()).toBe('sandbox-app-password');
  decide(0);
  expect(await play(`${regenerate} --redeploy`)).toMatchObject({ code: 0 });
  expect(
    existsSync(seen) &&
      readFileSync(seen, 'utf8')
        .trimEnd()
        .split('\n')
        .map((line) => JSON.parse(line).changes.length),
  ).toEqual([2, 3]);
  expect(readFileSync(seen, 'utf8')).not.toContain(await passwordOf());
});
