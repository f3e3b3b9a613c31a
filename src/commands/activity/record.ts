import { instant, nullable, oneOf, optional, text } from '../../contract/field.ts';
import { type RecordOf, record } from '../../contract/record.ts';

export const eventTypes = ['deployment', 'env', 'setting', 'action', 'backup', 'local'] as const;
export type EventType = (typeof eventTypes)[number];

export const ActivityEvent = record(
  'event',
  {
    time: nullable(instant('Time of the event; null while it is queued.')),
    type: oneOf(eventTypes, 'Type of event.'),
    name: text('Name or ID of the resource; of a local event its number in `history list`.'),
    event: text('What happened; *** for a secret value.'),
    by: nullable(text('User who did it, where known; me for a change from this machine.')),
    stack: optional(text('Stack, where several are shown.')),
  },
  ['time', 'type', 'name', 'event', 'by'],
  { id: 'name', wraps: 'event' },
);
export const StackEvent = { ...ActivityEvent, columns: ['stack', ...ActivityEvent.columns] };
export type ActivityEvent = RecordOf<typeof ActivityEvent>;
