import type { Context } from '../../contract/command.ts';
import { findStack, stackList } from '../../places/stack.ts';
import { nearest } from '../../problems/nearest.ts';
import { Problem } from '../../problems/problem.ts';
import { accountRights, stackRoles } from '../../resources/user.ts';

/** `can_create_stack=true…`; throws usage for an unknown right and for a value other than true or false. */
export function readRights(given: readonly string[]): Readonly<Record<string, boolean>> {
  const rights = new Map<string, boolean>();
  for (const pair of given) {
    const [name, value] = split(pair, '--set', 'RIGHT=true or RIGHT=false');
    checkRight(name);
    if (value !== 'true' && value !== 'false') {
      throw new Problem('usage', `--set ${name} must be true or false, not "${value}"`);
    }
    if (rights.has(name) && rights.get(name) !== (value === 'true')) {
      throw new Problem('usage', `--set gives ${name} twice with different values`);
    }
    rights.set(name, value === 'true');
  }
  return Object.fromEntries(rights);
}

/** The values of `--role` before their stacks are looked up. */
export function splitRoles(given: readonly string[]): readonly (readonly [stack: string, role: string])[] {
  return given.map((pair) => split(pair, '--role', 'STACK=ROLE'));
}

/**
 * Roles by stack UID; stacks are given by name or UID. An account may define its own roles, so none is refused. A role
 * that looks misspelled gets a warning.
 */
export async function resolveRoles(
  context: Context,
  roles: ReturnType<typeof splitRoles>,
): Promise<Readonly<Record<string, string>>> {
  const found = new Map<string, string>();
  const listStacks = stackList(context.call);
  for (const [stack, role] of roles) {
    const close = stackRoles.includes(role) ? undefined : nearest(role, stackRoles);
    if (close) context.warn(`"${role}" is not a standard role (did you mean "${close}"?)`);
    const { uid } = await findStack(listStacks, stack);
    if (found.has(uid) && found.get(uid) !== role) {
      throw new Problem('usage', `--role gives stack ${stack} twice with different roles`);
    }
    found.set(uid, role);
  }
  return Object.fromEntries(found);
}

function split(pair: string, flag: string, form: string): readonly [string, string] {
  const cut = pair.indexOf('=');
  if (cut > 0) return [pair.slice(0, cut), pair.slice(cut + 1).trim()];
  throw new Problem('usage', `${flag} must be ${form}, not "${pair}"`);
}

function checkRight(name: string): void {
  if (accountRights.some((right) => right === name)) return;
  if (name === 'default_roles') throw new Problem('usage', 'default_roles is a list: change it with --from-file');
  throw unknownRight(name).with({ hint: `rights: ${accountRights.join(', ')}` });
}

export function unknownRight(name: string): Problem {
  const close = nearest(name, accountRights);
  return new Problem('usage', `unknown right "${name}"${close ? ` (did you mean "${close}"?)` : ''}`);
}
