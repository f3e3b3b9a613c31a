import { expect, test } from 'vitest';
import { globalOptions } from '../../../src/cli/arguments/options.ts';
import { outputFormats } from '../../../src/output/view.ts';
import { settingTable } from '../../../src/settings/table.ts';
import { reply, type Service, startService } from '../../support/service.ts';
import { run, temporaryFolder } from '../../support/stackops.ts';
import { transcriptFile } from '../../support/transcript.ts';

test('a list as YAML, by the line, and as jq makes it', transcriptFile);
test('one object in every form', transcriptFile);

test('a list of nothing', transcriptFile);

async function out(words: string, terminal?: number): Promise<string> {
  const env = { STACKOPS_SANDBOX: '1', STACKOPS_STACK: 'shop' };
  const ran = await run(words.split(' '), { env, ...(terminal && { terminal }) });
  return ran.stdout;
}

test('CSV over the program: rows, one object, secrets masked as everywhere', async () => {
  expect(await out('variant list --output csv --columns uid,percentage --sort percentage')).toBe(
    'uid,percentage\r\nva-preview,0\r\nva-canary,10\r\nva-active,100\r\n',
  );
  expect(await out('variant list --output csv --columns uid --no-header --limit 1')).toBe('va-active\r\n');
  expect(await out('variant list --output csv -q')).toBe('va-active\r\nva-canary\r\nva-preview\r\n');
  expect(await out('stack env list --output csv --columns key,value --sort -is_password --limit 1', 80)).toBe(
    'key,value\r\nSMTP_PASSWORD,***\r\n',
  );
  expect(await out('stack env list --output csv --columns key,value --sort -is_password --limit 1')).toBe(
    'key,value\r\nSMTP_PASSWORD,***\r\n',
  );
  expect(await out('stack get shop --output csv')).toMatch(
    /^uid,name,environment,[^\r]*\r\n[0-9a-f]{32},shop,production,[^\r]*\r\n$/,
  );
});

test('--fields and --columns choose columns of rows and fields of data alike', async () => {
  expect(await out('variant list --output csv --fields uid,percentage --limit 1')).toBe(
    await out('variant list --output csv --columns uid,percentage --limit 1'),
  );
  expect(await out('variant list --output yaml --columns uid --limit 1')).toBe('- uid: va-active\n');
  expect(await out('variant list --jq .[0] --columns uid')).toBe('{"uid":"va-active"}\n');
});

test('STACKOPS_CSV_RAW leaves out the quote in front of formulas, and other forms alone', async () => {
  const env = { STACKOPS_SANDBOX: '1', STACKOPS_STACK: 'shop', XDG_STATE_HOME: temporaryFolder() };
  await run(['stack', 'env', 'set', 'A=-x'], { env });
  const list = ['stack', 'env', 'list', '--fields', 'value', '--sort', 'key', '--limit', '1', '--no-header'];
  const raw = { ...env, STACKOPS_CSV_RAW: 'on' };
  expect((await run([...list, '--output', 'csv'], { env })).stdout).toBe("'-x\r\n");
  expect((await run([...list, '--output', 'csv'], { env: raw })).stdout).toBe('-x\r\n');
  expect((await run(list, { env: raw })).stdout).toBe('-x\n');
});

test('what contradicts itself is refused', transcriptFile);

test('--dry-run in every output form, with all digits', transcriptFile);

test('the setting knows the forms of --output', () => {
  expect(settingTable.output.choices).toEqual(outputFormats);
});

async function serve(
  answer: Parameters<typeof startService>[0],
): Promise<Service & { readonly env: Record<string, string> }> {
  const service = await startService(answer);
  return {
    ...service,
    env: { ...service.env, STACKOPS_STACK: '5f3c9a1e7b2d4c8f9e0a1b2c3d4e5f60' },
  };
}

const rowsOf = (rows: string) =>
  `{"response":${rows},"count":1,"pagination":{"previous":null,"next":null,"current":1,"per_page":30,"count":1,"pages":1}}`;

test.each([
  ['--json', '[{"id":9007199254740993,"uid":"a"}]\n'],
  ['--output=ndjson', '{"id":9007199254740993,"uid":"a"}\n'],
  ['--output=yaml', '- id: 9007199254740993\n  uid: a\n'],
  ['--jq=.[].id', '9007199254740993\n'],
  ['--jq=map({id})', '[{"id":9007199254740993}]\n'],
  ['--output=csv', 'id\r\n9007199254740993\r\n'],
])('an integer beyond 2^53 keeps its digits: %s', async (flag, stdout) => {
  const { env } = await serve((_, response) => {
    response.setHeader('content-type', 'application/json');
    response.end(rowsOf('[{"id":9007199254740993,"uid":"a"}]'));
  });
  const words = ['variant', 'list', flag, ...(flag.endsWith('csv') ? ['--columns', 'id'] : [])];
  expect(await run(words, { env })).toEqual({ code: 0, stdout, stderr: '' });
});

test('an expression that jq cannot read is refused before anything is sent', async () => {
  const { env, seen } = await serve((_, response) => reply(response, { response: {} }));
  for (const words of [
    ['variant', 'list'],
    ['variant', 'weight', 'va', '25'],
    ['api', '/x'],
  ]) {
    const { code, stdout, stderr } = await run([...words, '--jq', '.['], { env });
    expect([code, stdout]).toEqual([2, '']);
    expect(JSON.parse(stderr)).toMatchObject({
      error: {
        code: 'usage',
        message: 'the --jq expression ".[" is wrong: syntax error, unexpected end of file (line 1, column 2)',
        hint: 'stackops help output',
      },
    });
  }
  expect(seen).toEqual([]);
});

test('an expression that fails on the reply of a write: the write was made, and that is said', async () => {
  const { env, seen } = await serve(({ method }, response) =>
    reply(response, { response: method === 'GET' ? [] : { id: 1, key: 'K', value: 'hunter2' } }),
  );
  const { code, stdout, stderr } = await run(['stack', 'env', 'set', 'K=hunter2', '--jq', '.[].key | tonumber'], {
    env,
  });
  expect([code, stdout]).toEqual([2, '']);
  expect(JSON.parse(stderr).error.message).toBe(
    'the --jq expression ".[].key | tonumber" failed: string (…) cannot be parsed as a number; the change was made',
  );
  expect(seen.map(({ method }) => method)).toContain('POST');
});

test('what came instead of the response is shown whole, and the failure stays what it is', async () => {
  const { env } = await serve((_, response) => reply(response, { details: 'no such thing' }, 404));
  const { code, stdout, stderr } = await run(['api', '/things/1', '--jq', '.response.name | keys'], { env });
  expect([code, stdout]).toEqual([3, '{"details":"no such thing"}\n']);
  expect(JSON.parse(stderr)).toMatchObject({ error: { code: 'not_found', status: 404 } });
});

test('a failure is told in the form that was asked for', async () => {
  const { env } = await serve((_, response) => reply(response, { details: 'no' }, 403));
  const told = async (...flags: string[]) => (await run(['variant', 'list', ...flags], { env })).stderr;
  for (const flags of [['--json'], ['--jq', '.'], ['--jq=.'], ['--output', 'ndjson'], ['--output=json']]) {
    expect(JSON.parse(await told(...flags))).toMatchObject({ error: { code: 'forbidden' } });
    expect(JSON.parse(await told(...flags, '--nosuch'))).toMatchObject({ error: { code: 'usage' } });
  }
  for (const flags of [['--output', 'yaml'], ['--output=csv'], []]) {
    expect(await told(...flags)).toMatch(/^error: /);
    expect(await told(...flags, '--nosuch')).toMatch(/^error: /);
  }
});

test('help output speaks of every form and of every option that shapes one', async () => {
  const { code, stdout } = await run(['help', 'output']);
  expect(code).toBe(0);
  for (const format of outputFormats) expect(stdout).toMatch(new RegExp(`^  ${format} `, 'm'));
  const options = globalOptions.filter(({ group }) => group === 'output' || group === 'list');
  expect(options.map(({ long }) => long).filter((flag) => !stdout.includes(flag))).toEqual(['--quiet']);
  expect(stdout).toContain('  -q ');
  expect(stdout.split('\n').filter((line) => line.length > 80)).toEqual([]);
});
