import type { RecordOf } from '../../contract/record.ts';
import type { User, UserSummary } from '../../resources/user.ts';
import { readAccessProfile } from '../access-profile.ts';
import { stamp } from '../seed/made-up.ts';
import type { HeldUser } from '../state.ts';
import { userOf } from '../world.ts';
import type { HandlersOf } from './handler.ts';

export const userHandlers: HandlersOf<'users'> = {
  list: ({ state }) => state.users.map(summary),
  get: (world, { id }) => show(userOf(world, id)),
  update: (world, { id, access_profile }) => {
    const user = userOf(world, id);
    const { rights, roles } = readAccessProfile(world, user, access_profile);
    user.rights = rights;
    user.roles = roles;
    user.row.updated_at = stamp(world.now);
    return show(user);
  },
};

function summary({ row }: HeldUser): RecordOf<typeof UserSummary> {
  const { gitprovider_login: _, last_login: __, cloud_status: ___, ...short } = row;
  return short;
}

function show({ row, rights, roles, devices }: HeldUser): RecordOf<typeof User> {
  return { ...row, access_profile: { account_profile: rights, stack_profiles: roles }, devices };
}
