import { nextMadeUp } from '../made-up.ts';
import { refuse } from '../refusal.ts';
import type { AccountRow } from '../state.ts';
import type { World } from '../world.ts';
import type { HandlersOf } from './handler.ts';

export const accountHandlers: HandlersOf<'accounts'> = {
  list: ({ state }) =>
    state.accounts.filter(({ access }) => access === 'member').map(({ row }) => ({ ...row, unmanaged_servers: null })),
  get: (world, { id, include_servers }) => {
    const row = accountOf(world, id);
    // Only the primary account shows its unmanaged servers, and only when asked.
    return include_servers && row.current_account ? { ...row } : { ...row, unmanaged_servers: null };
  },
  otp: ({ state }) => ({ ok: true, otp: nextMadeUp(state, 'otp', 12) }),
};

function accountOf({ state }: World, id: number): AccountRow {
  const found = state.accounts.find(({ row }) => row.id === id) ?? refuse(404, `there is no account ${id}`);
  if (found.access === 'foreign') refuse(403, `you have no access to account ${id}`);
  if (found.access === 'restricted') refuse(400, `account ${id} is restricted`);
  return found.row;
}
