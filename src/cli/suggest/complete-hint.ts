import {
  type CommandLine,
  commandText,
  commandWords,
  type Destination,
  type Hint,
  withoutConsentFlags,
} from '../../contract/command-line.ts';
import { wordQuoter } from '../../contract/values/text.ts';
import { CliError, type Correction } from '../../errors/cli-error.ts';
import { isTargetFlag, type TypedCommand } from '../arguments/options.ts';
import { canRun, correctCommand, correctionOf, type ReadLine, suggestCommand } from './hint.ts';

interface HintContext {
  readonly line: TypedCommand;
  readonly destination: Destination;
  readonly read: ReadLine;
}

/** Returns the error with its hint and check as lines to paste. A hint that is no valid command is left out. */
export async function completeHint(error: CliError, context: HintContext): Promise<CliError> {
  const { hint: errorHint, correction: _, unknownField, check, extra, ...details } = error.details;
  const { line, destination, read } = context;
  const correction = allowedCorrection(await correctionOf(error, line), context);
  const hint = errorHint ?? (unknownField && { path: line.path, flags: ['--help'] });
  const { platform, forAgent } = destination;
  const text =
    (correction && (await correctedText(correction, context))) ?? (hint && (await hintText(hint, destination, read)));
  const checkText = check && commandText(check, destination);
  const flagsText = correction && !forAgent ? (correction.add ?? []).map(wordQuoter(platform)).join(' ') : '';
  // If no command can be printed, the message names the flags to add.
  const addition = text !== undefined || error.message.includes(flagsText) ? '' : `; add ${flagsText}`;
  return new CliError(error.kind, error.message + addition, {
    ...details,
    hint: text,
    ...(extra && { extra: { ...extra, ...(check !== undefined && { check: checkText ?? null }) } }),
  });
}

async function correctedText(correction: Correction, { line, destination, read }: HintContext) {
  const { platform, forAgent } = destination;
  const correctedCommand = correctCommand(line, correction);
  const text = correctedCommand && (await hintText(correctedCommand, { platform, forAgent }, read));
  if (text !== undefined || !correctedCommand) return text;
  // The corrected command cannot run: it has a second mistake, which is corrected as well.
  const suggestedCommand = await suggestCommand(commandWords(correctedCommand), read);
  return suggestedCommand && hintText(suggestedCommand, { platform, forAgent }, read);
}

async function hintText(hint: Hint, destination: Partial<Destination>, read: ReadLine): Promise<string | undefined> {
  if (typeof hint === 'string') return hint;
  const lines: readonly CommandLine[] = [hint].flat();
  for (const line of lines) if (!(await canRun(line, read))) return undefined;
  return commandText(lines, destination);
}

function allowedCorrection(correction: Correction | undefined, { line, destination }: HintContext) {
  const { add = [], replace } = correction ?? {};
  // Agents are shown no flags that consent. If only such flags are missing, the hint would repeat the typed line.
  const isEmptyForAgent = destination.forAgent && add.length > 0 && !replace && withoutConsentFlags(add).length === 0;
  return isEmptyForAgent || (isTargetFlag(add[0] ?? '') && !isServiceRead(line)) ? undefined : correction;
}

function isServiceRead({ command: { isLocal, changes, output } }: TypedCommand): boolean {
  return !isLocal && changes === false && output.kind !== 'change';
}
