import { expect, test } from 'vitest';
import { startService } from '../support/service.ts';
import { run } from '../support/stackops.ts';
import { transcript, transcriptFile } from '../support/transcript.ts';

const uid = '5f3c9a1e7b2d4c8f9e0a1b2c3d4e5f60';
const times = '"created_at":"2026-05-01T00:00:00Z","updated_at":"2026-05-01T00:00:00Z"';
const variable = (key: string, value: string, history = '') =>
  `{"id":1,"key":"${key}","value":${value},"readonly":false,"is_password":false,"is_generated":false,${times},"history":[${history}]}`;
const replaced = (value: string) => `{"key":1,"value":${value},${times}}`;

/** A service whose values are no text. */
async function serving(...rows: readonly string[]) {
  const service = await startService(({ method }, response) => {
    response.writeHead(200, { 'content-type': 'application/json' });
    response.end(method === 'GET' ? `{"response":[${rows.join()}],"pagination":{"next":null}}` : '{"ok":true}');
  });
  const { env } = service;
  return {
    service,
    stackops: (...words: readonly string[]) => run(['env', ...words], { env: { ...env, STACKOPS_STACK: uid } }),
  };
}

const numbers = [variable('RATE', '1.10'), variable('BIG', '12345678901234567890123'), variable('NONE', 'null')];

test('a number is exported as it was sent, and null is left out and named', async () => {
  const { stackops } = await serving(...numbers, variable('MAP', '{"a":1.0}'));
  expect(await stackops('export')).toEqual({
    code: 0,
    stdout: 'RATE=1.10\nBIG=12345678901234567890123\nMAP=\'{"a":1.0}\'\n',
    stderr: 'warning: left out, because the value is null: NONE\n',
  });
  expect((await stackops('get', 'RATE')).stdout).toBe('1.10\n');
});

test('a program gets the numbers as they were sent', async () => {
  const { stackops } = await serving(...numbers);
  const { stderr } = await stackops('run', '--pristine', '--dry-run', '--', 'env');
  expect(stderr).toBe('warning: left out, because the value is null: NONE\nwould run env with 2 variables\n');
});

test('a number is set again as it was sent', async () => {
  const history = [replaced('1.10'), replaced('12345678901234567890123'), replaced('null')];
  const { stackops, service } = await serving(...history.map((one, at) => variable(`K${at}`, '"x"', one)));
  await stackops('rollback', 'K0', 'K1', '-q');
  const sent = service.seen.flatMap(({ method, body }) => (method === 'PUT' ? [body] : []));
  expect(sent).toEqual([{ value: '1.10' }, { value: '12345678901234567890123' }]);
  expect(await stackops('rollback', 'K2')).toMatchObject({
    code: 3,
    stderr: `error: K2 was null then, which cannot be set\nhint: stackops stack env history K2 -s ${uid}\n`,
  });
  expect(await stackops('rollback', 'K2', '--to', '1')).toMatchObject({
    code: 3,
    stderr: `error: K2 was null then, which cannot be set\nhint: stackops stack env history K2 -s ${uid}\n`,
  });
});

test('null is no text', async () => {
  const { stackops, service } = await serving(variable('NONE', 'null'));
  await stackops('set', 'NONE=null', '-q');
  expect(service.seen.flatMap(({ method, body }) => (method === 'PUT' ? [body] : []))).toEqual([{ value: 'null' }]);
});

test('a copy takes numbers as they were sent, and names what is null', async () => {
  const other = '6a4d0b2f8c3e4d9a0f1b2c3d4e5f6071';
  const list = (path: string) => {
    if (path.endsWith('/environments')) return path.includes(other) ? numbers : [];
    return [uid, other].map((id) => `{"uid":"${id}","name":"${id === uid ? 'here' : 'there'}","environment":"x"}`);
  };
  const service = await startService(({ method, path }, response) => {
    response.writeHead(200, { 'content-type': 'application/json' });
    response.end(method === 'GET' ? `{"response":[${list(path).join()}],"pagination":{"next":null}}` : '{"ok":true}');
  });
  const { env } = service;
  const { stdout } = await run(['env', 'copy', '--all', '--from', 'there', '-s', 'here', '-y'], { env });
  expect(stdout).toMatch(/^NONE skipped: its value is null$/m);
  const sent = service.seen.flatMap(({ method, body }) => (method === 'POST' ? [body] : []));
  expect(sent).toEqual([
    { key: 'RATE', value: '1.10' },
    { key: 'BIG', value: '12345678901234567890123' },
  ]);
});

test('one rule says what is masked', async () => {
  const { stackops } = await serving(
    variable('API_TOKEN', '"abc"', replaced('"def"')),
    variable('CACHE', '"redis://app:pw@cache.example"'),
    variable('LEVEL', '"info"'),
  );
  expect((await stackops('list', '--output', 'table', '--fields', 'key,value')).stdout).toBe(
    'KEY        VALUE\nAPI_TOKEN  ***\nCACHE      ***\nLEVEL      info\n',
  );
  expect((await stackops('history', 'API_TOKEN', '--output', 'table', '--fields', 'value')).stdout).toBe(
    'VALUE\n***\n***\n',
  );
  expect((await stackops('list', '--output', 'table', '--fields', 'value', '--reveal')).stdout).toContain('abc\n');
});

test('an export without a variable says so', () =>
  transcript(`
    $ stackops stack env export --type generated -s blog/staging
    ! No generated variables: 3 of other types; --type all exports them.
    $ stackops stack env export --type generated -s blog/staging --json
    ! {"note":"No generated variables: 3 of other types; --type all exports them."}
    {}
  `));

test('a value is emptied only where that is meant', transcriptFile);
test('what was set already is counted, and what all stacks have in common is said once', transcriptFile);
