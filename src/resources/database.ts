import { flag, instant, integer, many, optional, secret, text } from '../contract/field.ts';
import { operation } from '../contract/operation.ts';
import { record } from '../contract/record.ts';
import { page } from '../contract/reply.ts';
import { resource } from '../contract/resource.ts';
import { sizeText } from '../contract/values/text.ts';
import { queuedActionReply } from './action.ts';

export const Database = record(
  'database',
  {
    uid: text('UID of the database.'),
    name: text('Name.'),
    size_bytes: integer('Size.', { unit: 'bytes' }),
    charset: text('Character set.'),
    collation: text('Collation.'),
    users: many(text('Username.'), 'Users with access.'),
    created_at: instant('Creation time.', { aliases: ['created_at_iso'] }),
  },
  ['name', 'size_bytes', 'users', 'charset', 'created_at', 'uid'],
);

export const databases = {
  list: operation('GET /stacks/:stack_id/server_groups/:server_group_id/databases', { reply: page(Database) }),
  create: operation('POST /stacks/:stack_id/server_groups/:server_group_id/databases', {
    scope: 'admin',
    about: 'Create a database.',
    params: {
      database_name: text('Name of the new database.', { label: 'name' }),
      database_user_ids: optional(
        many(
          text('UID or name of a database user.', { nameKind: 'database user id' }),
          'Database users to give access to it.',
          { label: 'user', placeholder: 'uid or name' },
        ),
      ),
    },
    reply: queuedActionReply,
    check: 'db list',
    undocumented: 'Parameters are sent in a JSON body; `database_name` is required.',
  }),
  delete: operation('DELETE /stacks/:stack_id/server_groups/:server_group_id/databases/:id', {
    scope: 'admin',
    about: 'Delete a database and all its data.',
    params: { id: text('UID of the database.', { label: 'database' }) },
    reply: queuedActionReply,
    listCommand: 'db list',
    missing: 'database {id}',
  }),
};

export const database = resource({
  list: databases.list,
  listed: 'db list',
  summary: ({ size_bytes, users }) => [
    size_bytes == null ? 'unknown size' : sizeText(size_bytes),
    users?.length === 1 ? '1 user' : `${users?.length ?? 0} users`,
  ],
});

const userTypeField = text('Kind of user.', { choices: ['application', 'readonly'], open: true, label: 'type' });

export const DatabaseUser = record(
  'database user',
  {
    uid: text('UID of the database user.'),
    username: text('Username.'),
    user_type: userTypeField,
    databases: many(text('Name of a database.'), 'Databases it can use.'),
    password: optional(secret(text('Password, on request and with edit permission.'))),
    created_at: instant('Creation time.', { aliases: ['created_at_iso'] }),
  },
  ['username', 'user_type', 'databases', 'created_at', 'uid'],
);

export const DatabaseUserWithPassword: typeof DatabaseUser = {
  ...DatabaseUser,
  columns: ['username', 'password', 'user_type', 'databases', 'created_at', 'uid'],
};

const databaseUserIdParam = text('UID of the database user.', { label: 'user' });
const userNotFoundHints = { listCommand: 'db user list', missing: 'database user {id}' };

export const databaseUsers = {
  list: operation('GET /stacks/:stack_id/server_groups/:server_group_id/database_users', {
    params: { show_password: optional(flag('Include passwords; needs edit permission.')) },
    reply: page(DatabaseUser),
    undocumented: 'The password comes in a field named `password`.',
  }),
  create: operation('POST /stacks/:stack_id/server_groups/:server_group_id/database_users', {
    scope: 'admin',
    about: 'Create a database user with a random password.',
    params: {
      username: text('Name of the new user.', { label: 'name' }),
      user_type: optional({ ...userTypeField, preset: 'application' }),
      database_ids: optional(
        many(text('UID or name of a database.', { nameKind: 'database id' }), 'Databases it can use.', {
          label: 'database',
          placeholder: 'uid or name',
        }),
      ),
    },
    reply: queuedActionReply,
    check: userNotFoundHints.listCommand,
    undocumented:
      'Parameters are sent in a JSON body. `database_ids` is a list of UIDs. `user_type` is `application` unless given.',
  }),
  regeneratePassword: operation(
    'POST /stacks/:stack_id/server_groups/:server_group_id/database_users/:id/regenerate_password',
    {
      scope: 'admin',
      about: 'Set a new random password for a database user.',
      params: { id: databaseUserIdParam },
      reply: queuedActionReply,
      check: 'action list -s {stack_id}',
      ...userNotFoundHints,
    },
  ),
  delete: operation('DELETE /stacks/:stack_id/server_groups/:server_group_id/database_users/:id', {
    scope: 'admin',
    about: 'Delete a database user from all its databases.',
    params: { id: databaseUserIdParam },
    reply: queuedActionReply,
    ...userNotFoundHints,
  }),
};

export const databaseUser = resource({
  list: databaseUsers.list,
  listed: 'db user list',
  title: 'username',
  summary: ({ user_type, databases = [] }) => [user_type, `uses ${databases.join(' and ') || 'no database'}`],
});
