import type { Operation } from '../contract/operation.ts';
import { accounts, gateways } from './account.ts';
import { actions } from './action.ts';
import { backups } from './backup.ts';
import { clusters } from './cluster.ts';
import { databases, databaseUsers } from './database.ts';
import { deployments } from './deployment.ts';
import { environments } from './env.ts';
import { processes } from './process.ts';
import { pings, reference } from './reference.ts';
import { servers } from './server.ts';
import { serverSettings, stackSettings } from './setting.ts';
import { serverGroups, stacks } from './stack.ts';
import { tags } from './tag.ts';
import { devices, users } from './user.ts';
import { variants } from './variant.ts';

export const catalogue = {
  accounts,
  actions,
  backups,
  clusters,
  databaseUsers,
  databases,
  deployments,
  devices,
  environments,
  gateways,
  pings,
  processes,
  reference,
  serverGroups,
  serverSettings,
  servers,
  stackSettings,
  stacks,
  tags,
  users,
  variants,
};
export type Catalogue = typeof catalogue;

/** Returns every operation with its ID, such as `variants.update`. */
export function everyOperation(): readonly (readonly [id: string, operation: Operation])[] {
  return Object.entries(catalogue).flatMap(([resource, operations]) =>
    Object.entries(operations).map(([verb, operation]): [string, Operation] => [`${resource}.${verb}`, operation]),
  );
}

export function operationById(id: string): Operation | undefined {
  return everyOperation().find(([operationId]) => operationId === id)?.[1];
}
