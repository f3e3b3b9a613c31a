import { customCommand } from '../../builders/custom-command.ts';
import { flag, group, integer, nullable, text } from '../../contract/field.ts';
import { stackParam } from '../../contract/params.ts';
import { type RecordOf, type Row, record } from '../../contract/record.ts';
import { rows } from '../../contract/reply.ts';
import { shellWord } from '../../contract/values/text.ts';
import { gateways } from '../../resources/account.ts';
import { Server, servers } from '../../resources/server.ts';
import { gatewayOf, hostBlock, readGateways, sshPrefix, sshSettings } from './ssh-target.ts';

const SshServer = record(
  'server',
  {
    ...Server.fields,
    alias: nullable(text('Name for ssh; null where its own name has other characters than letters, digits and `-`.')),
    gateway: nullable(
      group(
        {
          address: text('Address.'),
          username: text('User to connect as.'),
          id: nullable(integer('ID, where the account lists the gateway.')),
          name: nullable(text('Name, where the account lists it.')),
          is_open: nullable(flag('Whether it is open, where the account lists it.')),
        },
        'The gateway that the server says it is behind.',
      ),
    ),
    unread: nullable(text('Why the gateways of the account could not be read.')),
  },
  ['name', 'address', 'user_name', 'uid'],
  { id: 'uid' },
);
type SshServerRow = RecordOf<typeof SshServer>;

export const sshConfigCommand = customCommand({
  about: 'Print OpenSSH Host blocks for the servers of a stack.',
  params: { stack_id: stackParam },
  examples: ['stackops server ssh-config -s shop', 'stackops server ssh-config -s shop --where server_roles=web'],
  calls: [servers.list, gateways.list],
  reply: rows(SshServer),
  severalStacks: false,
  isRead: true,
  run: async (context, { stack_id }) => {
    const [serverRows, { gatewayRows, unread }] = await Promise.all([
      context.call(servers.list, { stack_id }),
      readGateways(context),
    ]);
    return serverRows.map((one): SshServerRow => {
      const isNameUnique = serverRows.filter(({ name }) => name === one.name).length === 1;
      const name = isNameUnique ? (one.name ?? '') : one.uid;
      const alias = /^[A-Za-z0-9-]+$/.test(name) ? `${sshPrefix(context, stack_id)}-${name}` : null;
      return { ...one, alias, gateway: gatewayOf(one, gatewayRows, context.now()), unread };
    });
  },
  present: (serverRows) => ({ kind: 'table', record: SshServer, rows: serverRows, text: configLines }),
});

function configLines(tableRows: readonly Row[]): readonly string[] {
  const sshRows = tableRows as readonly SshServerRow[];
  return [...new Set(sshRows.flatMap(gatewayLines)), ...sshRows.flatMap(hostLines)];
}

function gatewayLines({ gateway, unread }: SshServerRow): readonly string[] {
  if (unread) return [commentLine(`the gateways could not be read: ${unread}`)];
  if (gateway?.is_open !== false) return [];
  const command = `stackops gateway update ${shellWord(String(gateway.id))} --key-file FILE --ttl 8h`;
  return [commentLine(`gateway ${gateway.name} is closed; to open it: ${command}`)];
}

function hostLines(row: SshServerRow): readonly string[] {
  const { uid, name, alias, gateway } = row;
  const leaveOut = (why: string) => [commentLine(`server ${name || uid} left out: ${why}`)];
  if (alias === null) return leaveOut('a name for ssh has letters, digits and "-" only');
  const settings = sshSettings(row, gateway);
  return typeof settings === 'string' ? leaveOut(settings) : hostBlock(alias, settings);
}

function commentLine(text: string): string {
  return `# ${text.replaceAll(/[\p{C}\p{Zl}\p{Zp}]/gu, '')}`;
}
