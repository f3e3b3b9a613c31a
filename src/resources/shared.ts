import { type Field, integer, type Presence, text } from '../contract/field.ts';

export const inStack = text('UID or exact name of the stack.', { label: 'stack', place: 'stack', names: 'stack' });
export const inServerGroup = text('ID or exact name of the server group.', {
  label: 'server-group',
  place: 'server-group',
  names: 'server group',
});
export const inAccount = integer('ID of the account.', { label: 'account', place: 'account', names: 'account' });

/** A UID; it is used as given, without reading a list. */
export const uidPattern = /^[0-9a-f]{32}$/i;

/** An ID, or `latest`. For reads only: a write acts on what the operator named. */
export function orLatest<P extends Presence>(field: Field<number, P>): Field<number | 'latest', P> {
  return { ...field, about: field.about.replace(/\.$/, ', or `latest`.'), keyword: 'latest' };
}
