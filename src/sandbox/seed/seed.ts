import { accountRights } from '../../resources/user.ts';
import {
  type AccountState,
  type ClusterState,
  type DeviceRecord,
  type GatewayRecord,
  type ScenarioName,
  type State,
  stateFormat,
  type UserState,
} from '../state.ts';
import { seedBlogs, stagingBlogUid } from './blog.ts';
import { beginIncident } from './incident.ts';
import { fileStamp, isoStamp, offsetStamp, plainStamp, storedKeyMark } from './made-up.ts';
import { seedShop, shopUid } from './shop.ts';

/** The moment that counts as the current time in the dates of the seed. */
export const seedMoment = new Date('2026-05-04T12:00:00Z');

/** Returns the first state, that of a small bookseller. Its dates are moved by the time from `seedMoment` to `now`. */
export function seedState(now: Date, scenario?: ScenarioName): State {
  const state: State = withTimesMoved(now.getTime() - seedMoment.getTime(), {
    format: stateFormat,
    accounts: seedAccounts(),
    stacks: [seedShop(), ...seedBlogs()],
    clusters: seedClusters(),
    users: seedUsers(),
    oauth: { requests: [], codes: [], tokens: [] },
    writes: [],
    next: { action: 812, backup: 907, backupGroup: 14, deployment: 1042, gateway: 9, variable: 600, serial: 0 },
  });
  if (scenario === 'incident') beginIncident(state, now);
  return state;
}

function seedAccounts(): AccountState[] {
  const unmanaged_servers = [{ id: 'i-0b71', name: 'old-mail', vendor: 'aws' }];
  return [
    {
      access: 'member',
      gateways: [openedGateway, closedGateway],
      row: { ...seedAccount(42, 'Harbour Books'), stack_count: 3, current_account: true, unmanaged_servers },
    },
    { access: 'member', row: seedAccount(57, 'Harbour Labs'), gateways: [] },
    { access: 'restricted', row: seedAccount(61, 'Harbour Archive'), gateways: [] },
    { access: 'foreign', row: seedAccount(73, 'Lighthouse Toys'), gateways: [] },
  ];
}

function seedAccount(id: number, name: string): AccountState['row'] {
  return {
    id,
    friendly_name: name,
    owner: `owner@${name.toLowerCase().replace(' ', '-')}.example`,
    current_account: false,
    stack_count: 0,
    used_clouds: ['hetzner'],
    configstore_namespace: `account-${id}`,
    server_registration_script: `curl -fsS https://register.example/${id} | sh`,
    unmanaged_servers: null,
    created_at_iso: '2024-02-05T09:00:00Z',
    updated_at_iso: '2026-03-30T11:20:00Z',
  };
}

/** Matches times in the three formats of the service, and times in the names of files. */
const momentPattern = /\d{4}-\d\d-\d\d[T ]\d\d:\d\d:\d\d(Z|\+0000| UTC)|(?<=_)\d{8}_\d{6}(?=")/g;

function withTimesMoved<T>(ms: number, value: T): T {
  const text = JSON.stringify(value);
  return JSON.parse(ms === 0 ? text : text.replaceAll(momentPattern, (moment) => moveTimeText(moment, ms)));
}

function moveTimeText(text: string, ms: number): string {
  if (text.endsWith('Z')) return isoStamp(Date.parse(text) + ms);
  if (text.endsWith('+0000')) return offsetStamp(Date.parse(text) + ms);
  if (text.endsWith('UTC')) return plainStamp(Date.parse(text) + ms);
  const isoText = text.replace(/(....)(..)(..)_(..)(..)(..)/, '$1-$2-$3T$4:$5:$6Z');
  return fileStamp(Date.parse(isoText) + ms);
}

/** A gateway with a key that stays open for years. */
const openedGateway: GatewayRecord = {
  id: 5,
  name: 'bastion-1',
  username: 'ops',
  address: '203.0.113.7',
  private_ip: '10.0.0.7',
  ttl: '2035-01-01T00:00:00Z',
  content: storedKeyMark,
  created_by: 'ada@harbour.example',
  updated_by: 'mara@harbour.example',
  created_at_iso: '2024-03-11T10:00:00Z',
  updated_at_iso: '2026-02-20T14:30:00Z',
};
const closedGatewayFields = { id: 6, name: 'bastion-2', address: '203.0.113.8', private_ip: '10.0.0.8' };
const closedGateway: GatewayRecord = { ...openedGateway, ...closedGatewayFields, ttl: null, content: '' };

function seedClusters(): ClusterState[] {
  return [
    seedCluster(3, { id: 61, uid: '9c1e4b7a2d5f48309a1b2c3d4e5f6071', name: 'prod-eu', environment: 'production' }),
    seedCluster(1, { id: 62, uid: 'ad2f5c8b3e60594bab2c3d4e5f607182', name: 'staging-eu', environment: 'staging' }),
  ];
}

type ClusterSeed = Pick<ClusterState['row'], 'id' | 'uid' | 'name' | 'environment'>;

function seedCluster(nodeCount: number, seed: ClusterSeed): ClusterState {
  const createdAt = '2025-05-12T07:00:00Z';
  const updatedAt = '2026-04-09T18:20:00Z';
  const row = {
    ...seed,
    cloud: 'hetzner',
    region: 'fsn1',
    status: 1,
    health: 3,
    kubernetes_version: '1.31.4',
    node_count: nodeCount,
    nodes: Array.from({ length: nodeCount }, (_, index) => ({
      name: `${seed.name}-${index + 1}`,
      status: 'Ready',
      instance_type: 'cx32',
      capacity: { cpu: '4', memory: '7944Mi', pods: '110' },
    })),
    created_at: createdAt,
    updated_at: updatedAt,
    created_at_iso: createdAt,
    updated_at_iso: updatedAt,
  };
  const log = `${updatedAt} Kubernetes 1.31.4 is running on ${nodeCount} ${nodeCount === 1 ? 'node' : 'nodes'}.\n`;
  return { row, log, actions: [] };
}

function seedUsers(): UserState[] {
  const verifiedFields = { uses_tfa: true, has_valid_phone: true };
  // The sandbox's tokens belong to ada.
  const adaRow = userRow({ id: 7, name: 'ada', ...verifiedFields, last_login: '2026-04-15T16:45:00Z' });
  const ada = seedUser(adaRow, accountRights, 'Administrator');
  // A copy, because a request may change the device.
  ada.devices.push({ ...adaPhone });
  const maraRow = userRow({ id: 8, name: 'mara', ...verifiedFields, last_login: '2026-04-14T09:12:00Z' });
  const maraRights = ['can_create_stack', 'can_view_acc_notifications', 'can_view_custom_env', 'can_edit_custom_env'];
  const mara = seedUser(maraRow, maraRights, 'Deployer');
  mara.roles = [...mara.roles, { stack_uid: stagingBlogUid, role: 'Administrator' }];
  const ivenRow = userRow({ id: 9, name: 'iven', gitprovider_login: true, last_login: '2026-04-02T16:01:00Z' });
  const ottoRow = userRow({ id: 12, name: 'otto', locked: true, last_login: '2025-11-28T10:30:00Z' });
  return [ada, mara, seedUser(ivenRow, ['can_view_custom_env'], 'Viewer'), seedUser(ottoRow, [])];
}

function seedUser(row: UserRow, grantedRights: readonly string[], ...roles: readonly string[]): UserState {
  // The service sends every right, granted or not.
  const rights = Object.fromEntries(accountRights.map((name) => [name, grantedRights.includes(name)]));
  const shopRoles = roles.map((role) => ({ stack_uid: shopUid, role }));
  return { row, rights: { ...rights, default_roles: roles }, roles: shopRoles, devices: [] };
}

type UserRow = UserState['row'];

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

const adaPhone: DeviceRecord = {
  device_type: 1,
  sub_type: 1,
  token: 'sandbox-device-ada-phone',
  enabled: true,
  created_at: '2025-09-02 07:15:00 UTC',
  updated_at: '2025-09-02 07:15:00 UTC',
  created_at_iso: '2025-09-02T07:15:00Z',
  updated_at_iso: '2025-09-02T07:15:00Z',
};
