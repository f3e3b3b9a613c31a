import type { Context, Presentation } from '../../contract/command.ts';
import type { RecordOf } from '../../contract/record.ts';
import { readBack } from '../../kinds/read-back.ts';
import { actionOf, hasEnded, isDone } from '../../resources/action.ts';
import { type DatabaseUser, databaseUsers } from '../../resources/database-user.ts';
import type { DbPlace, Deed } from './kind.ts';

type UserRow = RecordOf<typeof DatabaseUser>;

/** With --reveal: the same with the password that a user has since, once that is there. */
export async function withPassword(
  context: Context,
  deed: Deed<UserRow>,
  { name, stack_id, server_group_id }: DbPlace & { readonly name: string },
): Promise<Deed<UserRow>> {
  if (!context.reveal || !isDone(deed)) return deed;
  const reading = () => context.call(databaseUsers.list, { stack_id, server_group_id, show_password: true });
  const known = await readBack(context, reading, 'its password');
  const user = known?.find(({ username }) => username === name);
  if (known && !user?.password) context.warn(`the service shows no password of ${name}`);
  return user ? { ...deed, subject: user } : deed;
}

/** The password, or the command that shows it; neither where there is no new one. */
export function passwordLines(
  deed: Deed<UserRow>,
  { stack_id, server_group_id }: DbPlace,
): Pick<Presentation & { readonly kind: 'done' }, 'lines' | 'next'> {
  const action = actionOf(deed);
  if (action && hasEnded(action) && !isDone(action)) return { lines: [] };
  const password = deed.subject?.password;
  if (password) return { lines: [`Password: ${password}`] };
  const flags = ['--show-password', '--reveal'];
  const command = [{ path: 'db user list', flags, stack_id, server_group_id }];
  return { lines: [], next: { about: 'read its password', command } };
}
