import { type Field, flag, group, instant, many, nullable, oneOf, opaque, text } from '../../contract/field.ts';
import { type RecordOf, type RecordType, record } from '../../contract/record.ts';
import { StackAction } from '../../resources/action.ts';
import { Deployment, type DeploymentRow } from '../../resources/deployment.ts';
import { Process } from '../../resources/process.ts';
import { Server } from '../../resources/server.ts';
import { stackStatuses, titleOf } from '../../resources/stack.ts';
import { Variant } from '../../resources/variant.ts';
import type { BackupCheckRow } from '../backup/check.ts';

function rowsField<R extends RecordType>(_: R, about: string): Field<readonly RecordOf<R>[] | null, 'required'> {
  // The fields of the rows are left out, because the commands of each resource describe them.
  return nullable(many(opaque('One row.') as Field<RecordOf<R>>, about));
}

const errorFields = { section: text('Name of the section.'), code: text('Kind of the error.'), message: text('Why.') };
const pendingFields = { key: text('Name of the variable.'), updated_at: instant('Time of the change.') };

/** The record type of the status of a stack. A section that was not chosen or could not be read is null. */
export const StatusRecord = record(
  'status',
  {
    uid: text('UID of the stack.'),
    name: nullable(text('Name of the stack.')),
    environment: nullable(text('Environment of the stack.')),
    status: nullable(text('Status of the stack.')),
    health: nullable(text('Health of the stack.')),
    maintenance_mode: nullable(flag('Whether maintenance mode is on.')),
    checked_at: instant('Time of the check.'),
    busy: many(text('One cause.'), 'What keeps the stack busy.'),
    problems: many(text('One problem.'), 'Failed deployment, bad health, maintenance mode, stale or failed backups.'),
    not_checked: many(text('Name of the section.'), 'Sections that can show a problem and were not read.'),
    errors: many(group(errorFields, 'One section.'), 'Sections that could not be read.'),
    live: nullable(opaque('The live deployment.') as Field<DeploymentRow, 'required'>),
    deployments: rowsField(Deployment, 'The last ten deployments, newest first.'),
    variants: rowsField(Variant, 'Variants.'),
    servers: rowsField(Server, 'Servers, worst health first.'),
    processes: rowsField(Process, 'Processes.'),
    backups: nullable(
      many(opaque('One database.') as Field<BackupCheckRow>, 'Newest good backup and newest backup of each database.'),
    ),
    pending: nullable(
      many(group(pendingFields, 'One variable.'), 'Variables changed since the live deployment began.'),
    ),
    actions: rowsField(StackAction, 'Operations in progress.'),
  },
  ['name', 'environment', 'status', 'problems'],
  { plural: 'statuses', id: 'uid' },
);
export type StackStatus = RecordOf<typeof StatusRecord>;
export type Statuses = StackStatus | readonly StackStatus[];

export function stackTitle({ uid, name, environment }: StackStatus): string {
  return name === null ? uid : titleOf({ name, environment: environment ?? '' });
}

/** The record type of a line: about a resource in the status of one stack, or about a stack in a list of stacks. */
export const StatusLine = record(
  'status line',
  {
    section: text('Section.'),
    name: text('Name of the resource.'),
    environment: nullable(text('Environment of the stack.')),
    state: text('State.'),
    commit: nullable(text('Live commit.', { isCommit: true })),
    since: nullable(instant('Since when.')),
    problems: nullable(text('Problems, and what keeps it busy.')),
    uid: nullable(text('UID of the stack.')),
  },
  ['section', 'name', 'state', 'since'],
  { id: 'name', wrappedColumn: 'problems' },
);
/** `StatusLine` for a list of stacks. The states are a choice of short words, so their column is never cut. */
export const StackLine: RecordType = {
  ...StatusLine,
  fields: { ...StatusLine.fields, state: oneOf(stackStatuses, 'State.') },
  columns: ['name', 'environment', 'state', 'commit', 'since', 'problems'],
  id: 'uid',
  plural: 'stacks',
};
export type StatusLine = Partial<RecordOf<typeof StatusLine>>;
