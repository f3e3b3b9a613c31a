import { tokenVariable } from '../../auth/token-source.ts';
import { customCommand } from '../../builders/custom-command.ts';
import type { Context, Presentation } from '../../contract/command.ts';
import { many, optional, text } from '../../contract/field.ts';
import type { ExitMeaning } from '../../contract/metadata.ts';
import { stackParam } from '../../contract/params.ts';
import { CliError } from '../../errors/cli-error.ts';
import { runProgram } from '../../programs/run.ts';
import { gateways } from '../../resources/account.ts';
import { server, servers } from '../../resources/server.ts';
import { findTargets, linesToPaste, openGateway, withSshConfig } from './ssh-target.ts';

export const commandParam = many(
  text('Command and its arguments.'),
  'Command, after `--`; ssh joins its words with blanks.',
  { empty: 'An empty one is passed on.' },
);

const execDeclaration = {
  calls: [servers.list, gateways.list, gateways.update],
  confirm: { level: 'yes', act: 'Open gateway', when: 'before it opens a closed gateway' },
  wait: 'never',
  restriction: 'server',
} as const;

const exits: readonly ExitMeaning[] = [
  [6, 'the gateway of the server is closed; or the sandbox, which has no machines'],
  [127, 'OpenSSH is not installed'],
];

/** Presents the lines of --dry-run. Without lines prints nothing, because the program has printed its own output. */
export function presentDryRunLines(result: readonly unknown[] = []): Presentation {
  const lines = result.filter((one) => typeof one === 'string');
  return lines.length > 0 ? { kind: 'done', lines } : { kind: 'nothing' };
}

export const sshCommand = customCommand({
  ...execDeclaration,
  about: 'Log in to a server with ssh, or run a command on it.',
  params: { stack_id: stackParam, server: server.argumentField, command: optional(commandParam) },
  positionals: ['server', 'command'],
  examples: ['stackops server ssh shop-web-1 -s shop', 'stackops server ssh shop-web-1 -s shop -- uptime'],
  output: { kind: 'program' },
  exits,
  run: async (context, { command = [], ...input }) => {
    // A terminal is requested only if stdout is a terminal; ssh itself checks stdin.
    const defaults = context.audience.terminal ? ['RequestTTY yes'] : [];
    return execRemote(context, { ...input, program: ['ssh'], defaults, argumentsFor: (alias) => [alias, ...command] });
  },
  present: (lines) => presentDryRunLines(lines),
});

export const cpCommand = customCommand({
  ...execDeclaration,
  moreEffects: ['runs_program'],
  about: 'Copy files and folders to or from a server with scp.',
  params: {
    stack_id: stackParam,
    paths: many(
      text('A path here, or SERVER:PATH.', { nameKind: 'server path' }),
      'What to copy, then the target; one side is SERVER:PATH.',
      { label: 'path' },
    ),
  },
  positionals: ['paths'],
  examples: [
    'stackops server cp shop-web-1:/var/log/syslog . -s shop',
    'stackops server cp release.tar.gz notes.txt shop-web-1:/tmp -s shop',
  ],
  output: { kind: 'text' },
  exits: [...exits, [3, 'not found or ambiguous: stack, server'], [null, 'the exit code of scp']],
  run: async (context, { stack_id, paths }) => {
    const name = findServerName(paths);
    const argumentsFor = (alias: string) =>
      paths.map((path) => (path.startsWith(`${name}:`) ? `${alias}${path.slice(name.length)}` : path));
    return execRemote(context, { stack_id, server: name, program: ['scp', '-r'], argumentsFor });
  },
  present: (lines) => presentDryRunLines(lines),
});

/** As in scp, a server is a text without a slash before a colon. Throws `usage` unless one side names one server. */
function findServerName(paths: readonly string[]): string {
  const names = paths.map((path) => /^([^/:]+):/.exec(path)?.[1]);
  const targetServer = names.at(-1);
  const sourceServers = new Set(names.slice(0, -1));
  const [sourceServer] = sourceServers;
  const isOneSided = sourceServers.size === 1 && (sourceServer === undefined) !== (targetServer === undefined);
  const name = sourceServer ?? targetServer;
  if (isOneSided && name !== undefined) return name;
  throw new CliError('usage', 'one side must be SERVER:PATH, of one server', {
    hint: { path: 'server cp', flags: ['--help'] },
  });
}

export function isProfileProtected({ host }: Context): boolean {
  return host.settings.get('protected').value === 'true';
}

/** Throws `rejected` for a sandbox unless -n is set: it has no machines. The token shows a served sandbox. */
export function refuseSandboxMachines({ dryRun, host }: Context, program: string): void {
  const { embedded, env } = host;
  if (!dryRun && (embedded() || env[tokenVariable]?.startsWith('sandbox_')))
    throw new CliError('rejected', `the sandbox has no machines; -n prints the ${program} lines`);
}

interface RemoteProgram {
  readonly stack_id: string;
  /** The UID or the name of the server. */
  readonly server: string;
  readonly program: readonly [name: string, ...flags: string[]];
  /** ssh settings that apply unless the user has set them. */
  readonly defaults?: readonly string[];
  /** Returns the arguments of the program. `alias` is the name of the server in ssh. */
  readonly argumentsFor: (alias: string) => readonly string[];
}

async function execRemote(context: Context, remoteProgram: RemoteProgram): Promise<readonly string[] | undefined> {
  const { stack_id, server: name, program, defaults = [], argumentsFor } = remoteProgram;
  refuseSandboxMachines(context, program[0]);
  const [target] = await findTargets(context, stack_id, [name]);
  if (context.dryRun) return linesToPaste(context, [target], program, argumentsFor);
  if (isProfileProtected(context)) {
    const makeText = async () => `Run ${program[0]} on ${target.name}`;
    await context.confirm({ name: target.name, text: makeText, details: () => [] });
  }
  await openGateway(context, target);
  const { programs } = context.host;
  await withSshConfig([target], defaults, context, async (file) => {
    const commandLine = [...program, '-F', file, '--', ...argumentsFor(target.alias)];
    programs.setExitCode(await runProgram({ commandLine, env: programs.env }, programs));
  });
  return undefined;
}
