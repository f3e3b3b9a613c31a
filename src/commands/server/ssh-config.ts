import { flag, group, integer, nullable, text } from '../../contract/field.ts';
import { type RecordOf, type Row, record } from '../../contract/record.ts';
import { rows } from '../../contract/reply.ts';
import { script } from '../../kinds/script.ts';
import { gateways, isGatewayOpen } from '../../resources/gateway.ts';
import { Server, servers } from '../../resources/server.ts';
import { inAccount, inStack } from '../../resources/shared.ts';

const SshServer = record(
  'server',
  {
    ...Server.fields,
    gateway: nullable(
      group(
        {
          id: integer('ID of the gateway.'),
          name: text('Name.'),
          address: text('Public address.'),
          username: text('User to connect as.'),
          is_open: flag('Whether it is open.'),
        },
        'The first open gateway, else the first one.',
      ),
    ),
  },
  ['name', 'address', 'user_name', 'uid'],
  { id: 'uid' },
);
type SshServerRow = RecordOf<typeof SshServer>;

/** `server ssh-config`: text to include in an OpenSSH configuration. */
export const sshConfig = script({
  about: 'Print OpenSSH Host blocks for the servers of a stack.',
  params: { stack_id: inStack, account_id: inAccount },
  examples: ['stackops server ssh-config -s shop', 'stackops server ssh-config -s shop --where server_roles=web'],
  calls: [servers.list, gateways.list],
  reply: rows(SshServer),
  severalStacks: false,
  isRead: true,
  run: async (context, { stack_id, account_id }) => {
    const [found, known] = await Promise.all([
      context.call(servers.list, { stack_id }),
      context.call(gateways.list, { account_id }),
    ]);
    const all = known.map(({ id, name, address, username, ttl }) => {
      return { id, name, address, username, is_open: isGatewayOpen(ttl, context.now()) };
    });
    const gateway = all.find(({ is_open }) => is_open) ?? all[0] ?? null;
    return found.map((one): SshServerRow => ({ ...one, gateway }));
  },
  present: (found) => ({ kind: 'table', record: SshServer, rows: found, text: configLines }),
});

function configLines(found: readonly Row[]): readonly string[] {
  const all = found as readonly SshServerRow[];
  const gateway = all[0]?.gateway;
  return [...(gateway ? gatewayLines(gateway) : []), ...all.flatMap(serverLines)];
}

function gatewayLines(gateway: NonNullable<SshServerRow['gateway']>): readonly string[] {
  const { id, name, address, username, is_open } = gateway;
  if (is_open) return hostBlock({ Host: name, HostName: address, User: username });
  const command = `stackops gateway update ${id} --key-file FILE --ttl 8h`;
  return [`# gateway ${safeName(name)} is closed; to open it: ${command}`];
}

/** Behind an open gateway a server is reached at its private address. */
function serverLines({ name, address, int_ipv4, user_name, gateway }: SshServerRow): readonly string[] {
  if (!gateway?.is_open) return hostBlock({ Host: name, HostName: address, User: user_name });
  const user = user_name || gateway.username;
  return hostBlock({ Host: name, HostName: int_ipv4 || address, User: user, ProxyJump: gateway.name });
}

/**
 * A line feed, a space or a pattern in one of the values could change what ssh does, so such a host is left out. A value
 * the service does not send is, too, except for the user.
 */
function hostBlock({ User, ...needed }: Readonly<Record<string, string | undefined>>): readonly string[] {
  const values = Object.entries({ ...needed, ...(User && { User }) });
  const wrong = values.find(([, value]) => value !== safeName(value));
  if (wrong) return [`# host ${safeName(needed['Host'])} left out: its ${wrong[0]} cannot stand in a configuration`];
  const [, ...settings] = values.map(([key, value]) => `  ${key} ${value}`);
  return [`Host ${needed['Host']}`, ...settings];
}

/** What may stand in a configuration: letters, digits and `.-_:`, not with a dash in front. */
function safeName(value: string | undefined): string {
  return (value ?? '').replace(/^-+|[^\w.:-]/g, '') || '?';
}
