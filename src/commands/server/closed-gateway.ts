import type { Context } from '../../contract/command.ts';
import type { CommandLine } from '../../contract/command-line.ts';
import { isoText } from '../../contract/values/time.ts';
import { CliError } from '../../errors/cli-error.ts';
import { gateways, openUntilText } from '../../resources/gateway.ts';
import { inAccount } from '../../resources/shared.ts';
import type { Services } from '../services.ts';
import type { SshTarget } from './ssh-target.ts';

/** What opening one needs of the session. */
export type GatewayServices = Pick<Services, 'settings' | 'env' | 'ask' | 'hide'>;

const hour = 3600;

/** The command that opens the gateway of a server. */
export function openGatewayCommand({ gateway }: SshTarget, services: GatewayServices): CommandLine {
  const flags = ['--key-file', keyFile(services) ?? 'FILE', '--ttl', '1h'];
  return { path: 'gateway update', operands: [gateway?.name || String(gateway?.id)], flags };
}

/** At a terminal asks to open a gateway with the key of the profile. Throws rejected where it stays closed. */
export async function openGateway(context: Context, services: GatewayServices, target: SshTarget): Promise<void> {
  const { name, closed, gateway } = target;
  if (closed === undefined || gateway?.id == null) return;
  const file = keyFile(services);
  if (file === undefined || !services.ask) {
    throw new CliError('rejected', `cannot reach ${name}: ${closed}`, { hint: openGatewayCommand(target, services) });
  }
  const content = await context.readText(file);
  services.hide(content);
  const open = openUntilText(isoText(new Date(context.now().getTime() + hour * 1000)), context.now());
  await context.confirm({
    name: String(gateway.name),
    text: async () => `Gateway ${gateway.name} is closed. ${open.replace('open', 'Open it')}`,
    details: () => [`key ${file}`],
  });
  const account_id = Number(await context.resolveTarget(inAccount));
  await context.call(gateways.update, { account_id, id: gateway.id, content, ttl: hour }, { wait: true });
}

function keyFile({ settings, env }: GatewayServices): string | undefined {
  return settings()
    .get('gateway_key')
    .value?.replace(/^~(?=\/)/, env['HOME'] ?? '~');
}
