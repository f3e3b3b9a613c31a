import type { Context, Presentation, Target } from '../../contract/command.ts';
import { many, optional, text } from '../../contract/field.ts';
import type { RecordOf } from '../../contract/record.ts';
import { rows } from '../../contract/reply.ts';
import { script } from '../../kinds/script.ts';
import { Problem } from '../../problems/problem.ts';
import { actionWords } from '../../resources/action.ts';
import { describeStack } from '../../resources/stack.ts';
import { accountRights, stackRoles, type User, users } from '../../resources/user.ts';
import { makeChange } from '../queued-change.ts';
import { checkAccessFile, readAccessFile } from './access-file.ts';
import {
  AccessChange,
  type AccessProfile,
  changesBetween,
  patchOf,
  profileOf,
  settled,
  unmet,
} from './access-profile.ts';
import { readRights, resolveRoles, splitRoles } from './access-words.ts';
import { aUser, findUserId } from './find.ts';

type UserRow = RecordOf<typeof User>;

export const updateUser = script({
  about: 'Change what a user may do; only what differs is sent.',
  params: {
    user: aUser,
    set: optional(
      many(
        text('A right.', { label: 'right=true|false', assigns: ['true', 'false'], choices: accountRights, open: true }),
        'A right in the account.',
        { repeats: true },
      ),
    ),
    role: optional(
      many(
        text('A role.', { label: 'stack=role', names: 'stack', assigns: stackRoles, choices: stackRoles, open: true }),
        'Role in a stack by UID or name.',
        { whole: true, repeats: true },
      ),
    ),
    from_file: optional(
      text('A user or access profile as `user get --json` prints it; what it names is changed.', { names: 'file' }),
    ),
  },
  positionals: ['user'],
  examples: [
    'stackops user update 7 --set can_create_stack=true --role shop=Deployer -y',
    'stackops user update 7 --set can_payment=false',
    'stackops user get ada@harbour.example --json --fields access_profile > ada.json',
    'stackops user update mara@harbour.example --from-file ada.json --dry-run',
  ],
  calls: [users.list, users.get, users.update],
  reply: rows(AccessChange),
  confirm: {
    level: 'yes',
    act: 'Grant rights to user',
    when: 'before it grants a right or gives or changes a role',
    target: describeGrants,
  },
  run: async (context, words) => {
    const { id, changes } = await planOf(context, words);
    if (changes.length === 0) return [];
    return makeChange(context.call(users.update, { id, access_profile: patchOf(changes) }), async (made) => {
      if (made.change !== 'done') return changes.map((change) => ({ ...change, action: made.action }));
      return context.dryRun ? changes : prove(context, { id, changes, after: made.reply });
    });
  },
  present: (changes, { user }) => presentChanges(changes, user),
});

interface Words {
  readonly user: string;
  readonly set?: readonly string[];
  readonly role?: readonly string[];
  readonly from_file?: string;
}

interface Plan {
  readonly id: number;
  /** As it is before. */
  readonly user: UserRow;
  readonly changes: readonly AccessChange[];
}

async function planOf(context: Context, words: Words): Promise<Plan> {
  const wish = await readWish(context, words);
  const id = await findUserId(context, words.user);
  const user = await context.call(users.get, { id });
  return { id, user, changes: changesBetween(profileOf(user), wish(user)) };
}

/** What a question says before somebody may do more; undefined where nobody may. */
async function describeGrants(context: Context, words: Words): Promise<Target | undefined> {
  const { user, changes } = await planOf(context, words);
  const grants = changes.filter(isGrant);
  if (grants.length === 0) return undefined;
  const named = await Promise.all(grants.map((change) => withStack(context, change)));
  return { name: user.email || words.user, facts: named.map(transition) };
}

/** An account may define roles of its own, so which of two is higher cannot be known. */
function isGrant({ stack_uid, before, after }: AccessChange): boolean {
  if (stack_uid !== undefined || !Array.isArray(after)) return after !== false;
  return after.some((role) => !(Array.isArray(before) && before.includes(role)));
}

/** What is asked for, given the user as it is; flags win over the file. Everything that can be told locally is told here. */
async function readWish(
  context: Context,
  { set = [], role = [], from_file }: Words,
): Promise<(user: UserRow) => AccessProfile> {
  if (set.length + role.length === 0 && from_file === undefined) {
    throw new Problem('usage', 'nothing to change: give --set, --role or --from-file');
  }
  const rights = readRights(set);
  const split = splitRoles(role);
  const file = from_file === undefined ? undefined : await readAccessFile(context, from_file);
  const roles = await resolveRoles(context, split);
  return (user) => {
    const filed = file ? checkAccessFile(file, user) : { account_profile: {}, stack_profiles: [] };
    if (file) warnOfKept(context, profileOf(user), filed);
    const others = filed.stack_profiles.filter(({ stack_uid }) => !roles.some((one) => one.stack_uid === stack_uid));
    return { account_profile: { ...filed.account_profile, ...rights }, stack_profiles: [...others, ...roles] };
  };
}

/** Somebody who took a role out of a file must not believe that it is gone. */
function warnOfKept(context: Context, { stack_profiles: held }: AccessProfile, filed: AccessProfile): void {
  if (filed.stack_profiles.length === 0) return;
  const named = new Set(filed.stack_profiles.map(({ stack_uid }) => stack_uid));
  for (const { stack_uid, role } of held.filter((one) => !named.has(one.stack_uid))) {
    context.warn(`the role ${role} in stack ${stack_uid} stays: roles are given and changed here, not taken away`);
  }
}

interface Written {
  readonly id: number;
  readonly changes: readonly AccessChange[];
  readonly after: UserRow;
}

/** The changes as the service shows them now; throws rejected when one did not come to pass. */
async function prove(context: Context, { id, changes, after }: Written): Promise<readonly AccessChange[]> {
  let now = profileOf(after);
  // Whether the reply is the user before or after the change is not for us to trust.
  if (unmet(changes, now).length > 0) now = profileOf(await context.call(users.get, { id }));
  const left = unmet(changes, now);
  const told = await Promise.all(settled(changes, now).map((change) => withStack(context, change)));
  if (left.length === 0) return told;
  const names = left.map(nameOf).join(', ');
  const done = told.filter((_, index) => !left.some((change) => change === changes[index]));
  throw new Problem('rejected', `the service took the request and did not change ${names}`, {
    ...(done.length > 0 && { partial: { value: done } }),
  });
}

async function withStack(context: Context, change: AccessChange): Promise<AccessChange> {
  const { field, stack_uid, ...values } = change;
  return stack_uid === undefined
    ? change
    : { field, stack_uid, stack: await describeStack(context, stack_uid), ...values };
}

function presentChanges(changes: readonly AccessChange[], user: string): Presentation {
  if (changes.length === 0) {
    return { kind: 'done', lines: [`The access profile of user ${user} is like that already; nothing was sent.`] };
  }
  const flags = changes.flatMap(undoFlags);
  return {
    kind: 'done',
    lines: changes.map(lineOf),
    undo: flags.length === 0 ? undefined : [{ path: 'user update', operands: [user], flags }],
  };
}

function lineOf(change: AccessChange): string {
  const { action } = change;
  const line = transition(change);
  if (action) return `${line}: ${actionWords(action)}`;
  return `${line}${undoFlags(change).length === 0 ? ' (no undo)' : ''}`;
}

/** `can_payment: false -> true` */
function transition(change: AccessChange): string {
  return `${nameOf(change)}: ${shown(change.before)} -> ${shown(change.after)}`;
}

/** What goes on is no result yet. Roles are given and changed, not taken away; a list is changed by a file only. */
function undoFlags({ field, stack_uid, before, action }: AccessChange): readonly string[] {
  if (action) return [];
  if (stack_uid !== undefined) return isOneRole(before) ? ['--role', `${stack_uid}=${before}`] : [];
  return typeof before === 'boolean' ? ['--set', `${field}=${before}`] : [];
}

/** Two roles in one stack are listed by a service, and taken by none. */
function isOneRole(role: unknown): boolean {
  return typeof role === 'string' && !role.includes(', ');
}

function nameOf({ field, stack_uid, stack }: AccessChange): string {
  return stack_uid === undefined ? field : `${field} in ${stack ?? stack_uid}`;
}

function shown(value: unknown): string {
  if (value === null || value === undefined) return '-';
  return Array.isArray(value) ? value.join(', ') || '-' : String(value);
}
