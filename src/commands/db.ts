import { type Context, type Menu, script, type Target } from '../contract/command.ts';
import { text } from '../contract/field.ts';
import type { RecordOf } from '../contract/record.ts';
import { sizeText } from '../contract/size.ts';
import { queuedAs } from '../resources/action.ts';
import { type Database, databaseMenu, databases } from '../resources/database.ts';
import { type DatabaseUser, databaseUserMenu, databaseUsers } from '../resources/database-user.ts';
import { inServerGroup, inStack } from '../resources/shared.ts';
import { describeStack } from '../resources/stack.ts';
import { findNamed } from './find-named.ts';

interface Place {
  readonly stack_id: string;
  readonly server_group_id: string;
}
type DatabaseWords = Place & { readonly database: string };
type UserWords = Place & { readonly user: string };

const place = { stack_id: inStack, server_group_id: inServerGroup };
const theDatabase = text('UID or exact name of the database.');
const theUser = text('UID or exact name of the database user.');

const deleteDatabase = script({
  about: databases.delete.about,
  params: { ...place, database: theDatabase },
  positionals: ['database'],
  examples: ['stackops db delete shop_prod -s shop', 'stackops db delete db5a1 -s shop --confirm shop_prod'],
  calls: [databases.list, databases.delete],
  reply: databases.delete.reply,
  confirm: { level: 'typed', act: 'Delete database', target: describeDatabase },
  run: async (context, words) => {
    const { uid } = await findDatabase(context, words);
    return context.call(databases.delete, { ...placeOf(words), id: uid });
  },
  present: (action, { database }) => queuedAs(`database ${database}`)(action),
});

const regeneratePassword = script({
  about: databaseUsers.regeneratePassword.about,
  params: { ...place, user: theUser },
  positionals: ['user'],
  examples: ['stackops db user regenerate-password app -s shop --confirm app'],
  calls: [databaseUsers.list, databaseUsers.regeneratePassword],
  reply: databaseUsers.regeneratePassword.reply,
  confirm: { level: 'typed', act: 'Replace the password of database user', target: describeUser },
  run: async (context, words) => {
    const { uid } = await findUser(context, words);
    return context.call(databaseUsers.regeneratePassword, { ...placeOf(words), id: uid });
  },
  present: (action, { user }) => queuedAs(`database user ${user}`)(action),
});

const deleteUser = script({
  about: databaseUsers.delete.about,
  params: { ...place, user: theUser },
  positionals: ['user'],
  examples: ['stackops db user delete app -s shop', 'stackops db user delete du7c2 -s shop --confirm app'],
  calls: [databaseUsers.list, databaseUsers.delete],
  reply: databaseUsers.delete.reply,
  confirm: { level: 'typed', act: 'Delete database user', target: describeUser },
  run: async (context, words) => {
    const { uid } = await findUser(context, words);
    return context.call(databaseUsers.delete, { ...placeOf(words), id: uid });
  },
  present: (action, { user }) => queuedAs(`database user ${user}`)(action),
});

export const dbMenu: Menu = {
  ...databaseMenu,
  'db delete': deleteDatabase,
  ...databaseUserMenu,
  'db user regenerate-password': regeneratePassword,
  'db user delete': deleteUser,
};

function placeOf({ stack_id, server_group_id }: Place): Place {
  return { stack_id, server_group_id };
}

async function findDatabase(context: Context, words: DatabaseWords): Promise<RecordOf<typeof Database>> {
  return findNamed(await context.call(databases.list, placeOf(words)), words.database, {
    kind: 'database',
    idOf: ({ uid }) => uid,
    nameOf: ({ name }) => name,
    lister: `stackops db list -s ${words.stack_id} -g ${words.server_group_id}`,
  });
}

async function findUser(context: Context, words: UserWords): Promise<RecordOf<typeof DatabaseUser>> {
  return findNamed(await context.call(databaseUsers.list, placeOf(words)), words.user, {
    kind: 'database user',
    idOf: ({ uid }) => uid,
    nameOf: ({ username }) => username,
    lister: `stackops db user list -s ${words.stack_id} -g ${words.server_group_id}`,
  });
}

async function describeDatabase(context: Context, words: DatabaseWords): Promise<Target> {
  const { name, size_bytes, users = [] } = await findDatabase(context, words);
  const stack = await describeStack(context, words.stack_id);
  const access = users.length === 1 ? '1 user' : `${users.length} users`;
  return { name, facts: [`of ${stack}`, sizeText(Number(size_bytes)), access] };
}

async function describeUser(context: Context, words: UserWords): Promise<Target> {
  const { username, user_type, databases: used = [] } = await findUser(context, words);
  const stack = await describeStack(context, words.stack_id);
  return { name: username, facts: [`of ${stack}`, user_type, `uses ${used.join(' and ') || 'no database'}`] };
}
