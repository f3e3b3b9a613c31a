import { refuse } from '../refusal.ts';
import type { HandlersOf } from './handler.ts';

export const pingHandlers: HandlersOf<'pings'> = {
  auth: ({ state, caller }) => {
    const user = state.users.find(({ row }) => row.email === caller.name)?.row ?? refuse(404, 'the user is unknown');
    const account = state.accounts.find(({ row }) => row.id === user.primary_account_id)?.row;
    return {
      ok: true,
      user_id: user.id,
      user_name: user.email,
      account_id: user.primary_account_id,
      account_name: account?.friendly_name ?? '',
    };
  },
};
