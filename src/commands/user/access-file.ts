import type { Context } from '../../contract/command.ts';
import { isObject } from '../../contract/json-object.ts';
import { faultPlace } from '../../files/json-fault.ts';
import { nearest } from '../../problems/nearest.ts';
import { Problem } from '../../problems/problem.ts';
import { accountRights } from '../../resources/user.ts';
import { type AccessProfile, isSame, isStackProfile, profileOf, type StackProfile } from './access-profile.ts';

type Json = Readonly<Record<string, unknown>>;

/** A file with a user or an access profile, as `user get --json` prints it; throws usage for anything else. */
export async function readAccessFile(context: Context, path: string): Promise<Json> {
  const text = (await context.readText(path)).replace(/^\uFEFF/, '');
  const shown = path === '-' ? 'stdin' : path;
  const value = parse(text, shown);
  const profile = isObject(value) && isObject(value['access_profile']) ? value['access_profile'] : value;
  if (isObject(profile) && (isObject(profile['account_profile']) || Array.isArray(profile['stack_profiles']))) {
    return profile;
  }
  throw new Problem('usage', `${shown} holds neither a user nor an access profile`, {
    hint: 'user get --json shows the form of a user',
  });
}

/** The profile of the file, held against that of the user: what neither we nor the service know is refused. */
export function checkAccessFile(file: Json, user: { readonly access_profile?: unknown }): AccessProfile {
  const held = isObject(user.access_profile) ? user.access_profile : {};
  const parts = ['account_profile', 'stack_profiles'];
  const stranger = Object.keys(file).find((name) => !parts.includes(name) && !isSame(file[name], held[name]));
  if (stranger !== undefined) throw new Problem('usage', `"${stranger}" of an access profile cannot be changed here`);
  const before = profileOf(user);
  const { account_profile } = profileOf({ access_profile: file });
  for (const [name, value] of Object.entries(account_profile)) checkRight(name, value, before);
  return { account_profile, stack_profiles: readRoles(file['stack_profiles']) };
}

function parse(text: string, shown: string): unknown {
  try {
    return JSON.parse(text);
  } catch {
    const { line, column } = faultPlace(text);
    throw new Problem('usage', `${shown} is not JSON at line ${line}, column ${column}`);
  }
}

function checkRight(name: string, value: unknown, { account_profile }: AccessProfile): void {
  if (Object.hasOwn(account_profile, name) && isSame(account_profile[name], value)) return;
  if (name === 'default_roles') {
    if (Array.isArray(value) && value.every((role) => typeof role === 'string')) return;
    throw new Problem('usage', 'default_roles must be a list of role names');
  }
  if (!accountRights.some((right) => right === name) && !Object.hasOwn(account_profile, name)) {
    const close = nearest(name, accountRights);
    throw new Problem('usage', `there is no right "${name}"${close ? `; did you mean "${close}"?` : ''}`);
  }
  if (typeof value !== 'boolean') throw new Problem('usage', `${name} must be true or false`);
}

function readRoles(value: unknown): readonly StackProfile[] {
  if (value === undefined || value === null) return [];
  if (Array.isArray(value) && value.every(isStackProfile)) return value;
  throw new Problem('usage', 'stack_profiles must be a list of objects with stack_uid and role');
}
