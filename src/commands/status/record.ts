import { type Field, group, instant, many, nullable, oneOf, opaque, text } from '../../contract/field.ts';
import { type RecordOf, type RecordType, record } from '../../contract/record.ts';
import { StackAction } from '../../resources/action.ts';
import { Deployment, type DeploymentRow } from '../../resources/deployment.ts';
import { Process } from '../../resources/process.ts';
import { Server } from '../../resources/server.ts';
import { stackStatuses } from '../../resources/stack.ts';
import { Variant } from '../../resources/variant.ts';
import type { NewestBackup } from '../backup/newest.ts';

export const sections = ['deployment', 'variants', 'servers', 'processes', 'backups', 'pending'] as const;
export type Section = (typeof sections)[number];

/** The newest good backup of a database; null where there is none. */
export interface CheckedBackup extends Pick<NewestBackup, 'db_type' | 'database_name' | 'state'> {
  readonly backup_date_iso: string | null;
  /** In bytes. */
  readonly backup_size: number | null;
  readonly id: number | null;
}

/** Rows as the service sent them; the commands of each noun describe their fields. */
function rowsOf<R extends RecordType>(_: R, about: string): Field<readonly RecordOf<R>[] | null, 'required'> {
  return nullable(many(opaque('One row.') as Field<RecordOf<R>>, about));
}

/** A section that was not chosen or could not be read is null. */
export const StatusRecord = record(
  'status',
  {
    uid: text('UID of the stack.'),
    name: nullable(text('Name of the stack.')),
    environment: nullable(text('Environment of the stack.')),
    status: nullable(text('Status of the stack.')),
    checked_at: instant('Time of the check.'),
    problems: many(text('One problem.'), 'Failed deployment, failed or impaired servers, stale or failed backups.'),
    errors: many(
      group({ section: text('Name of the section.'), message: text('Why.') }, 'One section.'),
      'Sections that could not be read.',
    ),
    live: nullable(opaque('The live deployment.') as Field<DeploymentRow, 'required'>),
    deployments: rowsOf(Deployment, 'The last ten deployments, newest first.'),
    variants: rowsOf(Variant, 'Variants.'),
    servers: rowsOf(Server, 'Servers, worst health first.'),
    processes: rowsOf(Process, 'Processes.'),
    backups: nullable(many(opaque('One database.') as Field<CheckedBackup>, 'Newest good backup of each database.')),
    pending: nullable(
      many(
        group({ key: text('Name of the variable.'), updated_at: instant('Time of the change.') }, 'One variable.'),
        'Variables changed since the live deployment began.',
      ),
    ),
    actions: rowsOf(StackAction, 'Operations in progress.'),
  },
  ['name', 'environment', 'status', 'problems'],
  { plural: 'statuses', id: 'uid' },
);
export type StackStatus = RecordOf<typeof StatusRecord>;

/** One line of a status: of one stack by section, of all stacks one for each stack. */
export const StatusLine = record(
  'status line',
  {
    section: text('Section.'),
    name: text('Name of the resource.'),
    environment: nullable(text('Environment of the stack.')),
    state: text('State.'),
    commit: nullable(text('Live commit.')),
    since: nullable(instant('Since when.')),
    problems: nullable(text('Problems.')),
    uid: nullable(text('UID of the stack.')),
  },
  ['section', 'name', 'state', 'since'],
  { id: 'name', wraps: 'problems' },
);
/** The line of one of several stacks. Its state is one of a few, so it is never cut. */
export const StackLine: RecordType = {
  ...StatusLine,
  fields: { ...StatusLine.fields, state: oneOf(stackStatuses, 'State.') },
  columns: ['name', 'environment', 'state', 'commit', 'since', 'problems'],
  id: 'uid',
  plural: 'stacks',
};
export type StatusLine = Partial<RecordOf<typeof StatusLine>>;
