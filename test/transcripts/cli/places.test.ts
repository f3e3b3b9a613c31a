import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import { expect, onTestFinished, test } from 'vitest';
import { reply, startService } from '../../support/service.ts';
import { run, temporaryFolder } from '../../support/stackops.ts';
import { transcriptFile } from '../../support/transcript.ts';

test('without a stack the stacks are shown, and the same command for one', transcriptFile);
test('no hint for a change names a stack that nobody named', transcriptFile);

const threeWays =
  'error: which stack? use -s NAME, set STACKOPS_STACK, or choose a default with "stackops stack use NAME"\nhint: stackops stack list\n';

test('what the stacks are called is asked for once; where that is not to be had, the three ways are named', async () => {
  const listed = await startService((_, response) =>
    reply(response, { response: [{ uid: 'a'.repeat(32), name: 'shop' }] }),
  );
  const { env } = listed;
  expect(await run(['variant', 'list'], { env })).toMatchObject({
    code: 2,
    stderr: expect.stringContaining('which stack? shop\n'),
  });
  expect(listed.seen).toHaveLength(1);
  for (const status of [403, 404, 501]) {
    const refusing = await startService((_, response) => reply(response, {}, status));
    const refused = await run(['env', 'set', 'A=1'], { env: { ...env, STACKOPS_BASE_URL: refusing.url } });
    expect([refused.code, refused.stderr, refusing.seen.length]).toEqual([2, threeWays, 1]);
  }
  for (const without of ['STACKOPS_BASE_URL', 'STACKOPS_TOKEN']) {
    const lacking = await run(['variant', 'list'], { env: { ...env, [without]: '' } });
    expect([lacking.code, lacking.stderr]).toEqual([2, threeWays]);
  }
});

test('a name that was begun gets the one it probably is', transcriptFile);

test('flag before environment before profile', transcriptFile);
test('a name of two stacks lists both', transcriptFile);
test('an unknown name is suggested for, and taken as a UID when it may be one', transcriptFile);
test('the only server group is found, of several one must be named', transcriptFile);

test('of a service without a list of groups, or with two of one name, the ID must be given', async () => {
  const uid = '5f3c9a1e7b2d4c8f9e0a1b2c3d4e5f60';
  const groups = [1, 2, 3].map((id) => ({ id, name: id < 3 ? 'data' : 'web' }));
  let status = 200;
  const service = await startService(({ path }, response) => {
    if (path.endsWith('/server_groups')) reply(response, { response: groups }, status);
    else reply(response, { response: [] });
  });
  const { env } = service;
  const list = (group: string) => run(['db', 'list', '-s', uid, '-g', group], { env });
  expect(await list('data')).toMatchObject({ code: 3, stderr: 'error: 2 server groups are called "data": 1, 2\n' });
  expect((await list('web')).code).toBe(0);
  expect(service.seen.map(({ path }) => path.split(uid)[1])).toEqual([
    '/server_groups',
    '/server_groups',
    '/server_groups/3/databases',
  ]);
  status = 404;
  expect(await list('web')).toMatchObject({
    code: 3,
    stderr:
      'error: server group "web" not found: this service or token does not list server groups\nhint: give the ID of the server group instead of its name\n',
  });
  expect((await list('3')).code).toBe(0);
});

test('a place where the command does not act is refused', transcriptFile);

test('an unknown profile is an error, in the sandbox too', transcriptFile);
test('a protected profile asks for its name before every write', transcriptFile);

test('where a place comes from can be asked, flag included', transcriptFile);

test('an account that is given is sent with every request but those for everybody', async () => {
  const seen: (string | undefined)[] = [];
  const listener = createServer((request, response) => {
    seen.push(`${request.url} ${request.headers['x-account'] ?? '-'}`);
    response.end('{"response":[]}');
  });
  await new Promise<void>((resolve) => listener.listen(0, '127.0.0.1', resolve));
  onTestFinished(() => void listener.close());
  const { port } = listener.address() as AddressInfo;
  const folder = temporaryFolder();
  const address = { STACKOPS_BASE_URL: `http://127.0.0.1:${port}/api/3`, STACKOPS_TOKEN: 'token' };
  const play = (words: string, env = {}) =>
    run(words.split(' '), { env: { ...address, STACKOPS_CONFIG_DIR: folder, ...env } });
  await play('stack list');
  await play('stack list -a 7');
  await play('stack list', { STACKOPS_ACCOUNT: '8' });
  await play('profile set account=9');
  await play('stack list');
  await play('gateway list');
  await play('reference clouds -a 7');
  await play('api /reference/new -a 7');
  expect(seen).toEqual([
    '/api/3/stacks -',
    '/api/3/stacks 7',
    '/api/3/stacks 8',
    '/api/3/stacks 9',
    '/api/3/accounts/9/gateways 9',
    '/api/3/reference/clouds -',
    '/api/3/reference/new -',
  ]);
});

test('an account that is only found out is not sent', transcriptFile);
