import type { Context } from '../../contract/command.ts';
import { text } from '../../contract/field.ts';
import { findNamed } from '../../kinds/find-named.ts';
import { users } from '../../resources/user.ts';

/** How a command takes its user. */
export const aUser = text('Id or e-mail address of the user.', { label: 'user', names: 'user' });

/** The id of a user: an id is used as it is, an address costs one read, which needs the scope of the list. */
export async function findUserId(context: Context, word: string): Promise<number> {
  if (/^[1-9][0-9]{0,14}$/.test(word)) return Number(word);
  const { id } = findNamed(await context.call(users.list, {}), word, {
    kind: 'user',
    idOf: (user) => String(user.id),
    nameOf: ({ email }) => email,
    lister: { path: 'user list' },
  });
  return id;
}
