import {
  type CommandLine,
  commandText,
  type Destination,
  type Hint,
  withoutConsent,
} from '../../contract/command-line.ts';
import { wordQuoter } from '../../contract/values/text.ts';
import { CliError, type Correction } from '../../errors/cli-error.ts';
import { isTarget, type TypedCommand } from '../arguments/options.ts';
import { canRun, correctedCommand, type ReadLine } from './hint.ts';

interface Typed {
  readonly line: TypedCommand;
  readonly destination: Destination;
  readonly read: ReadLine;
}

/** The error with its hint and check as lines to paste. A hint that cannot be parsed as a command is left out. */
export async function completeHint(error: CliError, typed: Typed): Promise<CliError> {
  const { hint, correction: given, check, extra, ...details } = error.details;
  const { line, destination, read } = typed;
  const { platform, forAgent } = destination;
  const correction = given && isAllowed(given, typed) ? given : undefined;
  const corrected = correction && correctedCommand(line, correction);
  const shown =
    (corrected && (await hintText(corrected, { platform, forAgent }, read))) ??
    (hint && (await hintText(hint, destination, read)));
  const checked = check && commandText(check, destination);
  const flags = correction && !forAgent ? (correction.add ?? []).map(wordQuoter(platform)).join(' ') : '';
  // Where no line can be printed, the flags to add are.
  const added = shown !== undefined || error.message.includes(flags) ? '' : `; add ${flags}`;
  return new CliError(error.kind, error.message + added, {
    ...details,
    hint: shown,
    ...(extra && { extra: { ...extra, ...(check !== undefined && { check: checked ?? null }) } }),
  });
}

async function hintText(hint: Hint, destination: Partial<Destination>, read: ReadLine): Promise<string | undefined> {
  if (typeof hint === 'string') return hint;
  const lines: readonly CommandLine[] = [hint].flat();
  for (const line of lines) if (!(await canRun(line, read))) return undefined;
  return commandText(lines, destination);
}

function addsTarget({ add: [first = ''] = [] }: Correction): boolean {
  return isTarget(first);
}

function isAllowed(correction: Correction, { line, destination: { forAgent } }: Typed): boolean {
  const { add = [], replace } = correction;
  // Without the flags that consent, an agent would be shown the line that it typed.
  const isEmpty = forAgent && add.length > 0 && !replace && withoutConsent(add).length === 0;
  return !isEmpty && (!addsTarget(correction) || isReading(line));
}

function isReading({ command: { isLocal, changes, output } }: TypedCommand): boolean {
  return !isLocal && changes === false && output.kind !== 'change';
}
