import { flag, group, instant, integer, many, nullable, optional, text } from '../contract/field.ts';
import { operation } from '../contract/operation.ts';
import { uidPattern } from '../contract/params.ts';
import { type RecordOf, record } from '../contract/record.ts';
import { acknowledgedReply, one, page } from '../contract/reply.ts';
import { resource } from '../contract/resource.ts';
import { healthStates, healthText } from './stack.ts';

export const Server = record(
  'server',
  {
    uid: text('UID of the server.'),
    name: text('Name.'),
    health_state: integer('Health.', { meanings: healthStates, label: 'health' }),
    server_roles: many(text('Role.'), 'Roles of the server.', { label: 'roles', aliases: ['role', 'roles'] }),
    address: text('Address.'),
    ext_ipv4: text('Public IPv4 address.'),
    int_ipv4: text('Private IPv4 address.'),
    ext_ipv6: nullable(text('Public IPv6 address.')),
    int_ipv6: nullable(text('Private IPv6 address.')),
    dns_record: text('DNS name.'),
    distro: text('Operating system distribution.'),
    distro_version: text('Version of the distribution.'),
    region: text('Region.'),
    availability_zone: text('Availability zone.'),
    server_type: text('Server type.', { label: 'type' }),
    server_group_id: integer('ID of the server group.'),
    stack_uid: text('UID of the stack.'),
    vendor_uid: text('UID at the cloud provider.'),
    user_name: text('User to connect as.', { label: 'username' }),
    has_agent: flag('Whether an agent runs on it.'),
    has_deploy_gateway: optional(
      flag('Whether it is reached through a gateway, where the service sends it.', { label: 'gateway' }),
    ),
    deploy_gateway_address: optional(nullable(text('Address of its gateway.'))),
    deploy_gateway_user_name: optional(nullable(text('User of its gateway.'))),
    params: group(
      {
        availability_zone: text('Availability zone.'),
        size: text('Size.'),
        region: text('Region.'),
        containerservice_instance_profile: nullable(text('Instance profile.')),
      },
      'Parameters of its creation.',
    ),
    created_at: instant('Creation time.', { aliases: ['created_at_iso'] }),
    updated_at: instant('Time of the last change.', { aliases: ['updated_at_iso'] }),
  },
  ['name', 'health_state', 'server_roles', 'address', 'has_deploy_gateway', 'region', 'distro', 'uid'],
  { rareColumn: 'has_deploy_gateway' },
);

export type ServerRow = RecordOf<typeof Server>;

const serverIdParam = text('UID of the server.', { label: 'server' });
const notFoundHints = { listCommand: 'server list', missing: 'server {server_id}' };

export const servers = {
  list: operation('GET /stacks/:stack_id/servers', { reply: page(Server) }),
  get: operation('GET /stacks/:stack_id/servers/:server_id', {
    params: { server_id: serverIdParam },
    reply: one(Server),
    ...notFoundHints,
  }),
  reboot: operation('POST /stacks/:stack_id/servers/:server_id/reboot', {
    scope: 'admin',
    about: 'Reboot a server.',
    params: { server_id: serverIdParam },
    reply: acknowledgedReply,
    queues: true,
    check: 'server get {server_id}',
    ...notFoundHints,
  }),
};

export function serverHealthText({ health_state }: Pick<ServerRow, 'health_state'>): string {
  return healthText(health_state);
}

export const server = resource({
  list: servers.list,
  param: 'server_id',
  argument: 'server_id',
  idPattern: uidPattern,
  summary: (row) => [row.server_roles?.join(' and ') || 'no roles', serverHealthText(row)],
});

/** The flag of a command that can act on a single server. */
export const serverParam = optional({ ...server.argumentField, about: 'Only this server (UID or exact name).' });
