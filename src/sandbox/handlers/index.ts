import type { Handlers } from '../context.ts';
import { accountHandlers, gatewayHandlers, pingHandlers } from './account.ts';
import { backupHandlers } from './backup.ts';
import { clusterHandlers } from './cluster.ts';
import { databaseHandlers, databaseUserHandlers } from './database.ts';
import { deploymentHandlers, variantHandlers } from './deployment.ts';
import { environmentHandlers } from './env.ts';
import { processHandlers } from './process.ts';
import { referenceHandlers } from './reference.ts';
import { serverHandlers, serverSettingHandlers, stackSettingHandlers } from './server.ts';
import { actionHandlers, serverGroupHandlers, stackHandlers } from './stack.ts';
import { tagHandlers } from './tag.ts';
import { deviceHandlers, userHandlers } from './user.ts';

export const handlers: Handlers = {
  accounts: accountHandlers,
  actions: actionHandlers,
  backups: backupHandlers,
  clusters: clusterHandlers,
  databaseUsers: databaseUserHandlers,
  databases: databaseHandlers,
  deployments: deploymentHandlers,
  devices: deviceHandlers,
  environments: environmentHandlers,
  gateways: gatewayHandlers,
  pings: pingHandlers,
  processes: processHandlers,
  reference: referenceHandlers,
  serverGroups: serverGroupHandlers,
  serverSettings: serverSettingHandlers,
  servers: serverHandlers,
  stackSettings: stackSettingHandlers,
  stacks: stackHandlers,
  tags: tagHandlers,
  users: userHandlers,
  variants: variantHandlers,
};
