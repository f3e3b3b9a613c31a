import { isSameValue } from '../../builders/execute/send.ts';
import type { Context } from '../../contract/command.ts';
import { groupBy } from '../../contract/values/group-by.ts';
import { asObject, isObject, type JsonObject, valueText } from '../../contract/values/json.ts';
import { CliError } from '../../errors/cli-error.ts';
import { nearest } from '../../errors/nearest.ts';
import { readPair } from '../../fields/read-value.ts';
import { parseJson } from '../../files/json-file.ts';
import { accountRights, stackRoles } from '../../resources/user.ts';
import { findStack, listStacksOnce } from '../../targets/stack.ts';

/** Account rights such as `can_create_stack`, and roles by stack UID. A stack with several roles has a list. */
export interface Access extends JsonObject {
  readonly roles?: JsonObject;
}

export type AccessHolder = { readonly access_profile?: unknown };

/** The change of a right, or of the `role` in a stack. `before` and `after` are null if there is no value. */
export interface AccessChange {
  readonly field: string;
  readonly stack_uid?: string;
  readonly before: unknown;
  readonly after: unknown;
}

/** Returns the access in a user record. Missing parts are empty. */
export function accessOf(user: AccessHolder): Access {
  const { account_profile, stack_profiles } = asObject(user.access_profile);
  const stackProfiles = Array.isArray(stack_profiles) ? stack_profiles.filter(isStackProfile) : [];
  const roles = [...groupBy(stackProfiles, ({ stack_uid }) => stack_uid)].map(([uid, profiles]) => {
    const names = [...new Set(profiles.map(({ role }) => role))];
    return [uid, names.length === 1 ? names[0] : names];
  });
  return { ...asObject(account_profile), roles: Object.fromEntries(roles) };
}

/** Returns each requested right and role beside its current value, even if they are equal. */
export function changesTo(current: Access, { roles = {}, ...rights }: Access): readonly AccessChange[] {
  const valueIn = (values: JsonObject = {}, name: string) => values[name] ?? null;
  return [
    ...Object.entries(rights).map(([field, after]) => ({ field, before: valueIn(current, field), after })),
    ...Object.entries(roles).map(([stack_uid, after]) => {
      return { field: 'role', stack_uid, before: valueIn(current.roles, stack_uid), after };
    }),
  ];
}

export function isDifference({ before, after }: AccessChange): boolean {
  return !isSameValue(before, after);
}

export function accessOn(side: 'before' | 'after', changes: readonly AccessChange[]): Access {
  const isRight = ({ stack_uid }: AccessChange) => stack_uid === undefined;
  const rights = changes.filter(isRight).map((change) => [change.field, change[side]]);
  const roles = changes.filter((change) => !isRight(change)).map((change) => [change.stack_uid, change[side]]);
  return { ...Object.fromEntries(rights), ...(roles.length > 0 && { roles: Object.fromEntries(roles) }) };
}

/** Returns the request body for an access. The service leaves absent parts unchanged. */
export function patchFor({ roles = {}, ...account_profile }: Access): object {
  const stack_profiles = Object.entries(roles).flatMap(([stack_uid, names]) =>
    [names].flat().map((role) => ({ stack_uid, role })),
  );
  return {
    ...(Object.keys(account_profile).length > 0 && { account_profile }),
    ...(stack_profiles.length > 0 && { stack_profiles }),
  };
}

function isStackProfile(value: unknown): value is { readonly stack_uid: string; readonly role: string } {
  return isObject(value) && typeof value['stack_uid'] === 'string' && typeof value['role'] === 'string';
}

type Words = readonly string[];
type AccessArguments = { readonly set?: Words; readonly role?: Words; readonly from_file?: string };

/** Reads and checks the arguments and the file. Returns a function that combines both into the access to request. */
export async function readAccessRequest(context: Context, { set = [], role = [], from_file }: AccessArguments) {
  if (set.length + role.length === 0 && from_file === undefined)
    throw new CliError('usage', 'nothing to change: give --set, --role or --from-file');
  // Arguments are checked before the first request.
  const rights = readRights(set);
  const fileProfile = from_file === undefined ? undefined : await readAccessFile(context, from_file);
  const roles = await resolveRoles(context, role);
  return (user: AccessHolder): Access => {
    const fileAccess: Access = fileProfile ? checkAccessFile(fileProfile, user) : {};
    warnOfRemainingRoles(context, accessOf(user), fileAccess);
    return { ...fileAccess, ...rights, roles: { ...fileAccess.roles, ...roles } };
  };
}

function warnOfRemainingRoles(context: Context, current: Access, { roles: fileRoles = {} }: Access): void {
  if (Object.keys(fileRoles).length === 0) return;
  for (const [uid, role] of Object.entries(current.roles ?? {}).filter(([one]) => !Object.hasOwn(fileRoles, one))) {
    context.warn(`the role ${valueText(role)} in stack ${uid} stays: this command cannot remove roles`);
  }
}

function readRights(pairs: Words): Readonly<Record<string, boolean>> {
  const rights: Record<string, boolean> = {};
  for (const pair of pairs) {
    const [name, value] = readPair(pair.trim(), '--set must be RIGHT=true or RIGHT=false');
    if (name === 'default_roles') throw new CliError('usage', 'default_roles is a list: change it with --from-file');
    if (!accountRights.includes(name))
      throw unknownRightError(name).with({ hint: `rights: ${accountRights.join(', ')}` });
    if (value !== 'true' && value !== 'false')
      throw new CliError('usage', `--set ${name} must be true or false, not "${value}"`);
    const isGranted = value === 'true';
    if ((rights[name] ?? isGranted) !== isGranted)
      throw new CliError('usage', `--set gives ${name} twice with different values`);
    rights[name] = isGranted;
  }
  return rights;
}

async function resolveRoles(context: Context, pairs: Words): Promise<Readonly<Record<string, string>>> {
  const roleByUid = new Map<string, string>();
  // The plan after a question reads the list again, because a name may belong to another stack by then.
  const listStacks = listStacksOnce(context.call);
  for (const [stack, role] of pairs.map((pair) => readPair(pair.trim(), '--role must be STACK=ROLE'))) {
    // An account may define its own roles, so no role is refused.
    const nearRole = stackRoles.includes(role) ? undefined : nearest(role, stackRoles);
    if (nearRole) context.warn(`"${role}" is not a standard role (did you mean "${nearRole}"?)`);
    const { uid } = await findStack(listStacks, stack);
    if ((roleByUid.get(uid) ?? role) !== role)
      throw new CliError('usage', `--role gives stack ${stack} twice with different roles`);
    roleByUid.set(uid, role);
  }
  return Object.fromEntries(roleByUid);
}

function unknownRightError(name: string): CliError {
  const nearRight = nearest(name, accountRights);
  return new CliError('usage', `unknown right "${name}"${nearRight ? ` (did you mean "${nearRight}"?)` : ''}`);
}

async function readAccessFile(context: Context, path: string): Promise<JsonObject> {
  const text = (await context.readText(path)).replace(/^\uFEFF/, '');
  const source = path === '-' ? 'stdin' : path;
  const value = parseJson(text, (fault) => new CliError('usage', `${source}: ${fault}`));
  const profile = isObject(value) && isObject(value['access_profile']) ? value['access_profile'] : value;
  if (isObject(profile) && (isObject(profile['account_profile']) || Array.isArray(profile['stack_profiles'])))
    return profile;
  const message = `${source} contains neither a user nor an access profile`;
  throw new CliError('usage', message, { hint: 'user get --json prints the expected format' });
}

function checkAccessFile(fileProfile: JsonObject, user: AccessHolder): Access {
  const { account_profile, stack_profiles, ...otherParts } = fileProfile;
  const current = asObject(user.access_profile);
  const unknownPart = Object.keys(otherParts).find((name) => !isSameValue(otherParts[name], current[name]));
  if (unknownPart !== undefined) throw new CliError('usage', `"${unknownPart}" of an access profile cannot be changed`);
  const rights = Object.entries(asObject(account_profile));
  for (const [name, value] of rights) checkRight(name, value, asObject(current['account_profile']));
  const stackProfiles = stack_profiles ?? [];
  if (Array.isArray(stackProfiles) && stackProfiles.every(isStackProfile))
    return accessOf({ access_profile: fileProfile });
  throw new CliError('usage', 'stack_profiles must be a list of objects with stack_uid and role');
}

function checkRight(name: string, value: unknown, current: JsonObject): void {
  const isKnown = Object.hasOwn(current, name);
  if (isKnown && isSameValue(current[name], value)) return;
  if (name === 'default_roles') {
    if (Array.isArray(value) && value.every((role) => typeof role === 'string')) return;
    throw new CliError('usage', 'default_roles must be a list of role names');
  }
  if (!isKnown && !accountRights.includes(name)) throw unknownRightError(name);
  if (typeof value !== 'boolean') throw new CliError('usage', `${name} must be true or false`);
}
