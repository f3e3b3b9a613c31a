import type { Context } from '../../contract/command.ts';
import { flag, group, integer, nullable, text } from '../../contract/field.ts';
import { type RecordOf, type Row, record } from '../../contract/record.ts';
import { rows } from '../../contract/reply.ts';
import { shellWord } from '../../contract/values/shell-word.ts';
import { script } from '../../kinds/script.ts';
import type { Problem } from '../../problems/problem.ts';
import { type Gateway, gateways, isGatewayOpen } from '../../resources/gateway.ts';
import { Server, type ServerRow, servers } from '../../resources/server.ts';
import { inAccount, inStack } from '../../resources/shared.ts';
import { sectionReader } from '../section-reader.ts';
import type { Services } from '../services.ts';

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
type GatewayRow = RecordOf<typeof Gateway>;

/** `server ssh-config`: text to include in an OpenSSH configuration. */
export const sshConfig = ({ stackName }: Pick<Services, 'stackName'>) =>
  script({
    about: 'Print OpenSSH Host blocks for the servers of a stack.',
    params: { stack_id: inStack },
    examples: ['stackops server ssh-config -s shop', 'stackops server ssh-config -s shop --where server_roles=web'],
    calls: [servers.list, gateways.list],
    reply: rows(SshServer),
    severalStacks: false,
    isRead: true,
    run: async (context, { stack_id }) => {
      const [found, { known, unread }] = await Promise.all([
        context.call(servers.list, { stack_id }),
        readGateways(context),
      ]);
      if (unread !== null) context.warn(`the gateways could not be read: ${unread}`);
      const stack =
        stackName(stack_id)
          .match(/[A-Za-z0-9]+/g)
          ?.join('-') ?? stack_id;
      return found.map((one): SshServerRow => {
        const alias = /^[A-Za-z0-9-]+$/.test(one.name ?? '') ? `${stack}-${one.name}` : null;
        return { ...one, alias, gateway: gatewayOf(one, known, context.now()), unread };
      });
    },
    present: (found) => ({ kind: 'table', record: SshServer, rows: found, text: configLines }),
  });

/** The gateways only add names and whether they are open, so that what is printed does not depend on them. */
async function readGateways(context: Context) {
  const errors = new Map<'gateways', Problem>();
  const known = await sectionReader(errors)('gateways', async () =>
    context.call(gateways.list, { account_id: Number(await context.place(inAccount)) }),
  );
  return { known: known ?? [], unread: errors.get('gateways')?.message ?? null };
}

function gatewayOf(server: ServerRow, known: readonly GatewayRow[], now: Date): SshServerRow['gateway'] {
  const { has_deploy_gateway, deploy_gateway_address: address, deploy_gateway_user_name } = server;
  if (!has_deploy_gateway || !address) return null;
  const { id, name, username = '', ttl } = known.find((one) => one.address === address) ?? {};
  const is_open = id === undefined ? null : isGatewayOpen(ttl, now);
  return { address, username: deploy_gateway_user_name || username, id: id ?? null, name: name ?? null, is_open };
}

function configLines(found: readonly Row[]): readonly string[] {
  const all = found as readonly SshServerRow[];
  const unread = all.flatMap(({ unread }) => unread ?? []).map((why) => `the gateways could not be read: ${why}`);
  const comments = new Set([...unread.map(comment), ...all.flatMap(closedLines)]);
  return [...comments, ...all.flatMap(hostLines)];
}

function closedLines({ gateway }: SshServerRow): readonly string[] {
  if (gateway?.is_open !== false) return [];
  const command = `stackops gateway update ${shellWord(String(gateway.id))} --key-file FILE --ttl 8h`;
  return [comment(`gateway ${gateway.name} is closed; to open it: ${command}`)];
}

/** A line feed, a space or a pattern in one of them could change what ssh does. `ProxyJump none` would mean no jump. */
const harmless = {
  HostName: /^[\w:][\w.:-]*$/,
  ProxyJump: /^(?!none$)(\w[\w.-]*@)?(\w[\w.-]*|\[[\da-f:.]+\])$/i,
  User: /^\w[\w.-]*$/,
};

/** Behind a gateway a server is reached at its private address. */
function hostLines({ uid, name, alias, address, int_ipv4, user_name, gateway }: SshServerRow): readonly string[] {
  const leftOut = (why: string) => [comment(`server ${name || uid} left out: ${why}`)];
  if (alias === null) return leftOut('a name for ssh has letters, digits and "-" only');
  const settings = {
    HostName: (gateway && int_ipv4) || address || '',
    ...(gateway && { ProxyJump: jumpTo(gateway) }),
    ...(user_name && { User: user_name }),
  };
  const entries = Object.entries(settings) as [keyof typeof harmless, string][];
  const wrong = entries.find(([key, value]) => !harmless[key].test(value));
  if (wrong) return leftOut(`its ${wrong[0]} cannot stand in a configuration`);
  return [`Host ${alias}`, ...entries.map(([key, value]) => `  ${key} ${value}`)];
}

function jumpTo({ address, username }: NonNullable<SshServerRow['gateway']>): string {
  const host = address.includes(':') ? `[${address}]` : address;
  return username ? `${username}@${host}` : host;
}

/** Ends where its line ends. */
function comment(text: string): string {
  return `# ${text.replaceAll(/[\p{C}\p{Zl}\p{Zp}]/gu, '')}`;
}
