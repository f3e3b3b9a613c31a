import type { Context } from '../../contract/command.ts';
import type { CommandLine } from '../../contract/command-line.ts';
import type { CommandHost } from '../../contract/host.ts';
import { isoText } from '../../contract/values/time.ts';
import { CliError } from '../../errors/cli-error.ts';
import { gateways, openUntilText } from '../../resources/gateway.ts';
import { inAccount } from '../../resources/shared.ts';
import { baseUrlOf } from '../../settings/addresses.ts';
import type { SshTarget } from './ssh-target.ts';

const hour = 3600;

/** The command that opens the gateway of a server. */
export function openGatewayCommand({ gateway }: SshTarget, host: CommandHost): CommandLine {
  const { file = 'FILE' } = gatewayKey(host);
  const flags = ['--key-file', file, '--ttl', '1h'];
  return { path: 'gateway update', operands: [gateway?.name || String(gateway?.id)], flags };
}

export function warnOfClosed(context: Context, targets: readonly SshTarget[]): void {
  for (const closed of new Set(targets.flatMap((target) => target.closed ?? []))) context.warn(closed);
}

/** At a terminal asks to open a gateway with the key of the profile. Throws rejected where it stays closed. */
export async function openGateway(context: Context, target: SshTarget): Promise<void> {
  const { name, closed, gateway } = target;
  if (closed === undefined || gateway?.id == null) return;
  const { host, ask } = context;
  const { file, fault } = gatewayKey(host);
  if (file === undefined || !ask) {
    const why = fault === undefined ? closed : `${closed}; ${fault}`;
    throw new CliError('rejected', `cannot reach ${name}: ${why}`, { hint: openGatewayCommand(target, host) });
  }
  const content = await context.readText(file);
  host.hide(content);
  const account_id = Number(await context.resolveTarget(inAccount));
  const open = openUntilText(isoText(new Date(context.now().getTime() + hour * 1000)), context.now());
  await context.confirm({
    name: String(gateway.name),
    text: async () => `Gateway ${gateway.name} is closed. ${open.replace('open', 'Open it')}`,
    details: () => [`key ${file}`, `at ${baseUrlOf(host.settings).origin}`, `account ${account_id}`],
  });
  await context.call(gateways.update, { account_id, id: gateway.id, content, ttl: hour }, { wait: true });
}

/** The key of the profile, for the address that it was set for alone. */
function gatewayKey({ settings, env }: CommandHost): { readonly file?: string; readonly fault?: string } {
  const { value } = settings.get('gateway_key');
  if (value === undefined) return {};
  const { value: bound } = settings.get('gateway_key_origin');
  const { origin } = baseUrlOf(settings);
  if (bound === undefined) return { fault: 'gateway_key is bound to no address: set it again' };
  if (bound !== origin) return { fault: `gateway_key is for ${bound}, not for ${origin}` };
  return { file: value.replace(/^~(?=\/)/, env['HOME'] ?? '~') };
}
