import type { InputOf } from '../../contract/operation.ts';
import type { gateways } from '../../resources/account.ts';
import { type HandlersOf, refuse, type SandboxContext } from '../context.ts';
import { callerEmail, isoStamp, nextMadeUpHex, storedKeyMark } from '../seed/made-up.ts';
import type { AccountState, GatewayRecord } from '../state.ts';

export const accountHandlers: HandlersOf<'accounts'> = {
  list: ({ state }) =>
    state.accounts.filter(({ access }) => access === 'member').map(({ row }) => ({ ...row, unmanaged_servers: null })),
  get: (context, { id, include_servers }) => {
    const { row } = accountOf(context, id);
    // Only the primary account shows its unmanaged servers, and only on request.
    return include_servers && row.current_account ? { ...row } : { ...row, unmanaged_servers: null };
  },
  otp: ({ state }) => ({ ok: true, otp: nextMadeUpHex(state, 'otp', 12) }),
};

export const gatewayHandlers: HandlersOf<'gateways'> = {
  list: (context, { account_id }) => accountOf(context, account_id).gateways,
  create: (context, { account_id, ...input }) => {
    const account = accountOf(context, account_id);
    const id = context.state.next.gateway++;
    const creationFields = { created_by: callerEmail, updated_by: callerEmail, created_at_iso: isoStamp(context.now) };
    account.gateways.push({ id, ...emptyGateway, ...creationFields, ...changedFields(context, input) });
    return { ok: true };
  },
  update: (context, { account_id, id, ...input }) => {
    Object.assign(gatewayOf(accountOf(context, account_id), id), changedFields(context, input));
    return { ok: true };
  },
  delete: (context, { account_id, id }) => {
    const account = accountOf(context, account_id);
    const gateway = gatewayOf(account, id);
    account.gateways = account.gateways.filter((other) => other !== gateway);
  },
};

function gatewayOf({ gateways }: AccountState, id: number): GatewayRecord {
  return gateways.find((gateway) => gateway.id === id) ?? refuse(404, `gateway ${id} not found`);
}

const emptyGateway = { name: '', username: '', address: '', private_ip: '', ttl: null, content: '' };

type GatewayInput = Omit<InputOf<typeof gateways.update>, 'account_id' | 'id'>;

function changedFields({ now }: SandboxContext, { content, ttl, ...otherFields }: GatewayInput) {
  if (otherFields.name?.trim() === '') refuse(400, 'the name of a gateway cannot be empty');
  return {
    ...otherFields,
    ...(content !== undefined && { content: content === '' ? '' : storedKeyMark }),
    // `ttl` in the request is a number of seconds, and 0 closes the gateway. `ttl` in the record is the closing time.
    ...(ttl !== undefined && { ttl: ttl === 0 ? null : isoStamp(now.getTime() + ttl * 1000) }),
    ...(ttl === 0 && { content: '' }),
    updated_by: callerEmail,
    updated_at_iso: isoStamp(now),
  };
}

export const pingHandlers: HandlersOf<'pings'> = {
  auth: ({ state }) => {
    const user = state.users.find(({ row }) => row.email === callerEmail)?.row ?? refuse(404, 'the user is unknown');
    const account = state.accounts.find(({ row }) => row.id === user.primary_account_id)?.row;
    const { id: user_id, email: user_name, primary_account_id: account_id } = user;
    return { ok: true, user_id, user_name, account_id, account_name: account?.friendly_name ?? '' };
  },
};

function accountOf({ state }: SandboxContext, id: number): AccountState {
  const account = state.accounts.find(({ row }) => row.id === id) ?? refuse(404, `account ${id} not found`);
  if (account.access === 'foreign') refuse(403, `you have no access to account ${id}`);
  if (account.access === 'restricted') refuse(400, `account ${id} is restricted`);
  return account;
}
