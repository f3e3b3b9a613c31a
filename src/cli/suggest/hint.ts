import { commandText, type Destination, hintText } from '../../contract/command-line.ts';
import { shellWord } from '../../contract/values/shell-word.ts';
import { Problem, type Retry } from '../../problems/problem.ts';
import type { TypedCommand } from '../arguments/invocation.ts';
import { sameCommand } from './same-command.ts';

/** The same problem, its hint and its check as lines to paste: the command that was run, mended, or another at the same service. */
export function completeHint(
  problem: Problem,
  { line, destination }: { readonly line: TypedCommand; readonly destination: Destination },
): Problem {
  const { hint, retry, check, facts, ...details } = problem.details;
  const shown = (retry && retryText(line, retry, destination)) ?? (hint && hintText(hint, destination));
  const checked = check && commandText(check, destination);
  return new Problem(problem.kind, shown === undefined ? withFlags(problem) : problem.message, {
    ...details,
    ...(shown !== undefined && { hint: shown }),
    ...(facts && { facts: { ...facts, ...(check !== undefined && { check: checked ?? null }) } }),
  });
}

/** The command with what it needs; undefined where no line can say it again, because a value would stand in it. */
function retryText(typed: TypedCommand, retry: Retry, destination: Destination): string | undefined {
  const { service, output } = typed.command;
  const isReading = service !== 'local' && service.changes === false && output.kind !== 'change';
  if (retry.unlessReading && !isReading) return commandText(retry.unlessReading, destination);
  const line = sameCommand(typed, retry);
  const text = line && commandText(line, { platform: destination.platform });
  const first = retry.after && commandText(retry.after, destination);
  return text === undefined || first === undefined ? text : `${first} && ${text}`;
}

/** What to add to a command that no hint can say again. */
function withFlags({ message, details: { retry } }: Problem): string {
  const flags = retry?.with?.map(shellWord).join(' ') ?? '';
  return message.includes(flags) ? message : `${message}; add ${flags}`;
}
