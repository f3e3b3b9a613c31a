import { expect, test } from 'vitest';
import { at, type FreshSandbox, freshSandbox, refusal, response, rows, shop, stagingBlog } from './fresh-sandbox.ts';

const backups = `/stacks/${shop}/backups`;

async function ids({ ask }: FreshSandbox, query = ''): Promise<readonly unknown[]> {
  return rows(await ask(`GET ${backups}${query}`)).map(({ id }) => id);
}

async function linkOf({ ask }: FreshSandbox, file: string): Promise<string> {
  return String(at(response(await ask(`GET ${backups}/${file}`)), 'public_url'));
}

test('backups are filtered by kind and group, newest first', async () => {
  const sandbox = await freshSandbox();
  expect(await ids(sandbox)).toEqual([906, 905, 904, 903, 902, 901]);
  expect(await ids(sandbox, '?db_type=redis')).toEqual([905, 902]);
  expect(await ids(sandbox, '?group=12')).toEqual([906, 904, 903, 901]);
  expect(await ids(sandbox, '?group=12&db_type=redis')).toEqual([]);
});

test('a backup has one file, several parts, or none when it failed', async () => {
  const { ask } = await freshSandbox();
  const files = async (id: number) => response(await ask(`GET ${backups}/${id}/files`));
  expect(await files(901)).toEqual([{ id: 'tar', name: 'shop_prod_20260502_030000.tar' }]);
  expect(await files(903)).toEqual([
    { id: 'tar-aa', name: 'shop_events_20260502_032000.tar-aa' },
    { id: 'tar-ab', name: 'shop_events_20260502_032000.tar-ab' },
    { id: 'tar-ac', name: 'shop_events_20260502_032000.tar-ac' },
  ]);
  expect(await files(904)).toEqual([]);
});

test('a link leads to the file without any token; its parts make up one archive', async () => {
  const sandbox = await freshSandbox();
  const links = await Promise.all(['aa', 'ab', 'ac'].map((part) => linkOf(sandbox, `903/files/tar-${part}`)));
  const answers = await Promise.all(links.map((link) => fetch(link)));
  const texts = await Promise.all(answers.map((answer) => answer.text()));
  expect(answers.map(({ status, headers }) => [status, headers.get('content-length')])).toEqual([
    [200, '873814'],
    [200, '873814'],
    [200, '873812'],
  ]);
  const whole = texts.join('');
  expect(whole).toHaveLength(2_621_440);
  expect(whole.slice(0, 31)).toBe('shop_events_20260502_032000.sql');
  expect(whole.slice(257, 265)).toBe('ustar\x0000');
});

test('storage takes no token, no changed address and no late request', async () => {
  const sandbox = await freshSandbox();
  const link = await linkOf(sandbox, '901/files/tar');
  const { origin } = new URL(sandbox.url);
  expect(link).toMatch(
    new RegExp(
      `^${origin}/storage/backups/${shop}/901/shop_prod_20260502_030000\\.tar\\?Expires=1776327300&Signature=[0-9a-f]{40}$`,
    ),
  );
  const status = async (address: string, init: RequestInit = {}) => (await fetch(address, init)).status;
  expect(await status(link, { headers: { authorization: `Bearer ${sandbox.token}` } })).toBe(400);
  expect(await status(link.replace('/901/', '/902/'))).toBe(403);
  expect(await status(link.replace('Expires=1', 'Expires=2'))).toBe(403);
  expect(await status(link.replace(/\?.*/, ''))).toBe(403);
  expect(await status(link, { method: 'POST' })).toBe(404);
  sandbox.pass(899);
  expect(await status(link)).toBe(200);
  sandbox.pass(1);
  expect(await status(link)).toBe(403);
});

test('a created backup is there after three seconds, in a group of its own', async () => {
  const sandbox = await freshSandbox();
  const { ask, pass } = sandbox;
  const wish = { db_type: 'postgresql,redis', frequency: '0 3 * * *', excluded_tables: 'logs' };
  expect(response(await ask(`POST ${backups}`, wish))).toEqual({
    ok: true,
    message: 'Backup of postgresql and redis queued for creation',
  });
  pass(2);
  expect(await ids(sandbox, '?group=14')).toEqual([]);
  pass(1);
  expect(await ids(sandbox, '?group=14')).toEqual([908, 907]);
  expect(response(await ask(`GET ${backups}/907`))).toMatchObject({
    db_type: 'postgresql',
    backup_status: 0,
    backup_date_iso: '2026-04-16T08:00:03Z',
    skip_tables: 'logs',
    backup_size: 65_536,
  });
  expect((await fetch(await linkOf(sandbox, '907/files/tar'))).headers.get('content-length')).toBe('65536');
});

test('without a kind, or with all, every database of the stack is backed up', async () => {
  const { ask } = await freshSandbox();
  for (const body of [undefined, { db_type: 'all' }]) {
    expect(at(response(await ask(`POST ${backups}`, body)), 'message')).toBe(
      'Backup of postgresql and redis queued for creation',
    );
  }
});

test('of a database that is not there the backup fails', async () => {
  const { ask, pass } = await freshSandbox();
  await ask(`POST ${backups}`, { db_type: 'mysql' });
  pass(3);
  expect(response(await ask(`GET ${backups}/907`))).toMatchObject({
    backup_status: 1,
    backup_result: 'shop has no mysql database',
    backup_size: 0,
  });
});

test('an import is told by its address, and restored in its group', async () => {
  const sandbox = await freshSandbox();
  const { ask, pass } = sandbox;
  const wish = { group: 12, db_type: 'postgresql', remote_url: 'https://files.example/shop.tar' };
  expect(response(await ask(`POST ${backups}`, wish))).toEqual({
    ok: true,
    message: 'Import into backup group 12 queued for upload',
  });
  pass(3);
  expect(await ids(sandbox, '?group=12')).toEqual([907, 906, 904, 903, 901]);
  expect(response(await ask(`GET ${backups}/907`))).toMatchObject({ restore_status: 2 });
});

const importOf = { group: 12, db_type: 'postgresql', remote_url: 'https://files.example/shop.tar' };

test.each<readonly [line: string, body: unknown, status: number, details: string]>([
  [
    `GET ${backups}?db_type=oracle`,
    undefined,
    400,
    'parameter "db_type" must be one of mysql, postgresql, redis, mongodb; got "oracle"',
  ],
  [`GET ${backups}/1`, undefined, 404, 'backup 1 not found'],
  [`GET /stacks/${stagingBlog}/backups/901`, undefined, 404, 'backup 901 not found'],
  [`GET ${backups}/1/files`, undefined, 404, 'backup 1 not found'],
  [`GET ${backups}/901/files/tar-aa`, undefined, 404, 'file "tar-aa" not found'],
  [`GET ${backups}/904/files/tar`, undefined, 404, 'file "tar" not found'],
  [
    `POST ${backups}`,
    { db_type: 'postgresql,oracle' },
    400,
    'parameter "db_type[1]" must be one of all, mysql, postgresql, redis, mongodb; got "oracle"',
  ],
  [`POST ${backups}`, { db_type: ['redis'] }, 400, 'parameter "db_type" must be a string'],
  [`POST ${backups}`, { frequency: 'daily' }, 400, 'frequency "daily" is not a cron schedule of five fields'],
  [`POST ${backups}`, { group: 12 }, 400, 'unknown parameter "group"'],
  [`POST ${backups}`, { remote_url: 'https://files.example/x' }, 400, 'unknown parameter "remote_url"'],
  [`POST ${backups}`, { ...importOf, group: 99 }, 404, 'backup group 99 not found'],
  [`POST ${backups}`, { ...importOf, remote_url: 'file:///x' }, 400, 'remote_url must be an http or https address'],
  [`POST ${backups}`, { ...importOf, gzip: true }, 400, 'unknown parameter "gzip"'],
])('refuses %s %j', async (line, body, status, details) => {
  const { ask } = await freshSandbox();
  expect(refusal(await ask(line, body))).toEqual([status, details]);
});
