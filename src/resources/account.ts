import { flag, group, instant, integer, many, nullable, optional, secret, text } from '../contract/field.ts';
import { operation } from '../contract/operation.ts';
import { record } from '../contract/record.ts';
import { one, page } from '../contract/reply.ts';
import { inAccount } from './shared.ts';

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
  { id: 'id' },
);

export const OneTimePassword = record(
  'one-time password',
  { otp: secret(text('One-time password.')), ok: flag('Whether a password was created.') },
  ['otp'],
);

export const accounts = {
  list: operation('GET /accounts', {
    scope: 'users',
    about: 'List the accounts you belong to.',
    params: {},
    reply: page(Account),
    undocumented: 'An account set by flag, environment variable or profile is sent with every request as `X-Account`.',
  }),
  get: operation('GET /accounts/:id', {
    scope: 'users',
    about: 'Show one account.',
    params: { id: inAccount, include_servers: optional(flag('Include unmanaged servers.')) },
    reply: one(Account),
    lister: 'account list',
  }),
  otp: operation('POST /accounts/otp', {
    scope: 'users',
    about: 'Print a one-time password for client login.',
    params: {},
    reply: { ...one(OneTimePassword, ['otp']), needsProof: true },
  }),
};
