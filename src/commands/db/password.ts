import { inPlace, placeOf } from '../../contract/noun.ts';
import type { RecordOf } from '../../contract/record.ts';
import type { More } from '../../kinds/perform/summary.ts';
import { orWarn } from '../../problems/or-warn.ts';
import { type DatabaseUser, databaseUser, databaseUsers } from '../../resources/database-user.ts';

type User = RecordOf<typeof DatabaseUser>;

/** With --reveal the new password is read and shown; without it, the command that shows it. */
export const password: More<User> = {
  read: async (context, input, name) => {
    if (!context.reveal) return undefined;
    const request = { ...placeOf(databaseUser, input), show_password: true };
    const unread = 'the change was made, but its password could not be read';
    const users = await orWarn(context.warn, unread, () => context.call(databaseUsers.list, request));
    const user = users?.find(({ username }) => username === name);
    if (users && !user?.password) context.warn(`the service shows no password for ${name}`);
    return user;
  },
  summarize: ({ after }, input) => {
    const { password: shown } = (after ?? {}) as Partial<User>;
    if (shown) return { lines: [`Password: ${shown}`] };
    const command = { path: 'db user list', flags: ['--show-password', '--reveal'], ...inPlace(input) };
    return { lines: [], next: { about: 'read its password', command: [command] } };
  },
};
