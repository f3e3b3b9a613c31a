import { isObject } from '../../contract/json-object.ts';

export interface StackProfile {
  readonly stack_uid: string;
  readonly role: string;
}
/** Rights by name with `default_roles` among them, and the roles in single stacks. */
export interface AccessProfile {
  readonly account_profile: Readonly<Record<string, unknown>>;
  readonly stack_profiles: readonly StackProfile[];
}

/** A right by its name, `default_roles` or a `role` in a stack, as it is and as it is to be; null where there is none. */
export interface AccessChange {
  readonly field: string;
  /** UID and name of the stack of a role. */
  readonly stack_uid?: string;
  readonly stack?: string;
  readonly before: unknown;
  readonly after: unknown;
}

/** Rights by name, and roles by the UIDs of their stacks. */
export interface AccessValues {
  readonly [right: string]: unknown;
  readonly roles?: Readonly<Record<string, unknown>>;
}

/** The access profile a service sent with a user, empty where it left parts out. */
export function profileOf(user: { readonly access_profile?: unknown }): AccessProfile {
  const { account_profile, stack_profiles } = asObject(user.access_profile);
  return {
    account_profile: asObject(account_profile),
    stack_profiles: Array.isArray(stack_profiles) ? stack_profiles.filter(isStackProfile) : [],
  };
}

/** What of the wanted profile differs from the one there is; what it does not name stays. */
export function changesBetween(before: AccessProfile, wanted: AccessProfile): readonly AccessChange[] {
  const rights = Object.entries(wanted.account_profile).map(([field, after]) => ({
    field,
    before: before.account_profile[field] ?? null,
    after,
  }));
  const roles = wanted.stack_profiles.map(({ stack_uid, role }) => ({
    field: 'role',
    stack_uid,
    before: roleIn(before, stack_uid),
    after: role,
  }));
  return [...rights, ...roles].filter((change) => !isSame(change.before, change.after));
}

/** What changes, as a record shows it. */
export function valuesOf(changes: readonly AccessChange[], side: 'before' | 'after'): AccessValues {
  const rights = changes.filter(({ stack_uid }) => stack_uid === undefined).map((one) => [one.field, one[side]]);
  const roles = changes.flatMap((one) => (one.stack_uid === undefined ? [] : [[one.stack_uid, one[side]] as const]));
  return { ...Object.fromEntries(rights), ...(roles.length > 0 && { roles: Object.fromEntries(roles) }) };
}

/** The profile that a record shows. */
export function profileWith({ roles = {}, ...account_profile }: AccessValues): AccessProfile {
  const given = Object.entries(roles).filter(([, role]) => role !== null);
  return { account_profile, stack_profiles: given.map(([stack_uid, role]) => ({ stack_uid, role: String(role) })) };
}

/** Only what changes, as the service takes it: an absent part is left alone. */
export function patchOf(changes: readonly AccessChange[]): Partial<AccessProfile> {
  const rights = changes.filter(({ stack_uid }) => stack_uid === undefined);
  const roles = changes.flatMap(({ stack_uid, after }) =>
    stack_uid === undefined ? [] : [{ stack_uid, role: String(after) }],
  );
  return {
    ...(rights.length > 0 && { account_profile: Object.fromEntries(rights.map(({ field, after }) => [field, after])) }),
    ...(roles.length > 0 && { stack_profiles: roles }),
  };
}

/** The same changes with what the profile says now. */
export function asShown(changes: readonly AccessChange[], now: AccessProfile): readonly AccessChange[] {
  return changes.map((change) => ({ ...change, after: valueIn(now, change) }));
}

/** Those that the profile does not show. */
export function missingIn(now: AccessProfile, changes: readonly AccessChange[]): readonly AccessChange[] {
  return changes.filter((change) => !isSame(valueIn(now, change), change.after));
}

export function isStackProfile(value: unknown): value is StackProfile {
  return isObject(value) && typeof value['stack_uid'] === 'string' && typeof value['role'] === 'string';
}

/** Roles in another order are the same roles. */
export function isSame(one: unknown, other: unknown): boolean {
  return sorted(one) === sorted(other);
}

function sorted(value: unknown): string {
  return JSON.stringify(Array.isArray(value) ? value.toSorted() : (value ?? null));
}

function valueIn(profile: AccessProfile, { field, stack_uid }: AccessChange): unknown {
  return stack_uid === undefined ? (profile.account_profile[field] ?? null) : roleIn(profile, stack_uid);
}

/** A stack that is listed twice has all roles that are listed for it. */
export function roleIn({ stack_profiles }: AccessProfile, uid: string): string | null {
  const roles = stack_profiles.filter(({ stack_uid }) => stack_uid === uid).map(({ role }) => role);
  return roles.length === 0 ? null : [...new Set(roles)].join(', ');
}

function asObject(value: unknown): Readonly<Record<string, unknown>> {
  return isObject(value) ? value : {};
}
