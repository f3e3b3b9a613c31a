import { flag, group, integer, nullable, optional, text } from '../../contract/field.ts';
import { type RecordOf, record } from '../../contract/record.ts';

/** What a command did on one server. */
export const ServerRun = record(
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
export type ServerRunRow = RecordOf<typeof ServerRun>;
