import { expect, test } from 'vitest';
import { reply, startService } from '../support/service.ts';
import { run } from '../support/stackops.ts';
import { transcriptFile } from '../support/transcript.ts';

test('--where keeps the rows that match, by word or code, in every form', transcriptFile);
test('a word that a field cannot have is refused with those that it can', transcriptFile);
test('a filter that cannot be is refused before anything is sent', transcriptFile);

const csv = ['backup', 'list', '-s', 'shop', '--output', 'csv', '--columns', 'id'];

test('CSV has its heading where no row matches', async () => {
  const env = { STACKOPS_SANDBOX: '1' };
  expect((await run([...csv, '--where', 'id=904'], { env })).stdout).toBe('id\r\n904\r\n');
  expect((await run([...csv, '--where', 'id=1'], { env })).stdout).toBe('id\r\n');
});

const uid = '5f3c9a1e7b2d4c8f9e0a1b2c3d4e5f60';

test('the limit acts on what is left, and reading stops there', async () => {
  const service = await startService(({ query }, response) => {
    const page = Number(new URLSearchParams(query).get('page') ?? 1);
    const rows = [1, 2, 3].map((at) => ({ id: page * 10 + at, db_type: at === 2 ? 'redis' : 'mysql' }));
    reply(response, { response: rows, count: 30, pagination: { previous: null, next: page + 1, current: page } });
  });
  const { env } = service;
  const words = ['backup', 'list', '-s', uid, '--where', 'db_type=redis', '--limit', '2', '--columns', 'id'];
  const { stdout } = await run(words, { env });
  expect(stdout).toBe('12\n22\n');
  expect(service.seen.length).toBeLessThan(5);
});

test('a stack that cannot be read is shown, whatever the filter', async () => {
  const other = '6f3c9a1e7b2d4c8f9e0a1b2c3d4e5f61';
  const { env } = await startService(({ path }, response) => {
    if (path.includes(other)) reply(response, { error: 'broken' }, 403);
    else reply(response, { response: [{ uid: 's1', name: 'web-1' }] });
  });
  for (const output of ['json', 'ndjson']) {
    const words = ['server', 'list', '-s', `${uid},${other}`, '--where', 'name=db-1', '--output', output];
    const { stdout, code } = await run([...words, '--fields', 'stack,error.code'], { env });
    expect([code, stdout.replace(/^\[|\]/g, '')]).toEqual([1, `{"stack":"${other}","error":{"code":"forbidden"}}\n`]);
  }
});

test('codes have a field of words, in every form, for --where and for --sort', transcriptFile);

const statuses = [{ status: 1 }, { status: 99 }, { status: null }, {}, { status: 2, status_text: 'as it was sent' }];

test('a code without a word is shown as it is, and what the service sent is not replaced', async () => {
  const rows = statuses.map((row, at) => ({ uid: `s${at}`, ...row }));
  const { env } = await startService((_, response) => reply(response, { response: rows }));
  const list = ['stack', 'list', '--fields', 'uid,status_text'];
  expect((await run(list, { env })).stdout).toBe('s0\tdeployed\ns1\t99\ns2\t-\ns3\t-\ns4\tas it was sent\n');
  expect((await run([...list, '--output', 'csv', '--no-header'], { env })).stdout).toBe(
    's0,deployed\r\ns1,99\r\ns2,\r\ns3,\r\ns4,as it was sent\r\n',
  );
  expect(JSON.parse((await run([...list, '--json'], { env })).stdout)).toEqual([
    { uid: 's0', status_text: 'deployed' },
    { uid: 's1', status_text: '99' },
    { uid: 's2', status_text: null },
    { uid: 's3', status_text: null },
    { uid: 's4', status_text: 'as it was sent' },
  ]);
});
