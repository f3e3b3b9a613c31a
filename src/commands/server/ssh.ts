import { tokenVariable } from '../../auth/token-source.ts';
import { customCommand } from '../../builders/custom-command.ts';
import type { Context, Presentation } from '../../contract/command.ts';
import { many, optional, text } from '../../contract/field.ts';
import type { Exit } from '../../contract/metadata.ts';
import { inStack } from '../../contract/params.ts';
import { CliError } from '../../errors/cli-error.ts';
import { runProgram } from '../../programs/run.ts';
import { gateways } from '../../resources/account.ts';
import { server, servers } from '../../resources/server.ts';
import { findTargets, linesToPaste, openGateway, withSshConfig } from './ssh-target.ts';

export const remoteCommand = many(
  text('Command and its arguments.'),
  'Command, after `--`; ssh joins its words with blanks.',
  { empty: 'An empty one is passed on.' },
);

const execOptions = {
  calls: [servers.list, gateways.list, gateways.update],
  confirm: { level: 'yes', act: 'Open gateway', when: 'before it opens a closed gateway' },
  wait: 'never',
} as const;

const exits: readonly Exit[] = [
  [6, 'the gateway of the server is closed; or the sandbox, which has no machines'],
  [127, 'OpenSSH is not installed'],
];

/** The lines of --dry-run. Otherwise nothing is printed: the program has printed its own output. */
export function dryLines(result: readonly unknown[] = []): Presentation {
  const lines = result.filter((one) => typeof one === 'string');
  return lines.length > 0 ? { kind: 'done', lines } : { kind: 'nothing' };
}

/** `server ssh`: runs the ssh of the system. */
export const ssh = customCommand({
  ...execOptions,
  restriction: 'server',
  moreEffects: [],
  about: 'Log in to a server with ssh, or run a command on it.',
  params: {
    stack_id: inStack,
    server: server.argumentField,
    command: optional(remoteCommand),
  },
  positionals: ['server', 'command'],
  examples: ['stackops server ssh shop-web-1 -s shop', 'stackops server ssh shop-web-1 -s shop -- uptime'],
  output: { kind: 'program' },
  exits,
  run: async (context, { command = [], ...input }) => {
    // A terminal is requested only if stdout is one; ssh checks stdin itself.
    const own = context.audience.terminal ? ['RequestTTY yes'] : [];
    return execRemote(context, input, { program: ['ssh'], own, words: (alias) => [alias, ...command] });
  },
  present: (lines) => dryLines(lines),
});

/** `server cp`: runs the scp of the system. */
export const cp = customCommand({
  ...execOptions,
  restriction: 'server',
  moreEffects: ['runs_program'],
  about: 'Copy files and folders to or from a server with scp.',
  params: {
    stack_id: inStack,
    paths: many(
      text('A path here, or SERVER:PATH.', { names: 'server path' }),
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
    const name = serverIn(paths);
    const renamed = (path: string, alias: string) =>
      path.startsWith(`${name}:`) ? `${alias}${path.slice(name.length)}` : path;
    const words = (alias: string) => paths.map((path) => renamed(path, alias));
    return execRemote(context, { stack_id, server: name }, { program: ['scp', '-r'], words });
  },
  present: (lines) => dryLines(lines),
});

/** The only server in the paths, by the rule of scp: the text before a colon, unless a slash comes first. Throws usage. */
function serverIn(paths: readonly string[]): string {
  const names = paths.map((path) => /^([^/:]+):/.exec(path)?.[1]);
  const target = names.at(-1);
  const sources = new Set(names.slice(0, -1));
  const [source] = sources;
  const isOneSided = sources.size === 1 && (source === undefined) !== (target === undefined);
  const name = source ?? target;
  if (isOneSided && name !== undefined) return name;
  throw new CliError('usage', 'one side must be SERVER:PATH, of one server', {
    hint: { path: 'server cp', flags: ['--help'] },
  });
}

/** True when the profile is protected: each of these commands asks. */
export function asksAlways({ host }: Context): boolean {
  return host.settings.get('protected').value === 'true';
}

/** Throws rejected with a sandbox, which has no machines; one that is served is known by its token. */
export function refuseMachines({ dryRun, host }: Context, program: string): void {
  const { embedded, env } = host;
  if (!dryRun && (embedded() || env[tokenVariable]?.startsWith('sandbox_')))
    throw new CliError('rejected', `the sandbox has no machines; -n prints the ${program} lines`);
}

interface ExecSpec {
  readonly program: readonly [name: string, ...flags: string[]];
  /** Settings behind those of the operator. */
  readonly own?: readonly string[];
  /** The arguments of the program, for a server as ssh calls it. */
  readonly words: (alias: string) => readonly string[];
}

async function execRemote(
  context: Context,
  { stack_id, server: name }: { readonly stack_id: string; readonly server: string },
  { program, own = [], words }: ExecSpec,
): Promise<readonly string[] | undefined> {
  refuseMachines(context, program[0]);
  const [target] = await findTargets(context, { stack_id, servers: [name] });
  if (context.dryRun) return linesToPaste(context, [target], program, words);
  if (asksAlways(context)) {
    const text = async () => `Run ${program[0]} on ${target.name}`;
    await context.confirm({ name: target.name, text, details: () => [] });
  }
  await openGateway(context, target);
  const { programs } = context.host;
  await withSshConfig([target], own, context, async (file) => {
    const commandLine = [...program, '-F', file, '--', ...words(target.alias)];
    programs.setExitCode(await runProgram({ commandLine, env: programs.env }, programs));
  });
  return undefined;
}
