import { execFile, spawn } from 'node:child_process';
import { mkdirSync, readFileSync, writeFileSync } from 'node:fs';
import { createServer } from 'node:net';
import { userInfo } from 'node:os';
import { join } from 'node:path';
import { promisify } from 'node:util';
import { onTestFinished } from 'vitest';
import { watchText } from './built.ts';
import { hasProgram } from './programs.ts';
import { gateway, type Machine, serverRow, sshMachine } from './ssh.ts';
import { temporaryFolder } from './stackops.ts';

export const hasSshd = hasProgram('sshd') && hasProgram('ssh') && hasProgram('scp');

const me = userInfo().username;
/** All of them are this machine. */
const addresses = { 'web-1': '127.0.0.2', 'web-2': '127.0.0.3', 'db-1': '127.0.0.4', gateway: '127.0.0.5' };

/** Two of the web, and one behind the gateway. */
export const liveServers = [
  serverRow('web-1', { user_name: me, address: addresses['web-1'] }),
  serverRow('web-2', { user_name: me, address: addresses['web-2'] }),
  serverRow('db-1', {
    ...{ user_name: me, server_roles: ['postgresql'], int_ipv4: addresses['db-1'] },
    ...{ has_deploy_gateway: true, deploy_gateway_address: addresses.gateway, deploy_gateway_user_name: me },
  }),
];
const openGateway = { ...gateway, address: addresses.gateway, ttl: '2035-01-01T00:00:00Z' };

/** A machine whose servers are a real sshd on loopback, with keys of its own; `ssh` and `scp` are the real ones, told of them. */
export async function realMachine(servers: readonly object[] = liveServers): Promise<Machine> {
  const folder = temporaryFolder();
  const [hostKey, ownKey] = [join(folder, 'host'), join(folder, 'own')];
  for (const file of [hostKey, ownKey])
    await promisify(execFile)('ssh-keygen', ['-q', '-t', 'ed25519', '-N', '', '-f', file]);
  const port = await freePort();
  await startSshd(folder, { port, hostKey, ownKey });
  const [type, key] = readFileSync(`${hostKey}.pub`, 'utf8').split(' ');
  const known = Object.values(addresses).map((address) => `[${address}]:${port} ${type} ${key}\n`);
  writeFileSync(join(folder, 'known'), known.join(''));
  const machine = await sshMachine({ servers, gateways: [openGateway] });
  const own = [`Port=${port}`, `UserKnownHostsFile=${join(folder, 'known')}`, `IdentityFile=${ownKey}`];
  const options = [...own, 'IdentitiesOnly=yes', 'GlobalKnownHostsFile=/dev/null'].map((one) => `-o ${one}`).join(' ');
  // The jump starts the `ssh` of PATH, too.
  machine.provide('ssh', `#!/bin/bash\nexec -a ssh ${await pathOf('ssh')} ${options} "$@"\n`);
  machine.provide('scp', `#!/bin/bash\nexec ${await pathOf('scp')} -S ssh ${options} "$@"\n`);
  return machine;
}

async function pathOf(program: string): Promise<string> {
  return (await promisify(execFile)('which', [program])).stdout.trim();
}

async function freePort(): Promise<number> {
  const server = createServer();
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  const { port } = server.address() as { readonly port: number };
  await new Promise((resolve) => server.close(resolve));
  return port;
}

async function startSshd(
  folder: string,
  { port, hostKey, ownKey }: Readonly<Record<'hostKey' | 'ownKey', string>> & { readonly port: number },
) {
  const lines = [
    `Port ${port}`,
    ...Object.values(addresses).map((address) => `ListenAddress ${address}`),
    `HostKey ${hostKey}`,
    `AuthorizedKeysFile ${ownKey}.pub`,
    ...['PidFile none', 'UsePAM no', 'StrictModes no', 'PermitRootLogin yes', 'PasswordAuthentication no'],
    ...['PrintMotd no', 'MaxStartups 100', 'Subsystem sftp internal-sftp'],
    // The quickest exchange of keys, and a shell that reads no settings of this machine's user.
    ...['KexAlgorithms curve25519-sha256', `SetEnv HOME=${folder}`],
  ];
  const file = join(folder, 'sshd_config');
  writeFileSync(file, `${lines.join('\n')}\n`);
  // Where it is run by root it wants this folder, which a machine makes at its start.
  if (userInfo().uid === 0) mkdirSync('/run/sshd', { recursive: true });
  const sshd = spawn(await pathOf('sshd'), ['-D', '-e', '-f', file], { stdio: ['ignore', 'ignore', 'pipe'] });
  onTestFinished(() => void sshd.kill('SIGKILL'));
  await watchText(sshd.stderr).shows(new RegExp(`(?:Server listening on [\\s\\S]*){${Object.keys(addresses).length}}`));
}
