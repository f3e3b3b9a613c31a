import { expect, test } from 'vitest';
import { at, freshSandbox, refusal, response, rows, shop, stagingBlog } from './fresh-sandbox.ts';

const shortForm = [
  'created_at',
  'developer_program',
  'email',
  'has_valid_phone',
  'id',
  'locked',
  'primary_account_id',
  'timezone',
  'updated_at',
  'uses_tfa',
];

test('the list carries the short form only', async () => {
  const { ask } = await freshSandbox();
  const users = rows(await ask('GET /users'));
  expect(users.map(({ id, email, locked }) => [id, email, locked])).toEqual([
    [7, 'ada@harbour.example', false],
    [8, 'mara@harbour.example', false],
    [9, 'iven@harbour.example', false],
    [12, 'otto@harbour.example', true],
  ]);
  expect(Object.keys(users[0] ?? {}).toSorted()).toEqual(shortForm);
});

test('an update adds to the access profile, ignores the rest and answers without a wrapper', async () => {
  const { ask, pass } = await freshSandbox();
  pass(60);
  const { body } = await ask('PUT /users/9', {
    id_card: 'x',
    locked: true,
    access_profile: {
      account_profile: { can_payment: true },
      stack_profiles: [{ stack_uid: stagingBlog, role: 'Auditor' }],
    },
  });
  expect(body).toMatchObject({
    id: 9,
    locked: false,
    updated_at: '2026-04-16T08:01:00Z',
    access_profile: {
      account_profile: {
        can_payment: true,
        can_view_custom_env: true,
        can_create_stack: false,
        default_roles: ['Viewer'],
      },
      stack_profiles: [
        { stack_uid: shop, role: 'Viewer' },
        { stack_uid: stagingBlog, role: 'Auditor' },
      ],
    },
  });
  expect(response(await ask('GET /users/9'))).toEqual(body);
});

test('override replaces the roles and leaves the rights', async () => {
  const { ask } = await freshSandbox();
  const { body } = await ask('PUT /users/8', {
    access_profile: { override: true, stack_profiles: [{ stack_uid: shop, role: 'Viewer' }] },
  });
  expect(at(body, 'access_profile.stack_profiles')).toEqual([{ stack_uid: shop, role: 'Viewer' }]);
  expect(at(body, 'access_profile.account_profile.can_create_stack')).toBe(true);
  expect(at(body, 'access_profile')).not.toHaveProperty('override');
});

test('a device is registered, changed and deleted', async () => {
  const { ask, pass } = await freshSandbox();
  const device = { device_type: 1, sub_type: 2, token: 'tablet/1' };
  expect(response(await ask('POST /users/9/devices', device))).toEqual({
    ...device,
    enabled: true,
    created_at: '2026-04-16 08:00:00 UTC',
    updated_at: '2026-04-16 08:00:00 UTC',
    created_at_iso: '2026-04-16T08:00:00Z',
    updated_at_iso: '2026-04-16T08:00:00Z',
  });
  pass(60);
  expect(await ask('PUT /users/9/devices', { ...device, sub_type: 1 })).toMatchObject({ status: 200, body: undefined });
  expect(at(response(await ask('GET /users/9')), 'devices')).toMatchObject([
    { token: 'tablet/1', sub_type: 1, updated_at: '2026-04-16 08:01:00 UTC', created_at: '2026-04-16 08:00:00 UTC' },
  ]);
  expect(await ask('DELETE /users/9/devices/tablet%2F1')).toMatchObject({ status: 200, body: undefined });
  expect(at(response(await ask('GET /users/9')), 'devices')).toEqual([]);
});

test('nothing arrives on Android', async () => {
  const { ask } = await freshSandbox();
  const answer = await ask('POST /users/9/devices', { device_type: 2, sub_type: 1, token: 'x' });
  expect(response(answer)).toMatchObject({ device_type: 2, enabled: false });
});

test.each<readonly [line: string, body: unknown, status: number, details: string]>([
  ['GET /users/1', undefined, 404, 'user 1 not found'],
  ['GET /users/ada', undefined, 400, 'parameter "id" must be an integer'],
  ['PUT /users/1', { access_profile: {} }, 404, 'user 1 not found'],
  ['PUT /users/9', { access_profile: [] }, 400, 'parameter "access_profile" must be an object'],
  ['PUT /users/9', { access_profile: { x: 1 } }, 400, 'unknown parameter "access_profile.x"'],
  [
    'PUT /users/9',
    { access_profile: { account_profile: { can_fly: true } } },
    400,
    'unknown parameter "access_profile.account_profile.can_fly"',
  ],
  [
    'PUT /users/9',
    { access_profile: { account_profile: { can_payment: 'maybe' } } },
    400,
    'parameter "access_profile.account_profile.can_payment" must be true or false',
  ],
  [
    'PUT /users/9',
    { access_profile: { stack_profiles: [{ stack_uid: 'none', role: 'Viewer' }] } },
    404,
    'stack "none" not found',
  ],
  [
    'PUT /users/9',
    { access_profile: { stack_profiles: [{ stack_uid: shop, role: '' }] } },
    400,
    `the role in stack "${shop}" must not be empty`,
  ],
  [
    'POST /users/7/devices',
    { device_type: 3, sub_type: 1, token: 'x' },
    400,
    'parameter "device_type" must be from 1 to 2; got 3',
  ],
  ['POST /users/7/devices', { device_type: 1, sub_type: 1, token: '' }, 400, 'the token of a device cannot be empty'],
  [
    'POST /users/7/devices',
    { device_type: 1, sub_type: 1, token: 'sandbox-device-ada-phone' },
    400,
    'a device with this token already exists',
  ],
  ['PUT /users/7/devices', { device_type: 1, sub_type: 1, token: 'x' }, 404, 'no device has this token'],
  ['DELETE /users/7/devices/x', undefined, 404, 'no device has this token'],
])('refuses %s %j', async (line, body, status, details) => {
  const { ask } = await freshSandbox();
  expect(refusal(await ask(line, body))).toEqual([status, details]);
});
