import { existsSync } from 'node:fs';
import { join } from 'node:path';
import { expect, test } from 'vitest';
import { ownEnvironment, runBuilt, runShell } from '../support/built.ts';
import { peakIn, tellPeak } from '../support/peak-memory.ts';
import { reply, type Seen, type Service, startService } from '../support/service.ts';
import { run, temporaryFolder } from '../support/stackops.ts';

const perPage = 30;
const shop = '5f3c9a1e7b2d4c8f9e0a1b2c3d4e5f60';
const blog = '0a1b2c3d4e5f60718293a4b5c6d7e8f9';

const pageOf = ({ query }: Seen): number => Number(new URLSearchParams(query).get('page') ?? 1);
const deployments = (page: number, count = perPage) =>
  Array.from({ length: count }, (_, at) => ({
    id: (page - 1) * Math.max(perPage, count) + at + 1,
    triggered_by: 'ada@harbour.example',
    triggered_via: { code: 0, meaning: 'web' },
    started_at: '2026-05-04T11:00:00Z',
    finished_at: '2026-05-04T11:03:00Z',
    outcome: { code: 1, meaning: 'success' },
    git_hash: '9d4e1f70a1b2c3d4e5f60718293a4b5c6d7e8f90',
    commit_url: 'https://git.harbour.example/harbour/shop/commit/9d4e1f70a1b2c3d4e5f60718293a4b5c6d7e8f90',
  }));

/** A service whose lists have so many pages; from one page on it may fail, and pages behind the first may have to wait. */
async function longLists(
  pages: number,
  { failsFrom = Number.POSITIVE_INFINITY, rows = perPage, mayGoOn = async () => {} } = {},
): Promise<Service> {
  const service = await startService(async (seen, response) => {
    const page = pageOf(seen);
    if (page > 1) await mayGoOn();
    if (page >= failsFrom) return reply(response, { error: 'x', details: 'out of order' }, 500);
    const pagination = {
      previous: null,
      next: page < pages ? page + 1 : null,
      current: page,
      pages,
      per_page: rows,
    };
    return reply(response, { response: deployments(page, rows), count: rows, pagination });
  });
  return service;
}

const environment = ({ url }: Service) => ownEnvironment({ STACKOPS_BASE_URL: url, STACKOPS_RETRIES: '0' });
const inProcess = ({ url }: Service) => ({ STACKOPS_BASE_URL: url, STACKOPS_TOKEN: 'x', STACKOPS_RETRIES: '0' });
const list = ['deployment', 'list', '-s', shop];
const ids = (from: number, to: number): string =>
  Array.from({ length: to - from + 1 }, (_, at) => `${from + at}\n`).join('');

test.each(['', ' --output csv', ' --output ndjson', ' -q'])(
  'when the reader has gone no more pages are asked for: deployment list%s | head -1',
  async (form) => {
    const gone = join(temporaryFolder(), 'gone');
    const hasGone = () => expect.poll(() => existsSync(gone)).toBe(true);
    const service = await longLists(3_334, { mayGoOn: hasGone });
    const reader = `{ head -1; exec 0<&-; : > '${gone}'; }`;
    const line = `set -o pipefail; stackops deployment list -s ${shop}${form} | ${reader}`;
    const { code, stdout, stderr } = await runShell(line, environment(service));
    expect([code, stderr, stdout.split('\n').length]).toEqual([0, '', 2]);
    expect(service.seen.length).toBeLessThan(12);
  },
);

test('each page is written before the next one is asked for', async () => {
  const events: string[] = [];
  const service = await startService((seen, response) => {
    const page = pageOf(seen);
    events.push(`page ${page}`);
    reply(response, { response: deployments(page, 2), pagination: { next: page < 3 ? page + 1 : null } });
  });
  const env = inProcess(service);
  await run([...list, '--columns', 'id', '--header'], { env, shown: (text) => events.push(text) });
  expect(events).toEqual(['page 1', 'ID\n1\n2\n', 'page 2', '31\n32\n', 'page 3', '61\n62\n']);
});

test('a heading stands once, above an empty first page and an empty list too', async () => {
  let rows = 0;
  const service = await startService((seen, response) => {
    const page = pageOf(seen);
    reply(response, {
      response: deployments(page, page === 1 ? 0 : rows),
      pagination: { next: page < 3 ? page + 1 : null },
    });
  });
  const listed = async (...words: readonly string[]) =>
    run([...list, '--columns', 'id', ...words], { env: inProcess(service) });
  const none = 'No deployments.\n';
  expect(await listed('--output', 'csv')).toEqual({ code: 0, stdout: 'id\r\n', stderr: none });
  expect(await listed('--header')).toEqual({ code: 0, stdout: '', stderr: none });
  expect((await listed('--output', 'csv', '-q')).stdout).toBe('');
  rows = 1;
  expect((await listed('--output', 'csv')).stdout).toBe('id\r\n31\r\n61\r\n');
  expect((await listed('--header')).stdout).toBe('ID\n31\n61\n');
});

test('--limit ends the reading', async () => {
  const service = await longLists(5);
  const { stdout } = await run([...list, '--columns', 'id', '--limit', '40'], { env: inProcess(service) });
  expect([stdout, service.seen.length]).toEqual([ids(1, 40), 2]);
});

test('a page that fails: its exit code, and stderr says that the list is incomplete', async () => {
  const service = await longLists(5, { failsFrom: 3 });
  const written = await run([...list, '--columns', 'id'], { env: inProcess(service) });
  const stderr = 'error: the list is incomplete: the service failed (500): out of order\n';
  expect(written).toEqual({ code: 7, stdout: ids(1, 60), stderr });
  const data = await run([...list, '--output', 'ndjson'], { env: inProcess(service) });
  expect([data.code, data.stdout.trimEnd().split('\n').length]).toEqual([7, 60]);
  expect(JSON.parse(data.stderr).error).toMatchObject({ code: 'unavailable', exit_code: 7, status: 500 });
  const whole = await run([...list, '--json'], { env: inProcess(service) });
  expect([whole.code, whole.stdout]).toEqual([7, '']);
});

test('of several stacks the pages come in the order in which those were named', async () => {
  const seenAt = { [shop]: 0, [blog]: 0 };
  const service = await startService((seen, response) => {
    const page = pageOf(seen);
    const stack = seen.path.includes(blog) ? blog : shop;
    seenAt[stack] += 1;
    // The second stack is faster.
    const answer = () => reply(response, { response: deployments(page, 2), pagination: { next: page < 2 ? 2 : null } });
    if (stack === blog) answer();
    else setImmediate(() => setImmediate(answer));
  });
  const over = ['deployment', 'list', '-s', `${shop},${blog}`];
  const listed = await run([...over, '--columns', 'id,stack', '--header'], { env: inProcess(service) });
  const rows = [shop, blog].flatMap((stack) => [1, 2, 31, 32].map((id) => `${id}\t${stack}\n`));
  expect(listed).toEqual({ code: 0, stdout: `ID\tSTACK\n${rows.join('')}`, stderr: '' });
  expect(seenAt).toEqual({ [shop]: 2, [blog]: 2 });
  const some = await run([...over, '--limit', '3', '--output', 'csv', '--columns', 'id'], { env: inProcess(service) });
  expect(some.stdout).toBe('id\r\n1\r\n2\r\n31\r\n');
});

test('of several stacks one fails: the others are whole, and the exit code says so', async () => {
  const service = await startService((seen, response) => {
    if (seen.path.includes(shop)) return reply(response, { details: 'no' }, 403);
    return reply(response, { response: deployments(1, 1), pagination: { next: null } });
  });
  const over = ['deployment', 'list', '-s', `${shop},${blog}`];
  const rows = await run([...over, '--columns', 'id'], { env: inProcess(service) });
  expect([rows.code, rows.stdout]).toEqual([1, '1\n']);
  expect(rows.stderr).toContain(`error: the list is incomplete: ${shop} failed: `);
  const data = await run([...over, '--output', 'ndjson', '--fields', 'stack,error.code'], { env: inProcess(service) });
  expect(data.stdout).toBe(`{"stack":"${shop}","error":{"code":"forbidden"}}\n{"stack":"${blog}","error":null}\n`);
});

/** Peak memory of the built program in MiB, and how many lines it wrote. */
async function measured(words: readonly string[], service: Service, flags = '') {
  const env = { ...environment(service), ...tellPeak, NODE_OPTIONS: `${tellPeak.NODE_OPTIONS} ${flags}` };
  const { stdout, stderr } = await runBuilt(words, { env });
  return { mebibytes: peakIn(stderr), lines: stdout.split('\n').length - 1 };
}

test('100,000 rows on 1,000 pages take little memory, and no more than 300 MiB as one array', async () => {
  const service = await longLists(1_000, { rows: 100 });
  // On a busy machine V8 collects late unless both heaps are small: up to 154 MiB were seen with the usual young heap,
  // 104 to 123 MiB with this one, by version of Node. A heap of rows that are kept would end the program.
  const { mebibytes, lines } = await measured(list, service, '--max-old-space-size=48 --max-semi-space-size=2');
  expect(lines).toBe(100_000);
  expect(mebibytes).toBeLessThan(150);
  const whole = await measured([...list, '--json'], service);
  expect(whole.lines).toBe(1);
  expect(whole.mebibytes).toBeLessThan(300);
});

test('--limit cuts the merged list, in the order of the whole list, and tells the total where it is known', async () => {
  const service = await longLists(3);
  const listed = async (...words: readonly string[]) => {
    const { stdout, stderr } = await run([...words, '--columns', 'id', '--no-header'], {
      env: { ...inProcess(service), NO_COLOR: '1' },
      terminal: 120,
    });
    return [stdout.trim().split(/\s+/), stderr];
  };
  const over = ['deployment', 'list', '-s', `${shop},${blog}`];
  expect(await listed(...over, '--limit', '2')).toEqual([['1', '2'], '2 of 180 deployments.\n']);
  expect(await listed(...over, '--limit', '2', '--sort', '-id')).toEqual([['90', '90'], '2 of 180 deployments.\n']);
  expect(await listed(...list, '--limit', '5')).toEqual([['1', '2', '3', '4', '5'], '']);
  expect((await listed(...list))[0]?.slice(0, 5)).toEqual(['1', '2', '3', '4', '5']);
});
