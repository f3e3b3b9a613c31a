import type { Operation } from '../contract/operation.ts';
import { accounts } from './account.ts';
import { actions } from './action.ts';
import { databases } from './database.ts';
import { databaseUsers } from './database-user.ts';
import { deployments } from './deployment.ts';
import { environments } from './env.ts';
import { reference } from './reference.ts';
import { serverGroups, stacks } from './stack.ts';
import { tags } from './tag.ts';
import { variants } from './variant.ts';

/** The catalogue: every operation of the service by noun and verb. */
export const catalogue = {
  accounts,
  actions,
  databaseUsers,
  databases,
  deployments,
  environments,
  reference,
  serverGroups,
  stacks,
  tags,
  variants,
};
export type Catalogue = typeof catalogue;

/** Every operation with its id, such as `variants.update`. */
export function everyOperation(): readonly (readonly [id: string, operation: Operation])[] {
  return Object.entries(catalogue).flatMap(([noun, operations]) =>
    Object.entries(operations).map(([verb, operation]): [string, Operation] => [`${noun}.${verb}`, operation]),
  );
}
