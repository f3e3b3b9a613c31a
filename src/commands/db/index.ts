import type { Command, Context, Menu, Presentation } from '../../contract/command.ts';
import { text } from '../../contract/field.ts';
import { readBack } from '../../kinds/read-back.ts';
import { script } from '../../kinds/script.ts';
import { Problem } from '../../problems/problem.ts';
import { type Action, hasEnded, isAction, isDone, queuedLine } from '../../resources/action.ts';
import { databaseMenu, databases } from '../../resources/database.ts';
import { databaseUserMenu, databaseUsers } from '../../resources/database-user.ts';
import { inServerGroup, inStack } from '../../resources/shared.ts';
import { undoAfter } from '../queued-change.ts';
import {
  type DbPlace,
  type Deed,
  databaseKind,
  databaseUserKind,
  describeThing,
  findThing,
  findUids,
  type Kind,
  listOf,
} from './kind.ts';
import { passwordLines, withPassword } from './password.ts';

const createDatabase = script({
  about: databases.create.about,
  params: databases.create.params,
  positionals: ['database_name'],
  examples: ['stackops db create reports -s shop', 'stackops db create reports -s shop --user du7c3 --wait'],
  calls: [databaseUsers.list, databases.list, databases.create],
  reply: databaseKind.reply,
  run: async (context, input) => {
    const { database_user_ids: words = [], ...rest } = input;
    const database_user_ids = await findUids(context, databaseUserKind, { ...rest, words });
    const more = words.length > 0 && { database_user_ids };
    const action = await context.call(databases.create, { ...rest, ...more });
    return withCreated(context, databaseKind, { ...input, name: input.database_name, action });
  },
  present: (deed, { database_name: name, ...place }) => presentCreated(databaseKind, deed, { ...place, name }),
});

const createUser = script({
  about: databaseUsers.create.about,
  params: databaseUsers.create.params,
  positionals: ['username'],
  examples: ['stackops db user create reporting -s shop --type readonly --database db5a1'],
  calls: [databases.list, databaseUsers.list, databaseUsers.create],
  reply: databaseUserKind.reply,
  run: async (context, input) => {
    const { database_ids: words = [], ...rest } = input;
    const database_ids = await findUids(context, databaseKind, { ...rest, words });
    const more = words.length > 0 && { database_ids };
    const action = await context.call(databaseUsers.create, { ...rest, ...more });
    const named = { ...input, name: input.username };
    return withPassword(context, await withCreated(context, databaseUserKind, { ...named, action }), named);
  },
  present: (deed, { username: name, ...place }) =>
    withMore(presentCreated(databaseUserKind, deed, { ...place, name }), passwordLines(deed, place)),
});

const deleteDatabase = lasting(databaseKind, {
  operation: databases.delete,
  act: 'Delete database',
  examples: ['stackops db delete shop_prod -s shop', 'stackops db delete db5a1 -s shop --confirm shop_prod'],
});

const regeneratePassword = lasting(databaseUserKind, {
  operation: databaseUsers.regeneratePassword,
  act: 'Replace the password of database user',
  finish: (context, deed, place) =>
    withPassword(context, deed, { ...place, name: deed.subject ? databaseUserKind.nameOf(deed.subject) : '' }),
  more: passwordLines,
  examples: ['stackops db user regenerate-password app -s shop --confirm app'],
});

const deleteUser = lasting(databaseUserKind, {
  operation: databaseUsers.delete,
  act: 'Delete database user',
  examples: ['stackops db user delete app -s shop', 'stackops db user delete du7c2 -s shop --confirm app'],
});

export const dbMenu: Menu = {
  ...databaseMenu,
  'db create': createDatabase,
  'db delete': deleteDatabase,
  ...databaseUserMenu,
  'db user create': createUser,
  'db user regenerate-password': regeneratePassword,
  'db user delete': deleteUser,
};

interface Lasting<Row> {
  readonly operation: typeof databases.delete;
  /** `Delete database` */
  readonly act: string;
  readonly examples: readonly string[];
  /** What is read when it is over. */
  readonly finish?: (context: Context, deed: Deed<Row>, place: DbPlace) => Promise<Deed<Row>>;
  readonly more?: (deed: Deed<Row>, place: DbPlace) => More;
}

/** Lines below those of the change, and the command that shows what is missing. */
type More = ReturnType<typeof passwordLines>;

function withMore(shown: Presentation & { readonly kind: 'done' }, { lines, next }: More): Presentation {
  return { ...shown, lines: [...shown.lines, ...lines], next };
}

/** A command that nothing undoes, so its thing is typed by name; what it was is told afterwards. */
function lasting<Row>(kind: Kind<Row>, { operation, act, examples, finish, more }: Lasting<Row>): Command {
  return script({
    about: operation.about,
    params: {
      stack_id: inStack,
      server_group_id: inServerGroup,
      word: text(`UID or exact name of the ${kind.noun}.`, {
        label: kind.words.at(-1) === 'user' ? 'user' : 'database',
        names: kind.words.at(-1) === 'user' ? 'database user' : 'database',
      }),
    },
    positionals: ['word'],
    examples,
    calls: [kind.listing, operation],
    reply: kind.reply,
    confirm: { level: 'typed', act, target: (context, words) => describeThing(context, kind, words) },
    run: async (context, words): Promise<Deed<Row>> => {
      const subject = await findThing(context, kind, words);
      const { stack_id, server_group_id } = words;
      const place = { stack_id, server_group_id, id: kind.uidOf(subject) };
      const action = await context.call(operation, place).catch((error: unknown) => {
        throw withSubject(error, subject);
      });
      const deed = { ...action, subject };
      return finish ? finish(context, deed, { stack_id, server_group_id }) : deed;
    },
    present: (deed, { word, ...place }) => {
      const line = queuedLine(`${kind.noun} ${described(kind, deed.subject, word)}`, deed);
      return withMore({ kind: 'done', lines: [line] }, more?.(deed, place) ?? { lines: [] });
    },
  });
}

/** What was seen of an action without a good end is shown with what it was about. */
function withSubject(error: unknown, subject: unknown): unknown {
  if (!(error instanceof Problem && isAction(error.details.partial?.value))) return error;
  const value = { ...error.details.partial.value, subject };
  return error.with({ partial: { value } });
}

function described<Row>(kind: Kind<Row>, subject: Row | undefined, word: string): string {
  if (!subject) return word;
  return `${kind.nameOf(subject)} (${[kind.uidOf(subject), ...kind.factsOf(subject)].join(', ')})`;
}

interface Creation extends DbPlace {
  readonly name: string;
}

/** Once it is there it has a UID, which one more read shows. */
async function withCreated<Row>(
  context: Context,
  kind: Kind<Row>,
  { action, name, ...place }: Creation & { readonly action: Action },
): Promise<Deed<Row>> {
  if (!isDone(action)) return action;
  const known = await readBack(context, () => listOf(context, kind, place));
  const subject = known?.find((row) => kind.nameOf(row) === name);
  return subject ? { ...action, subject } : action;
}

function presentCreated<Row>(
  kind: Kind<Row>,
  deed: Deed<Row>,
  { name, ...place }: Creation,
): Presentation & { readonly kind: 'done' } {
  const { subject } = deed;
  const isThere = !hasEnded(deed) || isDone(deed);
  const { stack_id, server_group_id } = place;
  const undo = [{ path: `${kind.words.join(' ')} delete`, operands: [name], stack_id, server_group_id }];
  const what = `${kind.noun} ${subject ? `${name} (${kind.uidOf(subject)})` : name}`;
  return { kind: 'done', lines: [queuedLine(what, deed)], undo: isThere ? undoAfter([deed], stack_id, undo) : [] };
}
