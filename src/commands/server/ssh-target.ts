import type { Context } from '../../contract/command.ts';
import { wordQuoter } from '../../contract/values/shell-word.ts';
import { withTemporaryFile } from '../../files/temporary-file.ts';
import type { ServerRow } from '../../resources/server.ts';
import type { Services } from '../services.ts';
import { gatewayOf, hostBlock, readGateways, type SshGateway, type SshSettings, sshSettings } from './ssh-host.ts';

export interface SshTarget {
  /** What the operator calls it; the UID of one whose name others have too. */
  readonly name: string;
  /** What ssh calls it, so that `Host` blocks of the operator for the names of `server ssh-config` apply. */
  readonly alias: string;
  readonly settings: SshSettings;
  readonly gateway: SshGateway | null;
}

/** Servers of a stack as ssh can be told of them, or why one cannot be. The gateways are read only where a server is behind one. */
export async function sshTargets(
  context: Context,
  stack: string,
  servers: readonly ServerRow[],
): Promise<readonly (SshTarget | { readonly unfit: string })[]> {
  const isBehind = servers.some((server) => gatewayOf(server, [], context.now()));
  const { known } = isBehind ? await readGateways(context) : { known: [] };
  return servers.map((server) => {
    const isAlone = servers.filter(({ name }) => name === server.name).length === 1;
    const name = (isAlone && server.name) || server.uid;
    const gateway = gatewayOf(server, known, context.now());
    const alias = `${stack}-${name}`;
    const settings = sshSettings(server, gateway);
    const wrong = [name, alias].every((one) => /^\w[\w.-]*$/.test(one)) ? settings : 'name';
    if (typeof wrong === 'string')
      return {
        unfit: `server ${context.quote(name)} cannot be reached: its ${wrong} has characters that ssh could misread`,
      };
    return { name, alias, settings: wrong, gateway };
  });
}

/**
 * Does some work with a configuration that only we can read and that is gone afterwards. With `-F` ssh reads no other, so
 * it includes those of the operator and of the machine; of each setting the first value counts.
 */
export function withSshConfig<Value>(
  targets: readonly SshTarget[],
  own: readonly string[],
  { warn }: Pick<Context, 'warn'>,
  work: (file: string) => Promise<Value>,
): Promise<Value> {
  const lines = [
    ...targets.flatMap(({ alias, settings }) => hostBlock(alias, settings)),
    'Match all',
    '  Include ~/.ssh/config /etc/ssh/ssh_config',
    ...own.map((line) => `  ${line}`),
  ];
  return withTemporaryFile(
    'ssh_config',
    ({ path, write }) => {
      write(`${lines.join('\n')}\n`);
      return work(path);
    },
    warn,
  );
}

/** The same without a configuration, as a line to paste. */
export function sshLine(
  { platform }: Pick<Services, 'platform'>,
  program: readonly string[],
  { settings }: SshTarget,
  words: readonly string[],
): string {
  const options = settings.flatMap(([key, value]) => ['-o', `${key}=${value}`]);
  return [...program, ...options, '--', ...words].map(wordQuoter(platform)).join(' ');
}
