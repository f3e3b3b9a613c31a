import { accountRights } from '../../resources/user.ts';
import type { HeldUser, StoredDevice } from '../state.ts';

const shop = '5f3c9a1e7b2d4c8f9e0a1b2c3d4e5f60';
const stagingBlog = 'a81b6c0d4e2f49738c5d6e7f80912a3b';

/** The people of Harbour Books; ada is the one who holds the sandbox's tokens. */
export function seedUsers(): HeldUser[] {
  return [
    {
      row: userRow({ id: 7, name: 'ada', uses_tfa: true, has_valid_phone: true, last_login: '2026-04-15T16:45:00Z' }),
      rights: { ...rights(accountRights), default_roles: ['Administrator'] },
      roles: [{ stack_uid: shop, role: 'Administrator' }],
      devices: [phone('sandbox-device-ada-phone')],
    },
    {
      row: userRow({ id: 8, name: 'mara', uses_tfa: true, has_valid_phone: true, last_login: '2026-04-14T09:12:00Z' }),
      rights: {
        ...rights(['can_create_stack', 'can_view_acc_notifications', 'can_view_custom_env', 'can_edit_custom_env']),
        default_roles: ['Deployer'],
      },
      roles: [
        { stack_uid: shop, role: 'Deployer' },
        { stack_uid: stagingBlog, role: 'Administrator' },
      ],
      devices: [],
    },
    {
      row: userRow({ id: 9, name: 'iven', gitprovider_login: true, last_login: '2026-04-02T16:01:00Z' }),
      rights: { ...rights(['can_view_custom_env']), default_roles: ['Viewer'] },
      roles: [{ stack_uid: shop, role: 'Viewer' }],
      devices: [],
    },
    {
      row: userRow({ id: 12, name: 'otto', locked: true, last_login: '2025-11-28T10:30:00Z' }),
      rights: { ...rights([]), default_roles: [] },
      roles: [],
      devices: [],
    },
  ];
}

type UserRow = HeldUser['row'];

function userRow({ name, ...facts }: Partial<UserRow> & { readonly id: number; readonly name: string }): UserRow {
  return {
    email: `${name}@harbour.example`,
    primary_account_id: 42,
    locked: false,
    uses_tfa: false,
    timezone: 'Europe/Berlin',
    has_valid_phone: false,
    developer_program: false,
    gitprovider_login: false,
    last_login: '2026-04-01T08:00:00Z',
    created_at: '2024-02-05T09:05:00Z',
    updated_at: '2026-03-30T11:20:00Z',
    cloud_status: 'deployed',
    ...facts,
  };
}

/** Every right by name, granted or not: the service sends them all. */
function rights(granted: readonly string[]): Readonly<Record<string, boolean>> {
  return Object.fromEntries(accountRights.map((name) => [name, granted.includes(name)]));
}

function phone(token: string): StoredDevice {
  return {
    device_type: 1,
    sub_type: 1,
    token,
    enabled: true,
    created_at: '2025-09-02 07:15:00 UTC',
    updated_at: '2025-09-02 07:15:00 UTC',
    created_at_iso: '2025-09-02T07:15:00Z',
    updated_at_iso: '2025-09-02T07:15:00Z',
  };
}
