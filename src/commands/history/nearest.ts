import type { JournalRun } from '../../changes/journal/entries.ts';
import type { CommandLine } from '../../contract/command-line.ts';
import type { Operation } from '../../contract/operation.ts';
import { databases } from '../../resources/database.ts';
import { databaseUsers } from '../../resources/database-user.ts';
import { deployments } from '../../resources/deployment.ts';
import { devices } from '../../resources/device.ts';
import { gateways } from '../../resources/gateway.ts';
import { variants } from '../../resources/variant.ts';

/** What comes nearest to the undo of what has none; those that need values begin with their help. */
const nearest: readonly (readonly [Operation, Pick<CommandLine, 'path' | 'flags'>])[] = [
  [deployments.create, { path: 'deployment rollback' }],
  [deployments.cancel, { path: 'redeploy' }],
  [variants.update, { path: 'deployment rollback' }],
  [databases.delete, { path: 'db create', flags: ['--help'] }],
  [databaseUsers.delete, { path: 'db user create', flags: ['--help'] }],
  [gateways.delete, { path: 'gateway create', flags: ['--help'] }],
  [devices.delete, { path: 'user device register', flags: ['--help'] }],
];

/** The command that comes nearest to the undo of a run, else the one that shows what is there now. */
export function nearestTo({ changes }: JournalRun): CommandLine | undefined {
  const { operation, stack, check } = changes[0].sent;
  const found = nearest.find(([{ method, path }]) => operation === `${method} ${path}`)?.[1];
  if (!found) return check;
  return { ...found, ...(stack !== undefined && !found.flags && { stack_id: stack }) };
}
