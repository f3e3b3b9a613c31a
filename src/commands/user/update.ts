import { type Edit, planEdits } from '../../builders/execute/edit.ts';
import { acceptedLine, changeRecord, changeWords, undoAfter, verbs } from '../../builders/execute/summary.ts';
import { findTarget } from '../../builders/resource/find.ts';
import { idFields } from '../../builders/resource/row.ts';
import { write } from '../../builders/write.ts';
import type { Context } from '../../contract/command.ts';
import { many, opaque, optional, text } from '../../contract/field.ts';
import type { Change, ReplacedValue, Summary } from '../../contract/plan.ts';
import type { RecordOf } from '../../contract/record.ts';
import { asObject, valueText } from '../../contract/values/json.ts';
import { isAction } from '../../resources/action.ts';
import { readStackTitle } from '../../resources/stack.ts';
import { accountRights, stackRoles, type User, user, users } from '../../resources/user.ts';
import {
  type Access,
  type AccessChange,
  type AccessHolder,
  accessOf,
  accessOn,
  changesTo,
  isDifference,
  patchFor,
  readAccessRequest,
} from './access.ts';

const params = {
  user: user.argumentField,
  set: optional(
    many(
      text('A right.', { label: 'right=true|false', assigns: ['true', 'false'], choices: accountRights, open: true }),
      'Set a right in the account.',
      { repeats: true },
    ),
  ),
  role: optional(
    many(
      text('A role.', { label: 'stack=role', nameKind: 'stack', assigns: stackRoles, choices: stackRoles, open: true }),
      'Set the role in a stack (UID or name).',
      { noSplit: true, repeats: true },
    ),
  ),
  from_file: optional(text('Apply a profile from `user get --json`.', { nameKind: 'file' })),
};

export const updateCommand = write({
  about: 'Change the access of a user; only differences are sent.',
  params,
  positionals: ['user'],
  examples: [
    'stackops user update 7 --set can_create_stack=true --role shop=Deployer -y',
    'stackops user get ada@harbour.example --json --fields access_profile > ada.json',
    'stackops user update mara@harbour.example --from-file ada.json --dry-run',
  ],
  calls: [users.list, users.get, users.update],
  record: changeRecord(idFields(user), {
    before: opaque('Changed rights by name, and changed `roles` by stack UID.'),
    after: opaque('The same rights and roles now.'),
  }),
  confirm: { level: 'yes', act: 'Grant rights to user', when: 'before granting a right or changing a role' },
  plan: async (context, input) => {
    const requestedAccessOf = await readAccessRequest(context, input);
    const id = Number((await findTarget(context, user, input)).id);
    const current = await context.call(users.get, { id });
    const requestedChanges = changesTo(accessOf(current), requestedAccessOf(current));
    const changes = requestedChanges.filter(isDifference);
    const nameOf = await createNamer(context, changes);
    const grants = changes.filter(isGrant).map((change) => `${nameOf(change)}: ${valuesText(change)}`);
    const name = current.email || input.user;
    const replaces = requestedChanges.map(({ field, stack_uid, before, after }): ReplacedValue => {
      const key = `${stack_uid === undefined ? field : `${field} in ${stack_uid}`} of user ${id}`;
      return { kind: 'access', key, before, after, isName: true };
    });
    return {
      ...planEdits(context, [{ ...editOf(current, id, name, accessOn('after', changes)), replaces }]),
      ...(grants.length > 0 && { ask: { name, details: () => grants } }),
      summarize: ([change]) => summarizeAccess(change as Change, nameOf, input.user),
    };
  },
});

/** Returns the name of a change: `can_payment`, `role in shop/production`. */
type NameOf = (change: AccessChange) => string;

async function createNamer(context: Context, changes: readonly AccessChange[]): Promise<NameOf> {
  const titles = new Map<string | undefined, string>();
  const readTitle = async (uid: string) => void titles.set(uid, await readStackTitle(context, uid));
  await Promise.all(changes.flatMap(({ stack_uid }) => (stack_uid === undefined ? [] : readTitle(stack_uid))));
  return ({ field, stack_uid }) => (stack_uid === undefined ? field : `${field} in ${titles.get(stack_uid)}`);
}

function isGrant({ stack_uid, before, after }: AccessChange): boolean {
  // An account may define its own roles, so every changed role counts as a grant.
  if (stack_uid !== undefined || !Array.isArray(after)) return after !== false;
  return after.some((role) => !(Array.isArray(before) && before.includes(role)));
}

type UserRow = RecordOf<typeof User>;

function editOf(stateBefore: UserRow, id: number, name: string, requested: Access): Edit<AccessHolder> {
  const changesFrom = (user: AccessHolder) => changesTo(accessOf(user), requested);
  const valueIn = (user: AccessHolder) => accessOn('before', changesFrom(user));
  return {
    id: { id, email: stateBefore.email ?? null },
    name: `user ${name}`,
    stateBefore,
    read: (read) => read(users.get, { id }),
    findInReply: asObject,
    valueIn,
    requested,
    hasRequestedValue: (user) => !changesFrom(user).some(isDifference),
    operation: users.update,
    request: { id, access_profile: patchFor(requested) },
    unfinished: (record) => (isAction(record) ? {} : { after: valueIn(asObject(record)) }),
  };
}

function summarizeAccess(change: Change, nameOf: NameOf, user: string): Summary {
  const name = `user ${change['email'] || user}`;
  const changeText = changeWords(name, change, verbs.update);
  if (change.change === 'unchanged') return { lines: [changeText] };
  const isFinished = change.action === null || change.change === 'updated' || change.change === 'accepted';
  const changes = changesTo(change.before as Access, change.after as Access);
  const lines = changes.map((one) => {
    if (!isDifference(one)) return acceptedLine(name, change, `${nameOf(one)} ${valueText(one.before)}`);
    const noUndoText = isFinished && undoFlags(one).length === 0 ? ' (no undo)' : '';
    return `${isFinished ? name : changeText}: ${nameOf(one)} ${valuesText(one)}${noUndoText}`;
  });
  const flags = isFinished ? changes.filter(isDifference).flatMap(undoFlags) : [];
  const undo = flags.length === 0 ? [] : [{ path: 'user update', operands: [user], flags }];
  return { lines, undo: undoAfter([change], undefined, undo) };
}

function valuesText({ before, after }: AccessChange): string {
  return `${valueText(before)} -> ${valueText(after)}`;
}

function undoFlags({ field, stack_uid, before }: AccessChange): readonly string[] {
  // A new role cannot be removed, and a list of roles can only be set by a file, so neither change has an undo.
  if (stack_uid !== undefined) return typeof before === 'string' ? ['--role', `${stack_uid}=${before}`] : [];
  return typeof before === 'boolean' ? ['--set', `${field}=${before}`] : [];
}
