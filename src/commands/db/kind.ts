import type { Context, Target } from '../../contract/command.ts';
import { type Field, type Fields, group, optional } from '../../contract/field.ts';
import type { Operation } from '../../contract/operation.ts';
import type { RecordOf } from '../../contract/record.ts';
import { one, type Reply } from '../../contract/reply.ts';
import { sizeText } from '../../contract/size.ts';
import { findNamed } from '../../kinds/find-named.ts';
import { unlessUnreadable } from '../../problems/unreadable.ts';
import { type Action, StackAction } from '../../resources/action.ts';
import { Database, databases } from '../../resources/database.ts';
import { DatabaseUser, databaseUsers } from '../../resources/database-user.ts';
import { describeStack } from '../../resources/stack.ts';

export interface DbPlace {
  readonly stack_id: string;
  readonly server_group_id: string;
}

/** What is kept in a server group: databases, or their users. */
export interface Kind<Row> {
  /** `database user` */
  readonly noun: string;
  /** The words of its commands: `db user`. */
  readonly words: readonly string[];
  readonly listing: Operation<typeof databases.list.params, readonly Row[]>;
  readonly uidOf: (row: Row) => string;
  readonly nameOf: (row: Row) => string;
  readonly factsOf: (row: Row) => readonly string[];
  /** The action of a change of one, with what it is about. */
  readonly reply: Reply;
}

/** `subject` is what there is since, or what there was; absent where that is not known. */
export type Deed<Row> = Action & { readonly subject?: Row };

export const databaseKind: Kind<RecordOf<typeof Database>> = {
  noun: 'database',
  words: ['db'],
  listing: databases.list,
  uidOf: ({ uid }) => uid,
  nameOf: ({ name }) => name,
  factsOf: ({ size_bytes, users = [] }) => [
    sizeText(Number(size_bytes)),
    users.length === 1 ? '1 user' : `${users.length} users`,
  ],
  reply: deedReply(Database.fields),
};

export const databaseUserKind: Kind<RecordOf<typeof DatabaseUser>> = {
  noun: 'database user',
  words: ['db', 'user'],
  listing: databaseUsers.list,
  uidOf: ({ uid }) => uid,
  nameOf: ({ username }) => username,
  factsOf: ({ user_type, databases: used = [] }) => [user_type, `uses ${used.join(' and ') || 'no database'}`],
  reply: deedReply(DatabaseUser.fields),
};

function deedReply(fields: Fields): Reply {
  const subject: Field = optional(group(fields, 'What it is about: as it was, or as it was created.'));
  return one({ ...StackAction, fields: { ...StackAction.fields, subject } });
}

/** All of a kind in one place. */
export function listOf<Row>(context: Context, kind: Kind<Row>, { stack_id, server_group_id }: DbPlace) {
  return context.call(kind.listing, { stack_id, server_group_id });
}

/** The one of this UID or exact name; throws not_found or ambiguous. */
export async function findThing<Row>(
  context: Context,
  kind: Kind<Row>,
  words: DbPlace & { readonly word: string },
): Promise<Row> {
  return findAmong(await listOf(context, kind, words), kind, words);
}

function findAmong<Row>(
  known: readonly Row[],
  kind: Kind<Row>,
  { word, stack_id, server_group_id }: DbPlace & { readonly word: string },
): Row {
  return findNamed(known, word, {
    kind: kind.noun,
    idOf: kind.uidOf,
    nameOf: kind.nameOf,
    lister: { path: `${kind.words.join(' ')} list`, stack_id, server_group_id },
  });
}

/** UIDs of what was given by UID or exact name; where none is listed, what was given. Throws not_found or ambiguous. */
export async function findUids<Row>(
  context: Context,
  kind: Kind<Row>,
  { words, ...place }: DbPlace & { readonly words: readonly string[] },
): Promise<readonly string[]> {
  const known = words.length === 0 ? [] : await unlessUnreadable(listOf(context, kind, place));
  return known?.length ? words.map((word) => kind.uidOf(findAmong(known, kind, { ...place, word }))) : words;
}

/** The same with live facts, for a question. */
export async function describeThing<Row>(
  context: Context,
  kind: Kind<Row>,
  words: DbPlace & { readonly word: string },
): Promise<Target> {
  const row = await findThing(context, kind, words);
  return {
    name: kind.nameOf(row),
    facts: [`of ${await describeStack(context, words.stack_id)}`, ...kind.factsOf(row)],
  };
}
