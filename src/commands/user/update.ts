import { type Edit, planEdits } from '../../builders/execute/edit.ts';
import { isSameValue } from '../../builders/execute/send.ts';
import { acceptedLine, changeRecord, changeWords, undoAfter, verbs } from '../../builders/execute/summary.ts';
import { findTarget } from '../../builders/resource/find.ts';
import { idFields } from '../../builders/resource/row.ts';
import { write } from '../../builders/write.ts';
import { many, opaque, optional, text } from '../../contract/field.ts';
import type { Change, ReplacedValue, Summary } from '../../contract/plan.ts';
import type { RecordOf } from '../../contract/record.ts';
import { valueText } from '../../contract/values/json.ts';
import { isAction } from '../../resources/action.ts';
import { readStackTitle } from '../../resources/stack.ts';
import { accountRights, stackRoles, type User, user, users } from '../../resources/user.ts';
import {
  type Access,
  type AccessChange,
  accessAfter,
  accessOf,
  asObject,
  changesTo,
  findUnappliedChanges,
  patchOf,
  readAccessRequest,
  withCurrentValues,
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
type UserRow = RecordOf<typeof User>;
/** A change with its human-readable name: `role in shop/production`. */
type NamedChange = AccessChange & { readonly name: string };

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
    const differences = findUnappliedChanges(accessOf(current), requestedChanges);
    const changes = await Promise.all(
      differences.map(async (change): Promise<NamedChange> => {
        const { field, stack_uid } = change;
        const where = stack_uid === undefined ? '' : ` in ${await readStackTitle(context, stack_uid)}`;
        return { ...change, name: `${field}${where}` };
      }),
    );
    const grants = changes.filter(isGrant);
    const name = current.email || input.user;
    const replacedValues = requestedChanges.map((one) => replacedAccess(one, id));
    return {
      ...planEdits(context, [{ ...editOf(current, id, name, changes), replaces: replacedValues }]),
      ...(grants.length > 0 && {
        ask: { name, details: () => grants.map((change) => `${change.name}: ${valuesText(change)}`) },
      }),
      summarize: (madeChanges) => summarizeAccess(madeChanges, changes, input.user),
    };
  },
});

function isGrant({ stack_uid, before, after }: AccessChange): boolean {
  // An account may define its own roles, so every changed role counts as a grant.
  if (stack_uid !== undefined || !Array.isArray(after)) return after !== false;
  return after.some((role) => !(Array.isArray(before) && before.includes(role)));
}

type AccessRecord = Parameters<typeof accessOf>[0];

function editOf(stateBefore: UserRow, id: number, name: string, changes: readonly AccessChange[]): Edit<AccessRecord> {
  const valueIn = (now: AccessRecord) => accessAfter(withCurrentValues(changes, accessOf(now)));
  return {
    id: { id, email: stateBefore.email ?? null },
    name: `user ${name}`,
    stateBefore,
    read: (read) => read(users.get, { id }),
    findInReply: asObject,
    valueIn,
    requested: accessAfter(changes),
    hasRequestedValue: (now) => findUnappliedChanges(accessOf(now), changes).length === 0,
    operation: users.update,
    request: { id, access_profile: patchOf(changes) },
    unfinished: (record) => (isAction(record) ? {} : { after: valueIn(asObject(record)) }),
  };
}

function replacedAccess({ field, stack_uid, before, after }: AccessChange, id: number): ReplacedValue {
  const key = stack_uid === undefined ? `${field} of user ${id}` : `${field} in ${stack_uid} of user ${id}`;
  return { kind: 'access', key, before, after, isName: true };
}

function summarizeAccess([madeChange]: readonly Change[], changes: readonly NamedChange[], user: string): Summary {
  if (!madeChange) return { lines: [] };
  const name = `user ${madeChange['email'] || user}`;
  const changeText = changeWords(name, madeChange, verbs.update);
  if (madeChange.change === 'unchanged') return { lines: [changeText] };
  const isFinished = madeChange.action === null || madeChange.change === 'updated' || madeChange.change === 'accepted';
  const currentChanges = withCurrentValues(changes, madeChange.after as Access);
  const isUnapplied = ({ before, after }: AccessChange) => isSameValue(before, after);
  const lines = currentChanges.map((change) => {
    if (isUnapplied(change)) return acceptedLine(name, madeChange, `${change.name} ${valueText(change.before)}`);
    const noUndoText = isFinished && undoFlags(change).length === 0 ? ' (no undo)' : '';
    return `${isFinished ? name : changeText}: ${change.name} ${valuesText(change)}${noUndoText}`;
  });
  const flags = isFinished ? currentChanges.filter((change) => !isUnapplied(change)).flatMap(undoFlags) : [];
  const undo = flags.length === 0 ? [] : [{ path: 'user update', operands: [user], flags }];
  return { lines, undo: undoAfter([madeChange], undefined, undo) };
}

function valuesText({ before, after }: AccessChange): string {
  return `${valueText(before)} -> ${valueText(after)}`;
}

function undoFlags({ field, stack_uid, before }: AccessChange): readonly string[] {
  // A new role cannot be removed, and a list of roles can only be set by a file, so neither change has an undo.
  if (stack_uid !== undefined) return typeof before === 'string' ? ['--role', `${stack_uid}=${before}`] : [];
  return typeof before === 'boolean' ? ['--set', `${field}=${before}`] : [];
}
