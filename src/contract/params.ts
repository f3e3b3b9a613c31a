import { type Field, integer, type Presence, text } from './field.ts';

export const stackParam = text('UID or exact name of the stack.', {
  label: 'stack',
  target: 'stack',
  nameKind: 'stack',
});
export const serverGroupParam = text('ID or exact name of the server group.', {
  label: 'server-group',
  target: 'server-group',
  nameKind: 'server group',
});
export const accountParam = integer('ID of the account.', { label: 'account', target: 'account', nameKind: 'account' });

/** Matches a UID. A typed UID of a stack is used without reading the list of stacks. */
export const uidPattern = /^[0-9a-f]{32}$/i;

/** Extends the parameter of an ID, so that it also accepts one of these words. */
export function allowKeywords<Word extends string, P extends Presence>(
  field: Field<number, P>,
  ...words: readonly Word[]
): Field<number | Word, P> {
  const choice = words.map((word) => `\`${word}\``).join(' or ');
  return { ...field, about: field.about.replace(/\.$/, `, or ${choice}.`), keywords: words };
}

export const databaseTypes = ['mysql', 'postgresql', 'redis', 'mongodb'] as const;
