import {
  type HeldAccount,
  type ScenarioName,
  type State,
  type StoredAccount,
  type StoredGateway,
  stateFormat,
} from '../state.ts';
import { seedBlogs } from './blog.ts';
import { seedClusters } from './clusters.ts';
import { beginIncident } from './incident.ts';
import { fileStamp, keptKey, offsetStamp, plainStamp, stamp } from './made-up.ts';
import { seedShop } from './shop/shop.ts';
import { seedUsers } from './users.ts';

/** The current time that the dates of the seed assume. */
export const seedMoment = new Date('2026-05-04T12:00:00Z');

/**
 * Harbour Books, a small bookseller: always the same, with dates as old as they are at `seedMoment`. A scenario starts at
 * `now`.
 */
export function seedState(now: Date, scenario?: ScenarioName): State {
  const state: State = movedBy(now.getTime() - seedMoment.getTime(), {
    format: stateFormat,
    accounts: seedAccounts(),
    stacks: [seedShop(), ...seedBlogs()],
    clusters: seedClusters(),
    users: seedUsers(),
    oauth: { requests: [], codes: [], tokens: [] },
    next: { action: 812, backup: 907, backupGroup: 14, deployment: 1042, gateway: 9, variable: 600, serial: 0 },
  });
  if (scenario === 'incident') beginIncident(state, now);
  return state;
}

function seedAccounts(): HeldAccount[] {
  const unmanaged_servers = [{ id: 'i-0b71', name: 'old-mail', vendor: 'aws' }];
  return [
    {
      access: 'member',
      gateways: [
        seedGateway({ id: 5, name: 'bastion-1', host: 7, isOpen: true }),
        seedGateway({ id: 6, name: 'bastion-2', host: 8, isOpen: false }),
      ],
      row: { ...account(42, 'Harbour Books'), stack_count: 3, current_account: true, unmanaged_servers },
    },
    { access: 'member', row: account(57, 'Harbour Labs'), gateways: [] },
    { access: 'restricted', row: account(61, 'Harbour Archive'), gateways: [] },
    { access: 'foreign', row: account(73, 'Lighthouse Toys'), gateways: [] },
  ];
}

function account(id: number, name: string): StoredAccount {
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

/** The service's three spellings of a moment, and the one in names of files. */
const moments = /\d{4}-\d\d-\d\d[T ]\d\d:\d\d:\d\d(Z|\+0000| UTC)|(?<=_)\d{8}_\d{6}(?=")/g;

/** Copies plain JSON data with every time moved by this many milliseconds, keeping its spelling. */
function movedBy<T>(ms: number, value: T): T {
  const text = JSON.stringify(value);
  return JSON.parse(ms === 0 ? text : text.replaceAll(moments, (moment) => respelled(moment, ms)));
}

function respelled(text: string, ms: number): string {
  if (text.endsWith('Z')) return stamp(Date.parse(text) + ms);
  if (text.endsWith('+0000')) return offsetStamp(Date.parse(text) + ms);
  if (text.endsWith('UTC')) return plainStamp(Date.parse(text) + ms);
  const iso = text.replace(/(....)(..)(..)_(..)(..)(..)/, '$1-$2-$3T$4:$5:$6Z');
  return fileStamp(Date.parse(iso) + ms);
}

interface GatewaySeed {
  readonly id: number;
  readonly name: string;
  /** The last part of its addresses. */
  readonly host: number;
  readonly isOpen: boolean;
}

/** An open gateway holds a key and stays so for years. */
function seedGateway({ id, name, host, isOpen }: GatewaySeed): StoredGateway {
  return {
    id,
    name,
    username: 'ops',
    address: `203.0.113.${host}`,
    private_ip: `10.0.0.${host}`,
    ttl: isOpen ? '2035-01-01T00:00:00Z' : null,
    content: isOpen ? keptKey : '',
    created_by: 'ada@harbour.example',
    updated_by: 'mara@harbour.example',
    created_at_iso: '2024-03-11T10:00:00Z',
    updated_at_iso: '2026-02-20T14:30:00Z',
  };
}
