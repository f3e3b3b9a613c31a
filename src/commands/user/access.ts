import { isObject, type JsonObject } from '../../contract/values/json-object.ts';

/**
 * What a user may do, as a record shows it: rights by name with `default_roles` among them, and the role by the UID of its
 * stack; all roles, where a stack is listed twice.
 */
export interface Access extends JsonObject {
  readonly roles?: JsonObject;
}

/** A right by its name, or the `role` in a stack, as it is and as it is to be; null where there is none. */
export interface AccessChange {
  readonly field: string;
  /** UID and name of the stack of a role. */
  readonly stack_uid?: string;
  readonly stack?: string;
  readonly before: unknown;
  readonly after: unknown;
}

interface StackProfile {
  readonly stack_uid: string;
  readonly role: string;
}

/** The access a service sent with a user; of what it left out there is none. */
export function accessOf(user: { readonly access_profile?: unknown }): Access {
  const { account_profile, stack_profiles } = asObject(user.access_profile);
  const listed = Array.isArray(stack_profiles) ? stack_profiles.filter(isStackProfile) : [];
  const rolesIn = (uid: string) => {
    const found = new Set(listed.filter(({ stack_uid }) => stack_uid === uid).map(({ role }) => role));
    return found.size === 1 ? [...found][0] : [...found];
  };
  const roles = Object.fromEntries(listed.map(({ stack_uid }) => [stack_uid, rolesIn(stack_uid)]));
  return { ...asObject(account_profile), roles };
}

/** What of the wanted access differs from what is held; what it does not name stays. */
export function changesBetween(held: Access, { roles = {}, ...rights }: Access): readonly AccessChange[] {
  const wanted = [
    ...Object.entries(rights).map(([field, after]) => ({ field, after })),
    ...Object.entries(roles).map(([stack_uid, after]) => ({ field: 'role', stack_uid, after })),
  ];
  return missingIn(
    held,
    wanted.map((one) => ({ ...one, before: valueIn(held, one) })),
  );
}

/** What changes, as a record shows it. */
export function valuesOf(changes: readonly AccessChange[], side: 'before' | 'after'): Access {
  const rights = changes.filter(({ stack_uid }) => stack_uid === undefined).map((one) => [one.field, one[side]]);
  const roles = changes.flatMap((one) => (one.stack_uid === undefined ? [] : [[one.stack_uid, one[side]] as const]));
  return { ...Object.fromEntries(rights), ...(roles.length > 0 && { roles: Object.fromEntries(roles) }) };
}

/** Only what changes, as the service takes it: an absent part is left alone. */
export function patchOf(changes: readonly AccessChange[]): object {
  const { roles, ...account_profile } = valuesOf(changes, 'after');
  const stack_profiles = Object.entries(roles ?? {}).flatMap(([stack_uid, given]) =>
    [given].flat().map((role) => ({ stack_uid, role })),
  );
  return {
    ...(Object.keys(account_profile).length > 0 && { account_profile }),
    ...(stack_profiles.length > 0 && { stack_profiles }),
  };
}

/** The same changes with the access that there is now. */
export function asShown(changes: readonly AccessChange[], now: Access): readonly AccessChange[] {
  return changes.map((change) => ({ ...change, after: valueIn(now, change) }));
}

/** Those that are not made. */
export function missingIn(now: Access, changes: readonly AccessChange[]): readonly AccessChange[] {
  return changes.filter((change) => !isSame(valueIn(now, change), change.after));
}

function valueIn(access: Access, { field, stack_uid }: Pick<AccessChange, 'field' | 'stack_uid'>): unknown {
  return (stack_uid === undefined ? access[field] : access.roles?.[stack_uid]) ?? null;
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

export function asObject(value: unknown): JsonObject {
  return isObject(value) ? value : {};
}
