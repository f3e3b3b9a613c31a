import { findAmong, readAll } from '../../builders/resource/find.ts';
import type { Context } from '../../contract/command.ts';
import type { CommandLine } from '../../contract/command-line.ts';
import type { CommandHost } from '../../contract/host.ts';
import { accountParam } from '../../contract/params.ts';
import type { RecordOf } from '../../contract/record.ts';
import { wordQuoter } from '../../contract/values/text.ts';
import { isoText } from '../../contract/values/time.ts';
import { CliError } from '../../errors/cli-error.ts';
import { type TemporaryFile, withTemporaryFile } from '../../files/temporary-file.ts';
import { type Gateway, gateways, isGatewayOpen, openUntilText } from '../../resources/account.ts';
import { Server, type ServerRow, server } from '../../resources/server.ts';
import { baseUrlOf } from '../../settings/settings.ts';

export type SshTarget = Exclude<ReturnType<typeof targetOf>, string>;
type SshTargets = readonly [SshTarget, ...SshTarget[]];

/**
 * Returns the servers that match --where, of the named servers or of all. A server that ssh cannot reach is left out
 * with a warning. Throws `rejected` if such a server was named or no server is left, and `not_found` if no server
 * matches. Gateways are read only if a server is behind a gateway.
 */
export async function findTargets(context: Context, stack_id: string, names?: readonly string[]): Promise<SshTargets> {
  const serverRows = await readAll(context, server, { stack_id });
  const findRow = (name: string) => findAmong(server, serverRows, name, { stack_id });
  const chosenRows = names ? [...new Set(names.map(findRow))] : serverRows;
  const rows = await context.matching(chosenRows, Server.fields);
  const needsGateways = rows.some((row) => gatewayOf(row, [], context.now()));
  const { gatewayRows } = needsGateways ? await readGateways(context) : { gatewayRows: [] };
  const faults: string[] = [];
  const [first, ...otherTargets] = rows.flatMap((row) => {
    const isNameUnique = rows.filter(({ name }) => name === row.name).length === 1;
    const name = (isNameUnique && row.name) || row.uid;
    const target = targetOf(row, sshPrefix(context, stack_id), name, gatewayOf(row, gatewayRows, context.now()));
    if (typeof target !== 'string') return [target];
    faults.push(`server ${context.quote(name)} cannot be reached: ${target}`);
    return [];
  });
  const [fault] = faults;
  if (fault !== undefined && (names || !first)) throw new CliError('rejected', fault);
  for (const line of faults) context.warn(line);
  if (first) return [first, ...otherTargets];
  throw new CliError('not_found', 'no server matches', { hint: { path: 'server list', stack_id } });
}

/** Returns what ssh needs for a server, or why ssh cannot use it. `closedReason` tells of a closed gateway. */
function targetOf(row: ServerRow, stack: string, name: string, gateway: SshGateway | null) {
  // `server ssh-config` prints the same alias, so the user's `Host` blocks for this alias apply.
  const alias = `${stack}-${name}`;
  const closedReason = gateway?.is_open === false ? `gateway ${gateway.name} is closed` : undefined;
  const areNamesSafe = [name, alias].every((one) => /^\w[\w.-]*$/.test(one));
  const settings = areNamesSafe ? sshSettings(row, gateway) : unfitText('name');
  return typeof settings === 'string' ? settings : { name, alias, settings, gateway, closedReason };
}

/**
 * Runs `work` with a private, temporary configuration file. With `-F` ssh reads no other file, so this file includes
 * the files of the user and of the machine. Of several values of a setting the first counts, so `defaults` come last.
 */
export function withSshConfig<Value>(
  targets: readonly SshTarget[],
  defaults: readonly string[],
  { warn }: Pick<Context, 'warn'>,
  work: (file: string) => Promise<Value>,
): Promise<Value> {
  const lines = [
    ...targets.flatMap(({ alias, settings }) => hostBlock(alias, settings)),
    'Match all',
    '  Include ~/.ssh/config /etc/ssh/ssh_config',
    ...defaults.map((line) => `  ${line}`),
  ];
  const workWithConfig = ({ path, write }: TemporaryFile) => {
    write(`${lines.join('\n')}\n`);
    return work(path);
  };
  return withTemporaryFile('ssh_config', workWithConfig, warn);
}

/** Returns the command for each server as a line to paste, with options for all settings. Warns of closed gateways. */
export function linesToPaste(
  { host, warn }: Context,
  targets: readonly SshTarget[],
  program: readonly string[],
  argumentsFor: (alias: string) => readonly string[],
): readonly string[] {
  for (const closedReason of new Set(targets.flatMap((target) => target.closedReason ?? []))) warn(closedReason);
  return targets.map(({ alias, settings }) => {
    const options = settings.flatMap(([key, value]) => ['-o', `${key}=${value}`]);
    return [...program, ...options, '--', ...argumentsFor(alias)].map(wordQuoter(host.platform)).join(' ');
  });
}

type SshGateway = NonNullable<ReturnType<typeof gatewayOf>>;

/** Reads the gateways of the account. Servers can be reached without them, so a failure is only a warning. */
export async function readGateways(context: Context) {
  try {
    const account_id = Number(await context.resolveTarget(accountParam));
    return { gatewayRows: await context.call(gateways.list, { account_id }), unread: null };
  } catch (error) {
    if (!(error instanceof CliError) || error.kind === 'interrupted') throw error;
    context.warn(`the gateways could not be read: ${error.message}`);
    return { gatewayRows: [], unread: error.message };
  }
}

/** Returns the gateway that the record of a server names, with details from the list; null if it names none. */
export function gatewayOf(server: ServerRow, gatewayRows: readonly RecordOf<typeof Gateway>[], now: Date) {
  const { has_deploy_gateway, deploy_gateway_address: address, deploy_gateway_user_name } = server;
  if (!has_deploy_gateway || !address) return null;
  const listedGateway = gatewayRows.find((one) => one.address === address);
  const { id = null, name = null, username = '' } = listedGateway ?? {};
  const is_open = listedGateway === undefined ? null : isGatewayOpen(listedGateway, now);
  return { address, username: deploy_gateway_user_name || username, id, name, is_open };
}

export function sshPrefix({ host }: Context, stack_id: string): string {
  const words = host.stackName(stack_id).match(/[A-Za-z0-9]+/g);
  return words?.join('-') ?? stack_id;
}

/** Match values that ssh cannot misread: no line feeds, spaces or patterns. `ProxyJump none` would mean no jump. */
const safeValuePatterns = {
  HostName: /^[\w:][\w.:-]*$/,
  ProxyJump: /^(?!none$)(\w[\w.-]*@)?(\w[\w.-]*|\[[\da-f:.]+\])$/i,
  User: /^\w[\w.-]*$/,
};

type SshSettings = readonly (readonly [key: string, value: string])[];

/** Returns the ssh settings of a server, or why there are none. Behind a gateway the private address is used. */
export function sshSettings(server: ServerRow, gateway: SshGateway | null): SshSettings | string {
  const { address, int_ipv4, user_name } = server;
  const settings = {
    HostName: (gateway && int_ipv4) || address || '',
    ...(gateway && { ProxyJump: jumpText(gateway) }),
    ...(user_name && { User: user_name }),
  };
  if (settings.HostName === '') return 'it has no address';
  const entries = Object.entries(settings) as [keyof typeof safeValuePatterns, string][];
  const [unfitKey] = entries.find(([key, value]) => !safeValuePatterns[key].test(value)) ?? [];
  return unfitKey === undefined ? entries : unfitText(unfitKey);
}

function unfitText(key: string): string {
  return `its ${key} has characters that ssh could misread`;
}

function jumpText({ address, username }: SshGateway): string {
  const host = address.includes(':') ? `[${address}]` : address;
  return username ? `${username}@${host}` : host;
}

export function hostBlock(alias: string, settings: SshSettings): readonly string[] {
  return [`Host ${alias}`, ...settings.map(([key, value]) => `  ${key} ${value}`)];
}

const hourSeconds = 3600;

/** Returns the command that opens the gateway with the key of the profile; without a key the help of this command. */
export function openGatewayCommand({ gateway }: SshTarget, host: CommandHost): CommandLine {
  const { file } = gatewayKey(host);
  if (file === undefined) return { path: 'gateway update', flags: ['--help'] };
  const flags = ['--key-file', file, '--ttl', '1h'];
  return { path: 'gateway update', operands: [gateway?.name || String(gateway?.id)], flags };
}

/** Asks and opens a closed gateway with the key of the profile. Throws `rejected` without a key or a terminal. */
export async function openGateway(context: Context, target: SshTarget): Promise<void> {
  const { name, closedReason, gateway } = target;
  if (closedReason === undefined || gateway?.id == null) return;
  const { host, ask } = context;
  const { file, fault } = gatewayKey(host);
  if (file === undefined || !ask) {
    const why = fault === undefined ? closedReason : `${closedReason}; ${fault}`;
    throw new CliError('rejected', `cannot reach ${name}: ${why}`, { hint: openGatewayCommand(target, host) });
  }
  const content = await context.readText(file);
  host.hide(content);
  const account_id = Number(await context.resolveTarget(accountParam));
  const openText = openUntilText(isoText(new Date(context.now().getTime() + hourSeconds * 1000)), context.now());
  await context.confirm({
    name: String(gateway.name),
    text: async () => `Gateway ${gateway.name} is closed. ${openText.replace('open', 'Open it')}`,
    details: () => [`key ${file}`, `at ${baseUrlOf(host.settings).origin}`, `account ${account_id}`],
  });
  await context.call(gateways.update, { account_id, id: gateway.id, content, ttl: hourSeconds }, { wait: true });
}

/** Returns the key file of the gateway, or a fault if the key is not for this address. Without a key neither is set. */
function gatewayKey({ settings, env }: CommandHost): { readonly file?: string; readonly fault?: string } {
  const { value } = settings.get('gateway_key');
  if (value === undefined) return {};
  const { value: boundOrigin } = settings.get('gateway_key_origin');
  const { origin } = baseUrlOf(settings);
  if (boundOrigin === undefined) return { fault: 'gateway_key is bound to no address: set it again' };
  if (boundOrigin !== origin) return { fault: `gateway_key is for ${boundOrigin}, not for ${origin}` };
  return { file: value.replace(/^~(?=\/)/, env['HOME'] ?? '~') };
}
