import type { HeldServer } from '../state.ts';
import { madeUp } from './made-up.ts';
import { seedServerSettings } from './settings.ts';

interface ServerSeed {
  readonly uid: string;
  readonly name: string;
  readonly roles: readonly string[];
  readonly group: number;
  /** The last part of its addresses. */
  readonly host: number;
  /** 3, healthy, unless said otherwise. */
  readonly health?: number;
  readonly size?: string;
}

const region = 'fsn1';
const availability_zone = 'fsn1-dc14';

/** A server whose settings have numbers that begin with `firstSetting`. */
export function seedServer(stack: string, firstSetting: number, seed: ServerSeed): HeldServer {
  const { uid, name, roles, group, host, health = 3, size = 'cx22' } = seed;
  const row = {
    uid,
    vendor_uid: String(40_000_000 + Number.parseInt(madeUp(`vendor ${uid}`, 5), 16)),
    name,
    address: `203.0.113.${host}`,
    distro: 'ubuntu',
    distro_version: '22.04',
    dns_record: `${name}.harbour.example`,
    user_name: 'root',
    server_type: 'D',
    server_roles: roles,
    server_group_id: group,
    stack_uid: stack,
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
  return { row, settings: seedServerSettings(firstSetting, name) };
}
