import { customCommand } from '../../builders/custom-command.ts';
import { flag, group, integer, many, nullable, optional, text } from '../../contract/field.ts';
import { stackParam } from '../../contract/params.ts';
import { record } from '../../contract/record.ts';
import { rows } from '../../contract/reply.ts';
import { gateways } from '../../resources/account.ts';
import { Server, servers } from '../../resources/server.ts';
import { commandParam, presentDryRunLines } from './ssh.ts';

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

export const serverRunCommand = customCommand({
  restriction: 'server',
  moreEffects: [],
  about: 'Run a command on several servers of a stack, or on all of them.',
  params: {
    stack_id: stackParam,
    servers: optional(many(serverField, 'Servers (default: all that --where keeps).', { label: 'server' })),
    command: commandParam,
    at_once: optional(integer('Servers at a time (default: 8).', { range: [1, 8] })),
  },
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
  run: async (context, input) => (await import('./run-on-servers.ts')).runOnTargets(context, input),
  present: (result) => presentDryRunLines(result),
});
