import { flag, group, many, opaque, optional, text } from '../contract/field.ts';
import { accountRights } from '../resources/user.ts';
import { refuse } from './refusal.ts';
import { checkFields } from './request/check.ts';
import type { HeldUser } from './state.ts';
import { type SandboxWorld, stackOf } from './world.ts';

type Profile = Pick<HeldUser, 'rights' | 'roles'>;

const rightFields = {
  ...Object.fromEntries(accountRights.map((name) => [name, optional(flag('A right.'))])),
  default_roles: optional(many(text('Role.'), 'Roles in new stacks.')),
};
const profileFields = {
  account_profile: optional(group(rightFields, 'Rights.')),
  stack_profiles: optional(
    many(group({ stack_uid: text('Stack.'), role: text('Role.') }, 'Role in a stack.'), 'Roles by stack.'),
  ),
  override: optional(flag('Whether the roles replace the earlier ones.')),
  acls_profile: optional(opaque('Further rights; the sandbox ignores them.')),
};

/** Merges changes into an access profile: rights and roles that are not named stay. Throws 400, and 404 for a stack. */
export function readAccessProfile(world: SandboxWorld, { rights, roles }: Profile, given: unknown): Profile {
  const { access_profile } = checkFields(
    { access_profile: group(profileFields, 'Access profile.') },
    { access_profile: given },
    { strict: world.strict },
  ) as { readonly access_profile: GivenProfile };
  const { account_profile = {}, stack_profiles, override = false } = access_profile;
  for (const { stack_uid, role } of stack_profiles ?? []) {
    stackOf(world, stack_uid);
    if (role.trim() === '') refuse(400, `the role in stack "${stack_uid}" must not be empty`);
  }
  const kept = override && stack_profiles ? [] : roles;
  const named = new Map([...kept, ...(stack_profiles ?? [])].map(({ stack_uid, role }) => [stack_uid, role]));
  return {
    rights: { ...rights, ...account_profile },
    roles: [...named].map(([stack_uid, role]) => ({ stack_uid, role })),
  };
}

interface GivenProfile {
  readonly account_profile?: HeldUser['rights'];
  readonly stack_profiles?: HeldUser['roles'];
  readonly override?: boolean;
}
