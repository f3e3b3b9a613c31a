import { flag, group, instant, integer, many, nullable, optional, secret, text } from '../contract/field.ts';
import { operation } from '../contract/operation.ts';
import { accountParam } from '../contract/params.ts';
import { record } from '../contract/record.ts';
import { acknowledgedReply, emptyReply, one, page } from '../contract/reply.ts';
import { resource } from '../contract/resource.ts';
import { ageText } from '../contract/values/time.ts';

export const Account = record(
  'account',
  {
    id: integer('ID of the account.'),
    friendly_name: text('Name.', { label: 'name' }),
    owner: nullable(text('Owner.')),
    current_account: flag('Whether the token acts in this account.', { heading: 'current' }),
    stack_count: integer('Number of stacks.', { label: 'stacks' }),
    used_clouds: many(text('Cloud.'), 'Clouds in use.', { label: 'clouds' }),
    configstore_namespace: text('Namespace of the configuration store.'),
    server_registration_script: secret(text('Script that registers a server.')),
    unmanaged_servers: nullable(
      many(
        group({ id: text('ID.'), name: text('Name.'), vendor: text('Vendor.') }, 'One server.'),
        'Unmanaged servers; only for the primary account, on request.',
      ),
    ),
    created_at_iso: instant('Creation time.', { aliases: ['created_at'] }),
    updated_at_iso: instant('Time of the last change.', { aliases: ['updated_at'] }),
  },
  ['friendly_name', 'owner', 'current_account', 'stack_count', 'used_clouds', 'id'],
);

const OneTimePassword = record(
  'one-time password',
  { otp: secret(text('One-time password.')), ok: flag('Whether a password was created.') },
  ['otp'],
);

export const accounts = {
  list: operation('GET /accounts', {
    scope: 'users',
    about: 'List the accounts you belong to.',
    reply: page(Account),
    undocumented: 'An account set by flag, environment variable or profile is sent with every request as `X-Account`.',
  }),
  get: operation('GET /accounts/:id', {
    scope: 'users',
    params: { id: accountParam, include_servers: optional(flag('Include unmanaged servers.')) },
    reply: one(Account),
    listCommand: 'account list',
  }),
  otp: operation('POST /accounts/otp', {
    scope: 'users',
    about: 'Print a one-time password for client login.',
    reply: { ...one(OneTimePassword, ['otp']), needsProof: true },
  }),
};

export const Gateway = record(
  'gateway',
  {
    id: integer('ID of the gateway.'),
    name: text('Name.'),
    username: text('User to connect as.'),
    address: text('Public address.'),
    private_ip: text('Private address.'),
    ttl: nullable(instant('Time it closes.', { label: 'closes', absent: 'closed' })),
    content: secret(text('Placeholder for the private key.', { label: 'key' })),
    created_by: text('User who created it.'),
    updated_by: text('User who changed it last.'),
    created_at_iso: instant('Creation time.'),
    updated_at_iso: instant('Time of the last change.'),
  },
  ['name', 'address', 'private_ip', 'username', 'ttl', 'id'],
);

export const gatewayParams = {
  username: optional(text('User to connect as.')),
  address: optional(text('Public address.')),
  private_ip: optional(text('Private address.', { placeholder: 'address' })),
  content: optional(secret(text('Private key.', { label: 'key' }))),
  ttl: optional(
    integer('Time it stays open, such as 8h; 0 closes it.', { unit: 'seconds', bareUnit: 'h', range: [0, 31_536_000] }),
  ),
};
const gatewayIdParam = integer('ID of the gateway.', { label: 'gateway' });
const notFoundHints = { listCommand: 'gateway list', missing: 'gateway {id}' };

export const gateways = {
  list: operation('GET /accounts/:account_id/gateways', { reply: page(Gateway) }),
  create: operation('POST /accounts/:account_id/gateways', {
    scope: 'admin',
    about: 'Create a gateway.',
    params: { name: text('Name of the new gateway.'), ...gatewayParams },
    reply: acknowledgedReply,
    check: notFoundHints.listCommand,
    undocumented: 'Parameters are sent in a JSON body.',
  }),
  update: operation('PUT /accounts/:account_id/gateways/:id', {
    scope: 'admin',
    about: 'Change a gateway; a key and --ttl open it.',
    params: { id: gatewayIdParam, name: optional(text('New name.')), ...gatewayParams },
    reply: acknowledgedReply,
    undocumented: 'Only parameters that change are sent, in a JSON body. A time to live of 0 closes the gateway.',
    ...notFoundHints,
  }),
  delete: operation('DELETE /accounts/:account_id/gateways/:id', {
    scope: 'admin',
    about: 'Delete a gateway.',
    params: { id: gatewayIdParam },
    reply: emptyReply,
    ...notFoundHints,
  }),
};

export const gateway = resource({
  list: gateways.list,
  summary: ({ address, ttl }, now) => [address || 'no address', openUntilText(ttl, now)],
});

type GatewayState = { readonly ttl?: string | null; readonly content?: string | null };

/** True if the gateway has a key and closes after `now`. A gateway without `content` counts as having a key. */
export function isGatewayOpen({ ttl, content }: GatewayState, now: Date): boolean {
  const hasKey = content == null || !/^(n\/?a)?$/i.test(content.trim());
  return hasKey && Date.parse(ttl ?? '') > now.getTime();
}

/** Returns `closed` or `open until 21:59 UTC (8h)`. Names the date if the gateway closes in more than a day. */
export function openUntilText(ttl: string | null, now: Date): string {
  const closingTime = new Date(ttl ?? 0);
  const minutes = Math.ceil((closingTime.getTime() - now.getTime()) / 60_000);
  if (!(minutes > 0)) return 'closed';
  const [day, time] = closingTime.toISOString().slice(0, 16).split('T');
  return `open until ${minutes > 1440 ? `${day} ` : ''}${time} UTC (${ageText(minutes * 60)})`;
}
