import { instant, integer, many, optional, text } from '../contract/field.ts';
import { operation } from '../contract/operation.ts';
import { record } from '../contract/record.ts';
import { page } from '../contract/reply.ts';
import { resource } from '../contract/resource.ts';
import { sizeText } from '../contract/values/text.ts';
import { queuedAction } from './action.ts';
import { inServerGroup, inStack } from './shared.ts';

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
  { id: 'uid' },
);

const place = { stack_id: inStack, server_group_id: inServerGroup };

export const databases = {
  list: operation('GET /stacks/:stack_id/server_groups/:server_group_id/databases', {
    scope: 'public',
    about: 'List the databases of a server group.',
    params: place,
    reply: page(Database),
  }),
  create: operation('POST /stacks/:stack_id/server_groups/:server_group_id/databases', {
    scope: 'admin',
    about: 'Create a database.',
    params: {
      ...place,
      database_name: text('Name of the new database.', { label: 'name' }),
      database_user_ids: optional(
        many(
          text('UID or name of a database user.', { names: 'database user id' }),
          'Database users to give access to it.',
          {
            label: 'user',
            placeholder: 'uid or name',
          },
        ),
      ),
    },
    reply: queuedAction,
    check: 'db list -s {stack_id} -g {server_group_id}',
    undocumented: 'Parameters are sent in a JSON body; `database_name` is required.',
  }),
  delete: operation('DELETE /stacks/:stack_id/server_groups/:server_group_id/databases/:id', {
    scope: 'admin',
    about: 'Delete a database and all its data.',
    params: { ...place, id: text('UID of the database.', { label: 'database' }) },
    reply: queuedAction,
    lister: 'db list -s {stack_id} -g {server_group_id}',
    missing: 'database {id}',
  }),
};

export const database = resource({
  name: 'database',
  list: databases.list,
  listed: 'db list',
  id: 'uid',
  title: 'name',
  summary: ({ size_bytes, users }) => [
    size_bytes == null ? 'unknown size' : sizeText(size_bytes),
    users?.length === 1 ? '1 user' : `${users?.length ?? 0} users`,
  ],
});
