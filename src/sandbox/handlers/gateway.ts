import type { InputOf } from '../../contract/operation.ts';
import type { gateways } from '../../resources/gateway.ts';
import { refuse } from '../refusal.ts';
import { keptKey, stamp } from '../seed/made-up.ts';
import type { HeldAccount, StoredGateway } from '../state.ts';
import { accountOf, type SandboxWorld } from '../world.ts';
import type { HandlersOf } from './handler.ts';

export const gatewayHandlers: HandlersOf<'gateways'> = {
  list: (world, { account_id }) => accountOf(world, account_id).gateways,
  create: (world, { account_id, ...input }) => {
    const account = accountOf(world, account_id);
    account.gateways.push({ ...newGateway(world), ...changes(world, input) });
    return { ok: true };
  },
  update: (world, { account_id, id, ...input }) => {
    Object.assign(gatewayOf(accountOf(world, account_id), id), changes(world, input));
    return { ok: true };
  },
  delete: (world, { account_id, id }) => {
    const account = accountOf(world, account_id);
    const gateway = gatewayOf(account, id);
    account.gateways = account.gateways.filter((other) => other !== gateway);
    return undefined;
  },
};

function gatewayOf({ gateways: held }: HeldAccount, id: number): StoredGateway {
  return held.find((gateway) => gateway.id === id) ?? refuse(404, `gateway ${id} not found`);
}

function newGateway({ state, now, caller }: SandboxWorld): StoredGateway {
  const by = caller.name;
  const at = stamp(now);
  const times = { created_by: by, updated_by: by, created_at_iso: at, updated_at_iso: at };
  const empty = { name: '', username: '', address: '', private_ip: '', ttl: null, content: '' };
  return { id: state.next.gateway++, ...empty, ...times };
}

type GatewayInput = Omit<InputOf<typeof gateways.update>, 'account_id' | 'id'>;

/**
 * `ttl` is received in seconds and stored as a time; the key is stored as a marker. A time to live of 0 closes the
 * gateway.
 */
function changes({ now, caller }: SandboxWorld, { content, ttl, ...plain }: GatewayInput): Partial<StoredGateway> {
  if (plain.name?.trim() === '') refuse(400, 'the name of a gateway cannot be empty');
  if (ttl !== undefined && ttl < 0) refuse(400, `ttl must be at least 0 seconds; got ${ttl}`);
  return {
    ...plain,
    ...(content !== undefined && { content: content === '' ? '' : keptKey }),
    ...(ttl !== undefined && { ttl: ttl === 0 ? null : stamp(now.getTime() + ttl * 1000) }),
    ...(ttl === 0 && { content: '' }),
    updated_by: caller.name,
    updated_at_iso: stamp(now),
  };
}
