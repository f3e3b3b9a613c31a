import { accountHandlers } from './account.ts';
import { actionHandlers } from './action.ts';
import { backupHandlers } from './backup.ts';
import { clusterHandlers } from './cluster.ts';
import { databaseHandlers } from './database.ts';
import { databaseUserHandlers } from './database-user.ts';
import { deploymentHandlers } from './deployment.ts';
import { deviceHandlers } from './device.ts';
import { environmentHandlers } from './env.ts';
import { gatewayHandlers } from './gateway.ts';
import type { Handlers } from './handler.ts';
import { pingHandlers } from './ping.ts';
import { processHandlers } from './process.ts';
import { referenceHandlers } from './reference.ts';
import { serverHandlers } from './server.ts';
import { serverSettingHandlers } from './server-setting.ts';
import { serverGroupHandlers, stackHandlers } from './stack.ts';
import { stackSettingHandlers } from './stack-setting.ts';
import { tagHandlers } from './tag.ts';
import { userHandlers } from './user.ts';
import { variantHandlers } from './variant.ts';

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
