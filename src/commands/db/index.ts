import { act, remove } from '../../builders/act.ts';
import { call } from '../../builders/call.ts';
import { create } from '../../builders/create.ts';
import type { ExtraRead } from '../../builders/execute/summary.ts';
import type { Menu } from '../../contract/command.ts';
import { targetsOfInput } from '../../contract/command-line.ts';
import type { RecordOf } from '../../contract/record.ts';
import { listInput } from '../../contract/resource.ts';
import { tryOrWarn } from '../../errors/cli-error.ts';
import {
  DatabaseUser,
  DatabaseUserWithPassword,
  database,
  databases,
  databaseUser,
  databaseUsers,
} from '../../resources/database.ts';
import { withToEnv } from './to-env.ts';

type DatabaseUserRow = RecordOf<typeof DatabaseUser>;

/** Reads and prints the new password with --reveal. Without it, prints the command that shows the password. */
const passwordReader: ExtraRead<DatabaseUserRow> = {
  read: async (context, input, name) => {
    if (!context.reveal) return undefined;
    const request = { ...listInput(databaseUser, input), show_password: true };
    const unreadText = 'the change was made, but its password could not be read';
    const users = await tryOrWarn(context.warn, unreadText, () => context.call(databaseUsers.list, request));
    const user = users?.find(({ username }) => username === name);
    if (users && !user?.password) context.warn(`the service shows no password for ${name}`);
    return user;
  },
  summarize: ({ after }, input) => {
    const { password: newPassword } = (after ?? {}) as Partial<DatabaseUserRow>;
    if (newPassword) return { lines: [`Password: ${newPassword}`] };
    const command = { path: 'db user list', flags: ['--show-password', '--reveal'], ...targetsOfInput(input) };
    return { lines: [], next: { about: 'read its password', command: [command] } };
  },
};

export const dbCommands: Menu = {
  'db list': call(databases.list, { examples: ['stackops db list -s shop', 'stackops db list -s shop -g 21 --json'] }),
  'db create': create(database, databases.create, {
    title: 'database_name',
    positionals: ['database_name'],
    examples: ['stackops db create reports -s shop', 'stackops db create reports -s shop --user du7c3 --wait'],
    references: { param: 'database_user_ids', type: databaseUser },
  }),
  'db delete': remove(database, databases.delete, {
    confirm: { level: 'typed' },
    examples: ['stackops db delete shop_prod -s shop', 'stackops db delete db5a1 -s shop --confirm shop_prod'],
  }),
  'db user list': call(databaseUsers.list, {
    examples: ['stackops db user list -s shop', 'stackops db user list -s shop --show-password --reveal'],
    present: (users, { show_password }, { reveal }) => ({
      kind: 'table',
      record: show_password ? DatabaseUserWithPassword : DatabaseUser,
      rows: users,
      ...(reveal && !show_password && { below: ['passwords are included only with --show-password'] }),
    }),
  }),
  'db user create': withToEnv(
    create(databaseUser, databaseUsers.create, {
      title: 'username',
      positionals: ['username'],
      examples: [
        'stackops db user create reporting -s shop --type readonly --database db5a1',
        'stackops db user create reporting -s shop --wait --to-env REPORT_PASSWORD',
      ],
      references: { param: 'database_ids', type: database },
      extraRead: passwordReader,
      confirm: { level: 'yes', act: 'Create database user and redeploy', when: 'with --redeploy' },
    }),
  ),
  'db user regenerate-password': withToEnv(
    act(databaseUser, databaseUsers.regeneratePassword, {
      verb: { act: 'Replace the password of', change: 'password_changed', doing: 'changing the password of' },
      confirm: { level: 'typed' },
      extraRead: passwordReader,
      examples: [
        'stackops db user regenerate-password app -s shop --confirm app',
        'stackops db user regenerate-password app -s shop --confirm app --wait --to-env DATABASE_PASSWORD',
      ],
    }),
  ),
  'db user delete': remove(databaseUser, databaseUsers.delete, {
    confirm: { level: 'typed' },
    examples: ['stackops db user delete app -s shop', 'stackops db user delete du7c2 -s shop --confirm app'],
  }),
};
