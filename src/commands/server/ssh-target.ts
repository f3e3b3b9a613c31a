import { findAmong, readAll } from '../../builders/resource/find.ts';
import type { Context } from '../../contract/command.ts';
import { wordQuoter } from '../../contract/values/text.ts';
import { CliError } from '../../errors/cli-error.ts';
import { withTemporaryFile } from '../../files/temporary-file.ts';
import { Server, type ServerRow, server } from '../../resources/server.ts';
import { gatewayOf, hostBlock, readGateways, type SshGateway, sshPrefix, sshSettings, unfitText } from './ssh-host.ts';

export type SshTarget = Exclude<ReturnType<typeof targetOf>, string>;

/**
 * The servers that are named, else all that --where keeps; one that ssh cannot be told of is left out with a warning. Throws
 * not_found where none is left, and rejected for one that was named. The gateways are read only where a server is behind one.
 */
export async function findTargets(
  context: Context,
  input: { readonly stack_id: string; readonly servers?: readonly string[] },
): Promise<readonly [SshTarget, ...SshTarget[]]> {
  const { stack_id, servers: names } = input;
  const all = await readAll(context, server, input);
  const named = names ? [...new Set(names.map((name) => findAmong(server, all, name, input)))] : all;
  const rows = context.matching(named, Server.fields);
  const isBehind = rows.some((row) => gatewayOf(row, [], context.now()));
  const { known } = isBehind ? await readGateways(context) : { known: [] };
  const unfit: string[] = [];
  const [first, ...others] = rows.flatMap((row) => {
    const isAlone = rows.filter(({ name }) => name === row.name).length === 1;
    // The UID of one whose name others have too.
    const name = (isAlone && row.name) || row.uid;
    const target = targetOf(row, sshPrefix(context, stack_id), name, gatewayOf(row, known, context.now()));
    if (typeof target !== 'string') return [target];
    const shown = context.quote(name);
    unfit.push(`server ${shown} cannot be reached: ${target}`);
    return [];
  });
  const [wrong] = unfit;
  if (wrong !== undefined && (names || !first)) throw new CliError('rejected', wrong);
  for (const line of unfit) context.warn(line);
  if (first) return [first, ...others];
  throw new CliError('not_found', 'no server matches', { hint: { path: 'server list', stack_id } });
}

/**
 * The parameters of a server for ssh, or why it has none. `closed`: the reason why it cannot be reached.
 */
function targetOf(row: ServerRow, stack: string, name: string, gateway: SshGateway | null) {
  // `Host` blocks of the operator for the names of `server ssh-config` apply to it.
  const alias = `${stack}-${name}`;
  const closed = gateway?.is_open === false ? `gateway ${gateway.name} is closed` : undefined;
  const settings = [name, alias].every((one) => /^\w[\w.-]*$/.test(one))
    ? sshSettings(row, gateway)
    : unfitText('name');
  return typeof settings === 'string' ? settings : { name, alias, settings, gateway, closed };
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

/** The ssh command without a configuration file, as a line to paste. */
export function sshLine(
  { host: { platform } }: Context,
  program: readonly string[],
  { settings }: SshTarget,
  words: readonly string[],
): string {
  const options = settings.flatMap(([key, value]) => ['-o', `${key}=${value}`]);
  return [...program, ...options, '--', ...words].map(wordQuoter(platform)).join(' ');
}
