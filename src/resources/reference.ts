import { flag, integer, oneOf, optional, text } from '../contract/field.ts';
import { operation } from '../contract/operation.ts';
import { record } from '../contract/record.ts';
import { one, opaqueReply } from '../contract/reply.ts';

export const clouds = ['aws', 'azure_rm', 'digitalocean', 'googlecloud', 'hetzner', 'linode', 'ovh', 'vultr'] as const;

export const CloudFact = record(
  'cloud fact',
  { cloud: text('Cloud.'), kind: text('Region or size.'), id: text('ID.'), description: text('Description.') },
  ['id', 'description', 'kind', 'cloud'],
);
export const WebserverModule = record(
  'web-server module',
  { key: text('Key.'), name: text('Name.'), version: text('Version.'), description: text('Description.') },
  ['key', 'name', 'version', 'description'],
);

export const reference = {
  clouds: operation('GET /reference/clouds', {
    scope: 'none',
    about: 'List the regions and sizes of the supported clouds.',
    params: {
      cloud: optional(oneOf(clouds, 'Only this cloud.')),
      filter: optional(
        oneOf(['clouds', 'clouds_full', 'regions', 'regions_full', 'sizes', 'sizes_full'], 'Only this kind of data.'),
      ),
    },
    reply: opaqueReply,
    undocumented: 'The shape of filtered responses. JSON shows it unchanged; tables show the known shapes.',
  }),
  webserverModules: operation('GET /reference/webserver_modules', {
    scope: 'none',
    about: 'List the web-server modules.',
    reply: opaqueReply,
  }),
};

const TokenOwner = record(
  'caller',
  {
    ok: flag('Whether the token is accepted.'),
    user_id: integer('Id of the user.'),
    user_name: text('Name or e-mail address of the user.'),
    account_id: integer('Id of the account.'),
    account_name: text('Name of the account.'),
  },
  ['user_id', 'user_name', 'account_name'],
);

export const pings = {
  auth: operation('GET /ping/auth', {
    scope: 'unknown',
    about: 'Show whose token it is.',
    reply: one(TokenOwner),
    outside: true,
    withheld: 'Only read to show whose token is in use.',
  }),
};
