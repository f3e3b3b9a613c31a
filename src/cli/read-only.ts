import { type Command, commandWrites, inputWrites } from '../contract/command.ts';
import { Problem } from '../problems/problem.ts';
import type { ContextParts } from './context.ts';

/**
 * Throws forbidden for a change at the service where only reads are allowed; --dry-run and --curl send nothing. Without its
 * input a command that may do both is let through. No hint says how to lift it: whoever set it knows.
 */
export function refuseReadOnly(
  command: Command,
  input: Readonly<Record<string, unknown>> | undefined,
  { options, session, label }: ContextParts,
): void {
  if (options.dryRun || options.curl || !isChange(command, input)) return;
  const { value, origin } = session.settings.get('readonly');
  if (value !== 'true') return;
  throw new Problem(
    'forbidden',
    `"${label}" changes the service, and only reads are allowed (${origin}); nothing was sent`,
  );
}

function isChange(command: Command, input: Readonly<Record<string, unknown>> | undefined): boolean {
  if (input) return inputWrites(command, input);
  return commandWrites(command) && !(command.service !== 'local' && typeof command.service.changes === 'function');
}
