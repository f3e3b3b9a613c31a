import type { Context } from '../../contract/command.ts';
import { isObject, type JsonObject } from '../../contract/values/json-object.ts';
import { faultPlace } from '../../files/json-fault.ts';
import { isSame } from '../../kinds/perform/read-back.ts';
import { Problem } from '../../problems/problem.ts';
import { accountRights } from '../../resources/user.ts';
import { type Access, accessOf, asObject, isStackProfile } from './access.ts';
import { unknownRight } from './access-flags.ts';

/** Reads a user or an access profile, as `user get --json` prints it; throws usage for anything else. */
export async function readAccessFile(context: Context, path: string): Promise<JsonObject> {
  const text = (await context.readText(path)).replace(/^\uFEFF/, '');
  const shown = path === '-' ? 'stdin' : path;
  const value = parse(text, shown);
  const profile = isObject(value) && isObject(value['access_profile']) ? value['access_profile'] : value;
  if (isObject(profile) && (isObject(profile['account_profile']) || Array.isArray(profile['stack_profiles']))) {
    return profile;
  }
  throw new Problem('usage', `${shown} contains neither a user nor an access profile`, {
    hint: 'user get --json prints the expected format',
  });
}

/** The access in the file, compared with the user; fields and rights that are not known are refused. */
export function checkAccessFile(file: JsonObject, user: { readonly access_profile?: unknown }): Access {
  const { account_profile, stack_profiles, ...others } = file;
  const held = asObject(user.access_profile);
  const unknown = Object.keys(others).find((name) => !isSame(others[name], held[name]));
  if (unknown !== undefined) throw new Problem('usage', `"${unknown}" of an access profile cannot be changed`);
  const rights = Object.entries(asObject(account_profile));
  for (const [name, value] of rights) checkRight(name, value, asObject(held['account_profile']));
  const roles = stack_profiles ?? [];
  if (Array.isArray(roles) && roles.every(isStackProfile)) return accessOf({ access_profile: file });
  throw new Problem('usage', 'stack_profiles must be a list of objects with stack_uid and role');
}

function parse(text: string, shown: string): unknown {
  try {
    return JSON.parse(text);
  } catch {
    const { line, column } = faultPlace(text);
    throw new Problem('usage', `${shown}: invalid JSON at line ${line}, column ${column}`);
  }
}

function checkRight(name: string, value: unknown, held: JsonObject): void {
  const isHeld = Object.hasOwn(held, name);
  if (isHeld && isSame(held[name], value)) return;
  if (name === 'default_roles') {
    if (Array.isArray(value) && value.every((role) => typeof role === 'string')) return;
    throw new Problem('usage', 'default_roles must be a list of role names');
  }
  if (!isHeld && !accountRights.some((right) => right === name)) throw unknownRight(name);
  if (typeof value !== 'boolean') throw new Problem('usage', `${name} must be true or false`);
}
