import { expect, test } from 'vitest';
import { reply, type Seen, startService } from '../support/service.ts';
import { run } from '../support/stackops.ts';

/** A service that offers no action records: an end is seen in its effect, or not at all. */
const stack = '5f3c0000000000000000000000000001';
const server = 'ab120000000000000000000000000001';
const at = `/stacks/${stack}`;
const group = `${at}/server_groups/21`;
const queued = {
  id: 812,
  resource_type: 'stack',
  resource_id: null,
  started_via: 'api',
  started_at: null,
  finished_at: null,
  finished_success: null,
  finished_message: null,
};

interface Reads {
  /** What each read shows by how often it was asked before; the last one stays. */
  readonly [request: string]: readonly unknown[];
}

async function played(words: string, reads: Reads) {
  const asked = new Map<string, number>();
  const service = await startService(({ method, path }: Seen, response) => {
    if (method !== 'GET') return reply(response, { response: path.endsWith('/reboot') ? { ok: true } : queued });
    const answers = reads[path] ?? [];
    const count = asked.get(path) ?? 0;
    asked.set(path, count + 1);
    const found = answers[Math.min(count, answers.length - 1)];
    return reply(response, found ? { response: found } : { error: 'not_found' }, found ? 200 : 404);
  });
  const env = { ...service.env, STACKOPS_STACK: stack, NO_COLOR: '1' };
  const ran = await run(`${words} --wait`.split(' '), { env });
  return { ...ran, changes: service.seen.filter(({ method }) => method !== 'GET').length };
}

const setting = (value: string) => [{ key: 'git.branch', value }];
const process = (web: number) => [{ name: 'web', servers: { 'web-1': web } }];
const servers = [{ uid: server, name: 'web-1' }];
const database = (...names: readonly string[]) => names.map((name) => ({ uid: `db-${name}`, name, size_bytes: 0 }));
const user = [{ uid: 'du1', username: 'app', user_type: 'application' }];
const shown = 'seen in what it changed, its record cannot be read';

test.each<readonly [string, Reads, string]>([
  [
    'stack settings set git.branch=b',
    { [`${at}/settings`]: [setting('a'), setting('a'), setting('b')] },
    'git.branch updated (a -> b)\n',
  ],
  [
    `server settings set ${server} git.branch=b`,
    { [`${at}/servers/${server}/settings`]: [setting('a'), setting('a'), setting('b')] },
    'git.branch updated (a -> b)\n',
  ],
  [
    'process scale web=3',
    { [`${at}/processes`]: [process(2), process(2), process(2), process(3)], [`${at}/servers`]: [servers] },
    'process web updated (2 -> 3 on web-1)\n',
  ],
  [
    'db create b -g 21',
    { [`${group}/databases`]: [database('a'), database('a'), database('a', 'b')] },
    'database b created (db-b, 0 B, 0 users)\n',
  ],
  [
    'db delete a -g 21 --confirm a',
    { [`${group}/databases`]: [database('a'), database('a'), database('a'), database('b')] },
    'database a deleted (db-a, 0 B, 0 users)\n',
  ],
])('%s: the effect shows the end', async (words, reads, said) => {
  const { code, stdout, stderr, changes } = await played(words, reads);
  expect({ code, stdout, changes }).toEqual({ code: 0, stdout: said, changes: 1 });
  expect(stderr).toContain('action 812: no effect seen yet\n');
  expect(stderr).toContain(`action 812: ${shown}\n`);
});

test('an effect that does not come is still awaited when the time is over', async () => {
  const reads = { [`${at}/settings`]: [setting('a')] };
  expect(await played('stack settings set git.branch=b --wait-timeout 20s', reads)).toMatchObject({
    code: 8,
    stdout: 'updating git.branch (action 812, queued): a -> b\n',
  });
});

test.each<readonly [string, Reads, string, string]>([
  [
    'db user regenerate-password app -g 21 --confirm app',
    { [`${group}/database_users`]: [user] },
    'changing the password of database user app (action 812, queued): du1, application, uses no database\n',
    'error: cannot tell whether action 812 finished: the service has no record of the action\n',
  ],
  [
    `cluster reboot ${server} --confirm prod`,
    { '/clusters': [[{ uid: server, name: 'prod', environment: 'production', node_count: 1, health: 3 }]] },
    `rebooting cluster ${server} (action 812, queued)\n`,
    'error: cannot tell whether action 812 finished: the service has no record of the action\n',
  ],
  [
    `server reboot ${server} -y`,
    { [`${at}/servers`]: [servers] },
    `rebooting server ${server} (queued)\n`,
    'error: cannot tell whether the reboot finished: the service shows no record of it\n',
  ],
])('%s: nothing shows the end, and the error says so', async (words, reads, said, why) => {
  const { code, stdout, stderr, changes } = await played(words, reads);
  expect({ code, stdout, changes }).toEqual({ code: 8, stdout: said, changes: 1 });
  expect(stderr).toContain(why);
  expect(stderr).not.toContain('undo: ');
});
