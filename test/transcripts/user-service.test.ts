import { writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { expect, test } from 'vitest';
import { type Answer, reply, startService } from '../support/service.ts';
import { run, temporaryFolder } from '../support/stackops.ts';

const user = (rights: Readonly<Record<string, unknown>>, more: Readonly<Record<string, unknown>> = {}) => ({
  id: 7,
  email: 'ada@harbour.example',
  access_profile: { account_profile: rights, stack_profiles: [], ...more },
});

async function against(answer: Answer) {
  const service = await startService(answer);
  return { service, env: service.env };
}

test.each([
  ['bare', user({ can_payment: true })],
  ['in a wrapper', { response: user({ can_payment: true }) }],
  ['without the profile, which is read again', { email: 'ada@harbour.example' }],
  ['as it was before, which is read again', user({ can_payment: false })],
])('the updated user may come %s', async (_, answer) => {
  let isDone = false;
  const { service, env } = await against(({ method }, response) => {
    if (method === 'GET') return reply(response, { response: user({ can_payment: isDone }) });
    isDone = true;
    return reply(response, answer);
  });
  expect(await run(['user', 'update', '7', '--set', 'can_payment=true', '-y'], { env })).toEqual({
    code: 0,
    stdout: 'user ada@harbour.example: can_payment false -> true\n',
    stderr: 'undo: stackops user update 7 --set can_payment=false\n',
  });
  expect(service.seen.filter(({ method }) => method === 'PUT').map(({ body }) => body)).toEqual([
    { access_profile: { account_profile: { can_payment: true } } },
  ]);
});

test('a service that leaves out what it was asked for is not believed', async () => {
  const { env } = await against((_, response) =>
    reply(response, { response: user({ can_payment: true, can_view_audit: false }) }),
  );
  const words = ['user', 'update', '7', '--set', 'can_view_audit=true,can_create_stack=true', '-y'];
  const stdout = [
    'user ada@harbour.example: accepted; the service still shows can_view_audit false',
    'user ada@harbour.example: accepted; the service still shows can_create_stack -',
    '',
  ].join('\n');
  expect(await run(words, { env })).toEqual({ code: 0, stdout, stderr: '' });
  const waited = await run([...words, '--wait', '--wait-timeout', '20s'], { env });
  expect(waited).toMatchObject({ code: 8, stdout });
  expect(waited.stderr).toContain(
    'error: user ada@harbour.example has not finished after 20s (accepted, not shown yet); it continues\n',
  );
});

test('what was changed of several is the result, and is undone alone', async () => {
  let isDone = false;
  const { env } = await against(({ method }, response) => {
    isDone ||= method === 'PUT';
    reply(response, { response: user({ can_payment: isDone, can_view_audit: false }) });
  });
  const words = ['user', 'update', '7', '--set', 'can_view_audit=true,can_payment=true', '-y'];
  expect(await run(words, { env })).toEqual({
    code: 0,
    stdout: [
      'user ada@harbour.example: accepted; the service still shows can_view_audit false',
      'user ada@harbour.example: can_payment false -> true',
      '',
    ].join('\n'),
    stderr: 'undo: stackops user update 7 --set can_payment=false\n',
  });
  isDone = false;
  const { stdout } = await run([...words, '--json'], { env });
  expect(JSON.parse(stdout)).toEqual({
    id: 7,
    email: 'ada@harbour.example',
    change: 'accepted',
    before: { can_view_audit: false, can_payment: false },
    after: { can_view_audit: false, can_payment: true },
    action: null,
    message: null,
    error: null,
  });
});

test.each([
  ['goes on', {}, 0, 'updating user ada@harbour.example (action 812, queued): can_payment false -> true\n'],
  [
    'has failed',
    { finished_at: '2026-05-04T12:00:00Z', finished_success: false },
    9,
    'updating user ada@harbour.example (action 812, failed): can_payment false -> true\n',
  ],
])('of an update whose action %s the lines say so, and there is no undo', async (_, end, code, stdout) => {
  const action = {
    id: 812,
    action: 'user_update',
    started_via: 'api',
    finished_at: null,
    finished_success: null,
    ...end,
  };
  const { env } = await against(({ method }, response) =>
    reply(response, { response: method === 'PUT' ? action : user({ can_payment: false }) }),
  );
  const ran = await run(['user', 'update', '7', '--set', 'can_payment=true', '-y'], { env });
  expect({ code: ran.code, stdout: ran.stdout }).toEqual({ code, stdout });
  expect(ran.stderr).not.toContain('undo: ');
});

test('a file is taken as the service sends it, with parts this tool does not know', async () => {
  const held = user({ can_fly: true, can_payment: false }, { acls_profile: [{ account_id: 1 }] });
  const changed = user({ can_fly: true, can_payment: true }, { acls_profile: [{ account_id: 1 }] });
  const { service, env } = await against(({ method }, response) =>
    reply(response, { response: method === 'PUT' ? changed : held }),
  );
  const file = join(temporaryFolder(), 'ada.json');
  writeFileSync(file, `\uFEFF${JSON.stringify(changed, undefined, 2)}\n`);
  expect(await run(['user', 'update', '7', '--from-file', file, '-y'], { env })).toMatchObject({
    code: 0,
    stderr: 'undo: stackops user update 7 --set can_payment=false\n',
  });
  expect(service.seen.at(-1)?.body).toEqual({ access_profile: { account_profile: { can_payment: true } } });
  writeFileSync(file, JSON.stringify(user({ can_fly: true }, { acls_profile: [] })));
  expect(await run(['user', 'update', '7', '--from-file', file, '-y'], { env })).toMatchObject({
    code: 2,
    stderr: 'error: "acls_profile" of an access profile cannot be changed\n',
  });
});

const secret = 'token-of-adas-phone';

test('a service that repeats secrets finds them blotted out', async () => {
  const { env } = await against((_, response) => reply(response, { details: `${secret} is unknown` }, 404));
  const given = { env, stdin: `${secret}\n` };
  const removed = await run(['user', 'device', 'delete', '7', '--token-stdin', '-v'], given);
  expect(removed.stderr).toContain('error: device of user 7 not found: *** is unknown\n');
  const words = ['user', 'device', 'register', '7', '--type', 'ios', '--sub-type', 'ipad', '--token-stdin', '-v'];
  const registered = await run(words, given);
  expect(registered.stderr).toContain('error: user 7 not found: *** is unknown\n');
  expect(removed.stderr + registered.stderr).not.toContain(secret);
});

test('a device with an unknown outcome is not named by its token', async () => {
  const { env } = await against(({ method }, response) => {
    if (method === 'GET') return reply(response, { error: 'no' }, 403);
    reply(response, { message: `lost ${secret}` }, 500);
  });
  const words = ['user', 'device', 'delete', '7', '--token-stdin', '-v', '--json'];
  const { code, stderr } = await run(words, { env, stdin: secret });
  expect(code).toBe(11);
  expect(stderr).not.toContain(secret);
  expect(JSON.parse(stderr.split('\n').at(-2) ?? '')).toMatchObject({
    error: { hint: 'stackops user get 7', path: '/users/7/devices/***' },
  });
});

test('a device is not taken for deleted by a service that shows no devices', async () => {
  const { env } = await against(({ method }, response) => {
    if (method === 'GET') return reply(response, { response: user({}) });
    response.destroy();
  });
  const { code, stdout } = await run(['user', 'device', 'delete', '7', '--token-stdin'], { env, stdin: 'a-token\n' });
  expect([code, stdout]).toEqual([11, '']);
});

test('a token is one segment of the address, whatever it holds', async () => {
  const { service, env } = await against((_, response) => reply(response, { response: { ok: true } }));
  expect(
    await run(['user', 'device', 'delete', '7', '--token-stdin'], { env, stdin: 'a/../b?c#d%2e\n' }),
  ).toMatchObject({
    code: 0,
  });
  expect(service.seen.find(({ method }) => method === 'DELETE')?.path).toBe('/users/7/devices/a%2F..%2Fb%3Fc%23d%252e');
});
