import { writeJson } from '../json/write.ts';
import { exitCodeOf } from '../problems/exit-codes.ts';
import type { Problem } from '../problems/problem.ts';
import { safeText } from './safe-text.ts';

export interface ProblemView {
  readonly json: boolean;
  /** Whether stderr takes colour. */
  readonly colour: boolean;
}

/** `error: …` and `hint: …`, or the one-line JSON object; ends with a line feed. */
export function problemText(problem: Problem, view: ProblemView): string {
  return `${view.json ? problemJson(problem) : problemLines(problem, view.colour)}\n`;
}

const longestLine = 500;

function problemLines({ message, details }: Problem, colour: boolean): string {
  // Not through chalk: the last words of a process wait for no file to load.
  const label = colour ? '\x1b[31merror:\x1b[39m' : 'error:';
  const error = `${label} ${indented(message, 7)}`;
  return details.hint ? `${error}\nhint: ${indented(details.hint, 6)}` : error;
}

/** Lines after the first are set in, so that none from outside passes for a label of ours. */
function indented(text: string, columns: number): string {
  const lines = text.split('\n').map((line) => clipped(safeText(line)));
  return lines.join(`\n${' '.repeat(columns)}`);
}

function clipped(line: string): string {
  return line.length > longestLine ? `${line.slice(0, longestLine - 1).toWellFormed()}…` : line;
}

function problemJson(problem: Problem): string {
  const { hint, status, requestId, facts } = problem.details;
  const error = {
    code: problem.kind,
    message: problem.message.split('\n').map(clipped).join('\n'),
    status: status ?? null,
    hint: hint ?? null,
    exit_code: exitCodeOf(problem),
    operation: problem.details.operation ?? null,
    request_id: requestId ?? null,
  };
  // Twice: the fixed keys come first, and no fact replaces one of them.
  return writeJson({ error: { ...error, ...facts, ...error } }, { indent: false, escapeControls: true });
}
