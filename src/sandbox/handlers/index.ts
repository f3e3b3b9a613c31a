import { accountHandlers } from './account.ts';
import { actionHandlers } from './action.ts';
import { databaseHandlers } from './database.ts';
import { databaseUserHandlers } from './database-user.ts';
import { deploymentHandlers } from './deployment.ts';
import { environmentHandlers } from './env.ts';
import type { Handlers } from './handler.ts';
import { referenceHandlers } from './reference.ts';
import { serverGroupHandlers, stackHandlers } from './stack.ts';
import { tagHandlers } from './tag.ts';
import { variantHandlers } from './variant.ts';

export const handlers: Handlers = {
  accounts: accountHandlers,
  actions: actionHandlers,
  databaseUsers: databaseUserHandlers,
  databases: databaseHandlers,
  deployments: deploymentHandlers,
  environments: environmentHandlers,
  reference: referenceHandlers,
  serverGroups: serverGroupHandlers,
  stacks: stackHandlers,
  tags: tagHandlers,
  variants: variantHandlers,
};
