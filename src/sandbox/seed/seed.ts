import { type HeldAccount, type State, type StoredAccount, stateFormat } from '../state.ts';
import { seedBlogs } from './blog.ts';
import { seedClusters } from './clusters.ts';
import { seedGateway } from './gateways.ts';
import { beginIncident } from './incident.ts';
import { movedBy } from './moved.ts';
import type { ScenarioName } from './scenario.ts';
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
