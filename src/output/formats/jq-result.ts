import { escapeControls, writeJson } from '../../json/write.ts';
import { Problem } from '../../problems/problem.ts';
import { onlyData, type Rendered } from '../rendered.ts';
import { runJq } from './jq-engine.ts';

/** Refuses an expression that jq cannot read; nothing is run. */
export async function checkExpression(expression: string): Promise<void> {
  const { said, exitCode } = await runJq(expression, undefined, false);
  if (exitCode !== 0) throw expressionProblem(expression, 'is wrong', reasonIn(said, exitCode));
}

/** What an expression makes of a value: texts raw, anything else as JSON, each on a line of its own. All of it or, when it fails, nothing. */
export async function jqResult(value: unknown, expression: string, terminal: boolean): Promise<Rendered> {
  const json = withoutHalves(writeJson(value, { indent: false, escapeControls: false }));
  const { outputs, said, exitCode } = await runJq(expression, json, terminal);
  if (exitCode !== 0) throw expressionProblem(expression, 'failed', failureIn(expression, said, exitCode));
  const out = outputs.map((output) => `${shownOutput(output, terminal)}\n`).join('');
  // What the expression tells with `debug` and `stderr`.
  return { ...onlyData(out), err: said === '' ? [] : said.split('\n') };
}

/** jq cannot read half of a surrogate pair, which JSON may hold as an escape; it writes one itself as U+FFFD. */
function withoutHalves(json: string): string {
  return json.replace(/(?<!\\)((?:\\\\)*)\\ud[89a-f][0-9a-f]{2}/g, String.raw`$1\ufffd`);
}

function shownOutput(output: string, terminal: boolean): string {
  if (!output.startsWith('"')) return terminal ? escapeControls(output) : output;
  return String(JSON.parse(output));
}

const longestShown = 60;

function expressionProblem(expression: string, verdict: string, reason: string): Problem {
  const line = expression.replaceAll(/\s+/g, ' ').trim();
  const shown = line.length > longestShown ? `${line.slice(0, longestShown - 1).toWellFormed()}…` : line;
  return new Problem('usage', `the --jq expression "${shown}" ${verdict}: ${reason}`, {
    hint: { path: 'help output' },
  });
}

/** `jq: error: syntax error at <top-level>, line 1, column 3:` and a drawing below it, or `jq: error (at …): why`. */
function reasonIn(said: string, exitCode: number): string {
  const [, reason] = /(?:^|\n)jq: error(?: \([^)]*\))*: (.*)$/s.exec(said) ?? [];
  if (reason === undefined) return said || `it exited with ${exitCode}`;
  const [, why, place] = /^(.*?) at <top-level>, (line \d+, column \d+):/.exec(reason) ?? [];
  return why === undefined ? reason.replace(/\n+jq: \d+ compile errors?$/, '') : `${why} (${place})`;
}

/** `error`, `halt_error` and `input` as functions of an expression. */
const raises = /\b(halt_)?error\b/;
const reads = /\binputs?\b/;

/** Why an expression failed on the data, without values: what may be a secret does not belong on stderr. */
function failureIn(expression: string, said: string, exitCode: number): string {
  const reason = withoutValues(reasonIn(said, exitCode)).trim();
  if (reason === 'break' && reads.test(expression)) return 'input has nothing to read: the document is already in .';
  // The rest of what is raised was made of the data, for all we know.
  const isOpen = reason !== '' && (expression.includes(reason) || reason.startsWith('Cannot '));
  if (said === '' || isOpen || !raises.test(expression)) return reason;
  return 'it raised an error; its text is hidden because it may contain values';
}

/** jq repeats the value it stumbled over. */
function withoutValues(reason: string): string {
  return reason
    .replace(/\b(string|array|object) \(.*\)/s, '$1 (…)')
    .replace(/ \(while parsing '.*'\)/s, '')
    .replace(/^date ".*" does not match/s, 'the date does not match')
    .replace(/^(Invalid path expression) .*$/s, '$1');
}
