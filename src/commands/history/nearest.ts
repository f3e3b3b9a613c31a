import type { JournalRun } from '../../changes/journal/entries.ts';
import type { CommandLine } from '../../contract/command-line.ts';
import type { Operation } from '../../contract/operation.ts';
import { databases } from '../../resources/database.ts';
import { databaseUsers } from '../../resources/database-user.ts';
import { deployments } from '../../resources/deployment.ts';
import { devices } from '../../resources/device.ts';
import { gateways } from '../../resources/gateway.ts';
import { variants } from '../../resources/variant.ts';

/** What comes nearest to the undo of what has none. What needs values begins with its help. */
const nearest: readonly (readonly [Operation, string])[] = [
  [deployments.create, 'deployment rollback'],
  [deployments.cancel, 'redeploy'],
  [variants.update, 'deployment rollback'],
  [databases.delete, 'db create --help'],
  [databaseUsers.delete, 'db user create --help'],
  [gateways.delete, 'gateway create --help'],
  [devices.delete, 'user device register --help'],
];

/** The command that comes nearest to the undo of a run, else the one that shows what is there now. */
export function nearestTo({ changes }: JournalRun): CommandLine | undefined {
  const { operation, stack, check } = changes[0].sent;
  const path = nearest.find(([{ method, path: its }]) => operation === `${method} ${its}`)?.[1];
  if (path === undefined) return check;
  return { path, ...(stack !== undefined && !path.endsWith('--help') && { stack_id: stack }) };
}
