import type { Context } from '../../../contract/command.ts';
import { type CommandLine, flagWords } from '../../../contract/command-line.ts';
import type { Change, Outcome } from '../../../contract/plan.ts';
import { saveTemporaryFile } from '../../../files/temporary-file.ts';
import { isUnderWay } from '../../../kinds/perform/summary.ts';
import { Problem } from '../../../problems/problem.ts';
import type { ApplyStrategy } from '../../../resources/env.ts';
import type { SourcedVariable } from '../plan/change-set.ts';

/** What was saved in the editor. */
export interface EditedText {
  readonly fileName: string;
  readonly text: string;
  readonly changes: readonly SourcedVariable[];
  readonly input: {
    readonly stack_id: string;
    /** The variable whose bare value the text is. */
    readonly key?: string;
    readonly apply_strategy?: ApplyStrategy;
  };
}

/**
 * The error of an edit that was not applied, with the commands that apply it. New values are saved to a file that only
 * we can read, named in a warning; the text is not saved where nothing of it is lost, or where the operator gave up.
 */
export function unapplied(error: unknown, edited: EditedText, context: Context): unknown {
  if (!(error instanceof Problem) || !isLost(error)) return error;
  const set = edited.changes.filter(({ value }) => value !== null);
  const file = set.length > 0 ? saved(edited, context) : undefined;
  const { retry, ...details } = error.details;
  const isTextLost = set.length > 0 && file === undefined;
  if (isTextLost || details.hint || retry?.with) return error;
  const hint = [...(file === undefined ? [] : [commandToSet(set, file, edited)]), ...commandsToDelete(edited)];
  return new Problem(error.kind, error.message, { ...details, hint });
}

function isLost({ kind, details: { partial } }: Problem): boolean {
  if (kind === 'interrupted') return false;
  const changes = (partial?.value as Outcome | undefined)?.data as readonly Change[] | undefined;
  return !changes?.every((change) => change.change === 'unchanged' || isUnderWay(change));
}

/** Undefined, with a warning, where it cannot be saved. */
function saved({ fileName, text }: EditedText, context: Context): string | undefined {
  try {
    const file = saveTemporaryFile(fileName, text);
    context.warn(`your text was saved to ${file}; delete the file after use`);
    return file;
  } catch (error) {
    if (!(error instanceof Problem)) throw error;
    context.warn(`your text is lost: ${error.message}`);
    return undefined;
  }
}

function commandToSet(set: readonly SourcedVariable[], file: string, { input }: EditedText): CommandLine {
  const { stack_id, key, apply_strategy } = input;
  const keys = set.map((variable) => variable.key);
  const flags = apply_strategy ? flagWords('--apply-strategy', apply_strategy) : [];
  if (key === undefined) return { path: 'stack env import', operands: [file, ...keys], flags, stack_id };
  return { path: 'stack env set', operands: keys, flags: ['--from-file', file, ...flags], stack_id };
}

function commandsToDelete({ changes, input: { stack_id } }: EditedText): readonly CommandLine[] {
  const operands = changes.flatMap(({ key, value }) => (value === null ? [key] : []));
  return operands.length > 0 ? [{ path: 'stack env unset', operands, stack_id }] : [];
}
