import {
  type CommandLine,
  commandText,
  commandWords,
  type Destination,
  type Hint,
  withoutConsent,
} from '../../contract/command-line.ts';
import { wordQuoter } from '../../contract/values/text.ts';
import { CliError, type Correction } from '../../errors/cli-error.ts';
import { isTargetFlag, type TypedCommand } from '../arguments/options.ts';
import { canRun, correctedCommand, correctionOf, type ReadLine, suggestCommand } from './hint.ts';

interface Typed {
  readonly line: TypedCommand;
  readonly destination: Destination;
  readonly read: ReadLine;
}

/** The error with its hint and check as lines to paste. A hint that cannot be parsed as a command is left out. */
export async function completeHint(error: CliError, typed: Typed): Promise<CliError> {
  const { hint: found, correction: _, unknownField, check, extra, ...details } = error.details;
  const { line, destination, read } = typed;
  const correction = await allowedCorrection(error, typed);
  const hint = found ?? (unknownField && { path: line.path, flags: ['--help'] });
  const { platform, forAgent } = destination;
  const shown =
    (correction && (await correctedText(correction, typed))) ?? (hint && (await hintText(hint, destination, read)));
  const checked = check && commandText(check, destination);
  const flags = correction && !forAgent ? (correction.add ?? []).map(wordQuoter(platform)).join(' ') : '';
  // If no command can be printed, the hint names the flags to add.
  const added = shown !== undefined || error.message.includes(flags) ? '' : `; add ${flags}`;
  return new CliError(error.kind, error.message + added, {
    ...details,
    hint: shown,
    ...(extra && { extra: { ...extra, ...(check !== undefined && { check: checked ?? null }) } }),
  });
}

async function allowedCorrection(error: CliError, typed: Typed): Promise<Correction | undefined> {
  const correction = await correctionOf(error, typed.line);
  return correction && isAllowed(correction, typed) ? correction : undefined;
}

async function correctedText(correction: Correction, { line, destination, read }: Typed): Promise<string | undefined> {
  const { platform, forAgent } = destination;
  const corrected = correctedCommand(line, correction);
  const shown = corrected && (await hintText(corrected, { platform, forAgent }, read));
  if (shown !== undefined || !corrected) return shown;
  // A second mistake is corrected as well.
  const further = await suggestCommand(commandWords(corrected), read);
  return further && hintText(further, { platform, forAgent }, read);
}

async function hintText(hint: Hint, destination: Partial<Destination>, read: ReadLine): Promise<string | undefined> {
  if (typeof hint === 'string') return hint;
  const lines: readonly CommandLine[] = [hint].flat();
  for (const line of lines) if (!(await canRun(line, read))) return undefined;
  return commandText(lines, destination);
}

function addsTarget({ add: [first = ''] = [] }: Correction): boolean {
  return isTargetFlag(first);
}

function isAllowed(correction: Correction, { line, destination: { forAgent } }: Typed): boolean {
  const { add = [], replace } = correction;
  // Agents are shown no flags that consent. If only those are missing, the hint would repeat the typed line.
  const isEmpty = forAgent && add.length > 0 && !replace && withoutConsent(add).length === 0;
  return !isEmpty && (!addsTarget(correction) || isReading(line));
}

function isReading({ command: { isLocal, changes, output } }: TypedCommand): boolean {
  return !isLocal && changes === false && output.kind !== 'change';
}
