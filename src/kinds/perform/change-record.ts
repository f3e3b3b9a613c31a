import { type Field, type Fields, group, nullable, oneOf, opaque, text } from '../../contract/field.ts';
import { changeStates } from '../../contract/plan.ts';
import { type RecordType, record } from '../../contract/record.ts';
import { StackAction } from '../../resources/action.ts';
import { itemError } from './change-each.ts';

interface ChangeFields {
  readonly before?: Field;
  readonly after?: Field;
}

/** The record of a write: what identifies the resource, what it was, and what it is now. */
export function changeRecord(id: Fields, { before, after = before }: ChangeFields = {}): RecordType {
  const fields: Fields = {
    ...id,
    change: oneOf(changeStates, 'What was done.'),
    before: nullable(before ?? opaque('What it was.')),
    after: nullable(after ?? opaque('What it is now; where that was not seen, as it was asked for.')),
    action: nullable(group(StackAction.fields, 'The action that carries it out, where the service named one.')),
    message: nullable(text('What the service said.')),
    error: itemError,
  };
  return record('change', fields, [...Object.keys(id), 'change', 'before', 'after']);
}
