import type { Context } from '../../contract/command.ts';
import type { RecordOf } from '../../contract/record.ts';
import { CliError } from '../../errors/cli-error.ts';
import { type Gateway, gateways, isGatewayOpen } from '../../resources/gateway.ts';
import type { ServerRow } from '../../resources/server.ts';
import { inAccount } from '../../resources/shared.ts';

export type SshGateway = NonNullable<ReturnType<typeof gatewayOf>>;

/** The gateways only add names and whether they are open, so that a server can be reached without their list. */
export async function readGateways(context: Context) {
  try {
    const account_id = Number(await context.resolveTarget(inAccount));
    return { known: await context.call(gateways.list, { account_id }), unread: null };
  } catch (error) {
    if (!(error instanceof CliError) || error.kind === 'interrupted') throw error;
    context.warn(`the gateways could not be read: ${error.message}`);
    return { known: [], unread: error.message };
  }
}

/** The gateway that a server says it is behind; null is what only the list of gateways tells. */
export function gatewayOf(server: ServerRow, known: readonly RecordOf<typeof Gateway>[], now: Date) {
  const { has_deploy_gateway, deploy_gateway_address: address, deploy_gateway_user_name } = server;
  if (!has_deploy_gateway || !address) return null;
  const listed = known.find((one) => one.address === address);
  const { id, name, username = '' } = listed ?? {};
  const is_open = listed === undefined ? null : isGatewayOpen(listed, now);
  return { address, username: deploy_gateway_user_name || username, id: id ?? null, name: name ?? null, is_open };
}

/** The prefix of the server names of a stack for ssh. */
export function sshPrefix({ host }: Context, stack_id: string): string {
  return (
    host
      .stackName(stack_id)
      .match(/[A-Za-z0-9]+/g)
      ?.join('-') ?? stack_id
  );
}

/** A line feed, a space or a pattern in one of them could change what ssh does. `ProxyJump none` would mean no jump. */
const harmless = {
  HostName: /^[\w:][\w.:-]*$/,
  ProxyJump: /^(?!none$)(\w[\w.-]*@)?(\w[\w.-]*|\[[\da-f:.]+\])$/i,
  User: /^\w[\w.-]*$/,
};

export type SshSettings = readonly (readonly [key: string, value: string])[];

/** The settings of a server, or why it has none. Behind a gateway a server is reached at its private address. */
export function sshSettings(
  { address, int_ipv4, user_name }: ServerRow,
  gateway: SshGateway | null,
): SshSettings | string {
  const settings = {
    HostName: (gateway && int_ipv4) || address || '',
    ...(gateway && { ProxyJump: jumpTo(gateway) }),
    ...(user_name && { User: user_name }),
  };
  if (settings.HostName === '') return 'it has no address';
  const entries = Object.entries(settings) as [keyof typeof harmless, string][];
  const [wrong] = entries.find(([key, value]) => !harmless[key].test(value)) ?? [];
  return wrong === undefined ? entries : unfitText(wrong);
}

export function unfitText(key: string): string {
  return `its ${key} has characters that ssh could misread`;
}

function jumpTo({ address, username }: SshGateway): string {
  const host = address.includes(':') ? `[${address}]` : address;
  return username ? `${username}@${host}` : host;
}

export function hostBlock(alias: string, settings: SshSettings): readonly string[] {
  return [`Host ${alias}`, ...settings.map(([key, value]) => `  ${key} ${value}`)];
}
