import { isObject, type JsonObject } from '../../contract/values/json-object.ts';
import { isSame } from '../../kinds/perform/read-back.ts';

/**
 * The access of a user in a record: rights by name, including `default_roles`, and roles by stack UID. A stack that is
 * listed twice has a list of roles.
 */
export interface Access extends JsonObject {
  readonly roles?: JsonObject;
}

/** A right, or the `role` in a stack, before and after; null where there is none. */
export interface AccessChange {
  readonly field: string;
  /** UID and name of the stack, for a role. */
  readonly stack_uid?: string;
  readonly stack?: string;
  readonly before: unknown;
  readonly after: unknown;
}

interface StackProfile {
  readonly stack_uid: string;
  readonly role: string;
}

/** The access in a user as sent; missing parts are empty. */
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

/** The differences between the current and the wanted access. Rights and roles that are not named stay. */
export function changesBetween(held: Access, { roles = {}, ...rights }: Access): readonly AccessChange[] {
  const wanted = [
    ...Object.entries(rights).map(([field, after]) => ({ field, after })),
    ...Object.entries(roles).map(([stack_uid, after]) => ({ field: 'role', stack_uid, after })),
  ];
  return notApplied(
    held,
    wanted.map((one) => ({ ...one, before: valueIn(held, one) })),
  );
}

/** One side of the changes, as a record shows it. */
export function valuesOf(changes: readonly AccessChange[], side: 'before' | 'after'): Access {
  const rights = changes.filter(({ stack_uid }) => stack_uid === undefined).map((one) => [one.field, one[side]]);
  const roles = changes.flatMap((one) => (one.stack_uid === undefined ? [] : [[one.stack_uid, one[side]] as const]));
  return { ...Object.fromEntries(rights), ...(roles.length > 0 && { roles: Object.fromEntries(roles) }) };
}

/** The changes as the service takes them. It leaves absent parts unchanged. */
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

/** The same changes with the current access as `after`. */
export function currentValues(changes: readonly AccessChange[], now: Access): readonly AccessChange[] {
  return changes.map((change) => ({ ...change, after: valueIn(now, change) }));
}

/** The changes that were not made. */
export function notApplied(now: Access, changes: readonly AccessChange[]): readonly AccessChange[] {
  return changes.filter((change) => !isSame(valueIn(now, change), change.after));
}

function valueIn(access: Access, { field, stack_uid }: Pick<AccessChange, 'field' | 'stack_uid'>): unknown {
  return (stack_uid === undefined ? access[field] : access.roles?.[stack_uid]) ?? null;
}

export function isStackProfile(value: unknown): value is StackProfile {
  return isObject(value) && typeof value['stack_uid'] === 'string' && typeof value['role'] === 'string';
}

export function asObject(value: unknown): JsonObject {
  return isObject(value) ? value : {};
}
