import { customCommand } from '../../builders/custom-command.ts';
import type { Context } from '../../contract/command.ts';
import type { CommandLine } from '../../contract/command-line.ts';
import { flag, group, integer, many, nullable, optional, text, type Values } from '../../contract/field.ts';
import type { CommandHost } from '../../contract/host.ts';
import { stackParam } from '../../contract/params.ts';
import { record } from '../../contract/record.ts';
import { rows } from '../../contract/reply.ts';
import { oneLine } from '../../contract/values/text.ts';
import { durationMs } from '../../contract/values/time.ts';
import { CliError } from '../../errors/cli-error.ts';
import { gateways } from '../../resources/account.ts';
import { Server, servers } from '../../resources/server.ts';
import type { ServerOutcome } from './run-each.ts';
import { commandParam, isProfileProtected, presentDryRunLines, refuseSandboxMachines } from './ssh.ts';
import { findTargets, linesToPaste, openGatewayCommand, type SshTarget, withSshConfig } from './ssh-target.ts';

const ServerRun = record(
  'server',
  {
    server: text('Name of the server.'),
    exit_code: nullable(integer('Exit code of the command; null where it was not run to its end.')),
    signal: nullable(text('Signal that ended ssh on this machine.')),
    stdout: nullable(text('What it printed, up to 1 MiB; null where that is binary.')),
    stderr: nullable(text('The same of stderr.')),
    stdout_base64: optional(text('What it printed where that is binary.')),
    stderr_base64: optional(text('The same of stderr.')),
    truncated: flag('Whether it printed more.'),
    error: nullable(group({ code: text('Code.'), message: text('Message.') }, 'Why it was not run to its end.')),
    duration_ms: integer('How long it took, in milliseconds.'),
  },
  ['server', 'exit_code', 'signal', 'duration_ms', 'error'],
  { id: 'server' },
);

const serverField = text('UID or exact name of a server.', { nameKind: 'server' });

const params = {
  stack_id: stackParam,
  servers: optional(many(serverField, 'Servers (default: all that --where keeps).', { label: 'server' })),
  command: commandParam,
  at_once: optional(integer('Servers at a time (default: 8).', { range: [1, 8] })),
};

export const serverRunCommand = customCommand({
  restriction: 'server',
  about: 'Run a command on several servers of a stack, or on all of them.',
  params,
  positionals: ['servers', 'command'],
  examples: [
    'stackops server run -s shop --where server_roles=web -y -- uptime',
    "stackops server run shop-web-1 shop-web-2 -s shop -y --json -- 'df -P | tail -n +2'",
  ],
  calls: [servers.list, gateways.list],
  changes: true,
  wait: 'never',
  confirm: { level: 'yes', act: 'Run', when: 'before several servers' },
  output: { kind: 'program', reply: rows(ServerRun), filteredBy: Server },
  exits: [
    [1, 'cancelled; failed on some of several servers'],
    [3, 'not found or ambiguous: stack, server; or no server matches'],
    [6, 'the gateway of each server is closed; or the sandbox, which has no machines'],
    [7, 'no server could be reached'],
    [8, 'a server did not finish within --timeout (default 10m)'],
    [127, 'OpenSSH is not installed'],
    [null, 'of one server: the exit code of the command'],
  ],
  run: runOnTargets,
  present: (result) => presentDryRunLines(result),
});

const sshWords = ['ssh', '-o', 'BatchMode=yes'];
const defaultTimeoutMs = 600_000;
/** Maximum characters of the command in a question. */
const maxCommandLength = 200;

async function runOnTargets(context: Context, input: Values<typeof params>) {
  refuseSandboxMachines(context, 'ssh');
  const { stack_id, servers, command, at_once = 8 } = input;
  const targets = await findTargets(context, stack_id, servers);
  const argumentsFor = (alias: string) => [alias, ...command];
  if (context.dryRun) return linesToPaste(context, targets, sshWords, argumentsFor);
  const names = targets.map(({ name }) => name);
  if (names.length > 1 || isProfileProtected(context)) {
    const serversText = names.length === 1 ? 'one server' : `${names.length} servers`;
    const makeText = async () => `Run ${oneLine(command.join(' '), maxCommandLength)} on ${serversText}`;
    await context.confirm({ name: context.host.stackName(stack_id), text: makeText, details: () => names });
  }
  const { exitOf, runEach, serverOutcome, serverRunRow, summaryText } = await import('./run-each.ts');
  const { programs, settings } = context.host;
  const timeoutMs = timeoutOf(settings);
  const recordProgramEnd = await context.recordProgram({ stack_id, servers: names });
  const reachableTargets = targets.filter(({ closedReason }) => closedReason === undefined);
  const end = await withSshConfig(reachableTargets, [], context, (file) => {
    // A connection that ssh shares would outlive the command and keep its streams open, so no connection is shared.
    const flags = ['-o', 'ControlMaster=no', '-F', file, '--'];
    const commandLine = (target: SshTarget) => [...sshWords, ...flags, ...argumentsFor(target.alias)];
    return runEach(context, { targets: reachableTargets, commandLine, atOnce: at_once, timeoutMs });
  });
  const outcomes = targets.map((target) => serverOutcome(target, end, timeoutMs));
  const { code, error } = end.isOutputClosed ? { code: 0 } : exitOf(outcomes, end.interruptedBy);
  await recordProgramEnd(code);
  programs.setExitCode(code);
  if (end.isOutputClosed) return [];
  const results = outcomes.map(serverRunRow);
  const summary = summaryText(outcomes);
  if (error) {
    const hint = openGatewayCommands(outcomes, context.host);
    const partial = { value: results };
    throw new CliError(error, summary, { exitCode: code, partial, ...(hint.length > 0 && { hint }) });
  }
  if (outcomes.length > 1) context.note(summary);
  return results;
}

/** Returns the time limit of the command. The default for requests is too short, so only `--timeout` counts. */
function timeoutOf(settings: CommandHost['settings']): number {
  const { value, origin } = settings.get('timeout');
  return (origin.kind === 'flag' ? durationMs(value ?? '') : undefined) ?? defaultTimeoutMs;
}

function openGatewayCommands(outcomes: readonly ServerOutcome[], host: CommandHost): readonly CommandLine[] {
  const closedTargets = outcomes.map(({ target }) => target).filter(({ closedReason }) => closedReason !== undefined);
  const commands = closedTargets.map((target) => openGatewayCommand(target, host));
  return [...new Map(commands.map((command) => [command.operands?.[0], command])).values()];
}
