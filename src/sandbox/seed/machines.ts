import type { ProcessState, ServerState } from '../state.ts';
import { madeUpHex } from './made-up.ts';
import { seedServerSettings } from './settings.ts';

const region = 'fsn1';
const availability_zone = 'fsn1-dc14';

interface ServerSeed {
  readonly uid: string;
  readonly name: string;
  readonly roles: readonly string[];
  readonly group: number;
  /** Last part of the addresses. */
  readonly host: number;
  readonly health?: number;
  readonly size?: string;
}

/** Returns a server. The IDs of its settings begin at `firstSettingId`. */
export function seedServer(stackUid: string, firstSettingId: number, seed: ServerSeed): ServerState {
  const { uid, name, roles, group, host, health = 3, size = 'cx22' } = seed;
  const row = {
    uid,
    vendor_uid: String(40_000_000 + Number.parseInt(madeUpHex(`vendor ${uid}`, 5), 16)),
    name,
    address: `203.0.113.${host}`,
    distro: 'ubuntu',
    distro_version: '22.04',
    dns_record: `${name}.harbour.example`,
    user_name: 'root',
    server_type: 'D',
    server_roles: roles,
    server_group_id: group,
    stack_uid: stackUid,
    has_agent: true,
    params: { availability_zone, size, region, containerservice_instance_profile: null },
    created_at: '2024-02-06T08:22:00Z',
    updated_at: '2026-03-02T05:10:00Z',
    region,
    availability_zone,
    ext_ipv4: `203.0.113.${host}`,
    int_ipv4: `10.0.0.${host}`,
    int_ipv6: null,
    ext_ipv6: `2001:db8:4::${host}`,
    health_state: health,
  };
  return { row, settings: seedServerSettings(firstSettingId, name) };
}

/** UID of the server that the examples about tags use. */
export const shopWebServerUid = 'c1a7d3e95b2f4860a1b2c3d4e5f60718';
const secondWebServerUid = 'd2b8e4fa6c305971b2c3d4e5f6071829';
export const databaseServerUid = 'e3c9f50b7d416a82c3d4e5f60718293a';
const workerServerUid = '16fc83e0a074d5b5f60718293a4b5c6d';

/** Returns the servers of shop. The list of groups has only their group 21, so database commands need no `-g`. */
export function seedShopServers(stackUid: string): ServerState[] {
  return [
    { uid: shopWebServerUid, name: 'shop-web-1', roles: ['web'], group: 20, host: 11 },
    { uid: secondWebServerUid, name: 'shop-web-2', roles: ['web'], group: 20, host: 12, health: 2 },
    { uid: databaseServerUid, name: 'shop-db-1', roles: ['postgresql', 'redis'], group: 21, host: 21, size: 'cx32' },
    { uid: workerServerUid, name: 'shop-worker-1', roles: ['worker'], group: 22, host: 31 },
  ].map((seed, index) => seedServer(stackUid, 2101 + 10 * index, seed));
}

/** Returns the server that the autoscaler adds and removes. */
export function seedThirdWebServer(stackUid: string, created_at: string): ServerState {
  const uid = '27ab94f1b185e6c60718293a4b5c6d7e';
  const seed = { uid, name: 'shop-web-3', roles: ['web'], group: 20, host: 13 };
  const { row, settings } = seedServer(stackUid, 2141, seed);
  return { row: { ...row, created_at }, settings };
}

export function seedShopProcesses(): ProcessState[] {
  return [
    seedProcess('web', 'bundle exec puma -C config/puma.rb', { [shopWebServerUid]: 2, [secondWebServerUid]: 2 }),
    seedProcess('worker', 'bundle exec sidekiq -c 10', { [shopWebServerUid]: 1, [workerServerUid]: 3 }),
    seedProcess('scheduler', 'bundle exec clockwork config/clock.rb', { [workerServerUid]: 1 }),
  ];
}

function seedProcess(name: string, command: string, counts: ProcessState['counts']): ProcessState {
  return { name, command, md5: madeUpHex(`process ${name}`, 32), counts };
}
