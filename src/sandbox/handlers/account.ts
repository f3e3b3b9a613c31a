import { nextMadeUp } from '../seed/made-up.ts';
import { accountOf } from '../world.ts';
import type { HandlersOf } from './handler.ts';

export const accountHandlers: HandlersOf<'accounts'> = {
  list: ({ state }) =>
    state.accounts.filter(({ access }) => access === 'member').map(({ row }) => ({ ...row, unmanaged_servers: null })),
  get: (world, { id, include_servers }) => {
    const { row } = accountOf(world, id);
    // Only the primary account shows its unmanaged servers, and only when asked.
    return include_servers && row.current_account ? { ...row } : { ...row, unmanaged_servers: null };
  },
  otp: ({ state }) => ({ ok: true, otp: nextMadeUp(state, 'otp', 12) }),
};
