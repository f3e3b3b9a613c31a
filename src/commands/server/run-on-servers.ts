import type { Context } from '../../contract/command.ts';
import type { CommandLine } from '../../contract/command-line.ts';
import type { CommandHost } from '../../contract/host.ts';
import { oneLine } from '../../contract/values/text.ts';
import { durationMs } from '../../contract/values/time.ts';
import { CliError } from '../../errors/cli-error.ts';
import { exitOf, runEach, type ServerOutcome, serverOutcome, serverRunRow, summaryText } from './run-each.ts';
import { isProfileProtected, refuseSandboxMachines } from './ssh.ts';
import { findTargets, linesToPaste, openGatewayCommand, type SshTarget, withSshConfig } from './ssh-target.ts';

interface RunInput {
  readonly stack_id: string;
  readonly servers?: readonly string[];
  readonly command: readonly string[];
  readonly at_once?: number;
}

const sshWords = ['ssh', '-o', 'BatchMode=yes'];
const defaultTimeoutMs = 600_000;
/** Maximum characters of the command in a question. */
const maxCommandLength = 200;

/** Runs a command on servers and returns a row for each. With --dry-run it only returns the command lines of ssh. */
export async function runOnTargets(context: Context, input: RunInput) {
  refuseSandboxMachines(context, 'ssh');
  const { stack_id, command, at_once = 8 } = input;
  const targets = await findTargets(context, input);
  const argumentsFor = (alias: string) => [alias, ...command];
  if (context.dryRun) return linesToPaste(context, targets, sshWords, argumentsFor);
  const names = targets.map(({ name }) => name);
  if (names.length > 1 || isProfileProtected(context)) {
    const serversText = names.length === 1 ? 'one server' : `${names.length} servers`;
    const makeText = async () => `Run ${oneLine(command.join(' '), maxCommandLength)} on ${serversText}`;
    await context.confirm({ name: context.host.stackName(stack_id), text: makeText, details: () => names });
  }
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
  const rows = outcomes.map(serverRunRow);
  const summary = summaryText(outcomes);
  if (error) {
    const hint = openGatewayCommands(outcomes, context.host);
    throw new CliError(error, summary, {
      exitCode: code,
      partial: { value: rows },
      ...(hint.length > 0 && { hint }),
    });
  }
  if (outcomes.length > 1) context.note(summary);
  return rows;
}

/** Returns the time limit of the command. The default for requests is too short, so only `--timeout` counts. */
function timeoutOf(settings: CommandHost['settings']): number {
  const { value, origin } = settings.get('timeout');
  return (origin.kind === 'flag' ? durationMs(value ?? '') : undefined) ?? defaultTimeoutMs;
}

function openGatewayCommands(outcomes: readonly ServerOutcome[], host: CommandHost): readonly CommandLine[] {
  const closedOutcomes = outcomes.filter(({ target }) => target.closedReason !== undefined);
  const commands = closedOutcomes.map(({ target }) => openGatewayCommand(target, host));
  return [...new Map(commands.map((command) => [command.operands?.[0], command])).values()];
}
