import type { Menu } from '../../contract/command.ts';
import { cancel } from './cancel.ts';
import { deploymentCreate } from './create.ts';
import { deploymentGet } from './get.ts';
import { deploymentList } from './list.ts';
import { deploymentRollback } from './rollback.ts';
import { wait } from './wait.ts';

export const deploymentCommands: Menu = {
  'deployment list': deploymentList,
  'deployment get': deploymentGet,
  'deployment create': deploymentCreate,
  'deployment wait': wait,
  'deployment cancel': cancel,
  'deployment rollback': deploymentRollback,
};

/** The one shortcut of the tool: `stackops redeploy` is `stackops deployment create`. */
const redeploy: typeof deploymentCreate = {
  ...deploymentCreate,
  examples: deploymentCreate.examples.map((line) => line.replace('stackops deployment create', 'stackops redeploy')),
};
export const redeployCommands: Menu = { redeploy };
