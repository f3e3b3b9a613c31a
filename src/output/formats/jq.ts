import { setFlagsFromString } from 'node:v8';
import type { Jq } from 'jq-wasm/inline';
import type { Fields } from '../../contract/field.ts';
import { isObject } from '../../contract/values/json.ts';
import { once } from '../../contract/values/once.ts';
import { oneLine } from '../../contract/values/text.ts';
import { CliError } from '../../errors/cli-error.ts';
import { copySpellings } from '../../json/read.ts';
import { escapeControls, writeJson } from '../../json/write.ts';
import { allFieldPaths, valueAtPath } from '../field-path.ts';

/** Throws `usage` for an expression that jq cannot parse. Does not run the expression. */
export async function checkExpression(expression: string): Promise<void> {
  const { stderr, exitCode } = await runJq(expression, undefined, false);
  if (exitCode !== 0) throw expressionError(expression, 'is wrong', reasonIn(stderr, exitCode));
}

/** Matches half of a surrogate pair as an escape in JSON. jq cannot read it, so it is replaced by U+FFFD, as in jq. */
const halfPairPattern = /(?<!\\)((?:\\\\)*)\\ud[89a-f][0-9a-f]{2}/g;

/** Runs an expression on a value. Each result is a line: a string as it is, or JSON. Throws `usage` if jq fails. */
export async function jqResult(value: unknown, expression: string, terminal: boolean, fields: Fields = {}) {
  const json = writeJson(withWordFields(value, fields, expression)).replace(halfPairPattern, String.raw`$1\ufffd`);
  const { outputs, stderr, exitCode } = await runJq(expression, json, terminal);
  if (exitCode !== 0) throw expressionError(expression, 'failed', safeFailureReason(expression, stderr, exitCode));
  const outputText = (output: string): string => {
    if (output.startsWith('"')) return JSON.parse(output);
    return terminal ? escapeControls(output) : output;
  };
  const outputData = outputs.map((output) => `${outputText(output)}\n`).join('');
  // After a success, stderr has only the output of `debug` and `stderr` in the expression.
  return { data: outputData, notes: [...(stderr === '' ? [] : stderr.split('\n')), ...codeNotes(fields, expression)] };
}

function withWordFields(value: unknown, fields: Fields, expression: string): unknown {
  // A field of words is `status_text` for the codes in `status`.
  const wordFieldNames = allFieldPaths(fields).filter((path) => !Object.hasOwn(fields, path) && !path.includes('.'));
  const usedWordFields = wordFieldNames.filter((name) => RegExp(`\\b${name}\\b`).test(expression));
  if (usedWordFields.length === 0) return value;
  const addWordFields = (row: unknown) => {
    if (!isObject(row)) return row;
    const copy: Record<string, unknown> = { ...row };
    copySpellings(row, copy);
    for (const name of usedWordFields) copy[name] ??= valueAtPath(fields, row, name) ?? null;
    return copy;
  };
  return Array.isArray(value) ? value.map(addWordFields) : addWordFields(value);
}

function codeNotes(fields: Fields, expression: string): readonly string[] {
  // No code ever equals a word, so a comparison with a word gets a note.
  const comparisons = [
    ...expression.matchAll(/\.(?<name>\w+)\s*[!=]=\s*"(?<word>[^"]*)"/g),
    ...expression.matchAll(/"(?<word>[^"]*)"\s*[!=]=\s*\.(?<name>\w+)/g),
  ];
  const notes = comparisons.flatMap(({ groups: { name = '', word = '' } = {} }) => {
    const meanings = Object.hasOwn(fields, name) ? fields[name]?.meanings : undefined;
    if (!meanings?.includes(word)) return [];
    return [`${name} is a code: the expression compares it with a word; use ${name}_text.`];
  });
  return [...new Set(notes)];
}

function expressionError(expression: string, verdict: string, reason: string): CliError {
  return new CliError('usage', `the --jq expression "${oneLine(expression, 60)}" ${verdict}: ${reason}`, {
    hint: { path: 'help output' },
  });
}

function reasonIn(stderr: string, exitCode: number): string {
  // `stderr`: `jq: error: syntax error at <top-level>, line 1, column 3:` above a drawing, or `jq: error (at …): why`.
  const [, reason] = /(?:^|\n)jq: error(?: \([^)]*\))*: (.*)$/s.exec(stderr) ?? [];
  if (reason === undefined) return stderr || `it exited with ${exitCode}`;
  const [, why, position] = /^(.*?) at <top-level>, (line \d+, column \d+):/.exec(reason) ?? [];
  return why === undefined ? reason.replace(/(?<!\n)\n+jq: \d+ compile errors?$/, '') : `${why} (${position})`;
}

const errorCallPattern = /\b(halt_)?error\b/;
const inputCallPattern = /\binputs?\b/;

/** Returns the reason why jq failed, without values from its input, because stderr must show no secrets. */
function safeFailureReason(expression: string, stderr: string, exitCode: number): string {
  const reason = withoutValues(reasonIn(stderr, exitCode)).trim();
  if (reason === 'break' && inputCallPattern.test(expression))
    return 'input has nothing to read: the document is already in .';
  // A reason is safe to show if it is part of the expression, or a message of jq. Any other may hold data.
  const isSafeReason = reason !== '' && (expression.includes(reason) || reason.startsWith('Cannot '));
  if (stderr === '' || isSafeReason || !errorCallPattern.test(expression)) return reason;
  return 'it raised an error; its text is hidden because it may contain values';
}

function withoutValues(reason: string): string {
  // jq repeats the value that it could not use, so the value is removed.
  const withoutTypedValues = replaceUpTo(')', reason, /\b(string|array|object) \(.*/s, '$1 (…)');
  return replaceUpTo("')", withoutTypedValues, / \(while parsing '.*/s, '')
    .replace(/^date ".*" does not match/s, 'the date does not match')
    .replace(/^(Invalid path expression) .*$/s, '$1');
}

function replaceUpTo(end: string, text: string, startPattern: RegExp, replacement: string): string {
  const lastIndex = text.lastIndexOf(end);
  const head = text.slice(0, Math.max(0, lastIndex));
  const replaced = head.replace(startPattern, replacement);
  return replaced === head ? text : replaced + text.slice(lastIndex + end.length);
}

/** The character in front of each JSON text in a sequence (RFC 7464). Within JSON this character is always escaped. */
const recordSeparator = '\u001e';
const getEngine = once(loadEngine);

/** Runs an expression on a JSON text. Without a JSON text, only parses the expression. */
export async function runJq(expression: string, json: string | undefined, indent: boolean) {
  const jq = await getEngine();
  const flags = ['--seq', ...(indent ? [] : ['-c']), '--'];
  try {
    const { stdout, stderr, exitCode } = withoutConsole(() =>
      jq.raw(json === undefined ? '' : `${recordSeparator}${json}\n`, expression, flags),
    );
    const [, parseError] = /^jq: ignoring parse error: (.*)$/m.exec(stderr) ?? [];
    // jq skips an unreadable text in a sequence and exits with 0, so this failure is found in the stderr of jq.
    if (json !== undefined && parseError !== undefined)
      return { outputs: [], stderr: `jq: error: it cannot read the JSON: ${parseError}`, exitCode: 2 };
    const outputs = stdout.split(recordSeparator).slice(1);
    return { outputs: outputs.map((text) => text.trimEnd()), stderr, exitCode };
  } catch {
    // WebAssembly throws if memory runs out.
    return { outputs: [], stderr: 'jq: error: out of memory', exitCode: 5 };
  }
}

async function loadEngine(): Promise<Jq> {
  // Without this flag V8 recompiles hot WebAssembly code, which takes more time than most expressions.
  setFlagsFromString('--liftoff-only');
  const { loadJq } = await import('jq-wasm/inline');
  return loadJq();
}

function withoutConsole<T>(work: () => T): T {
  // If memory runs out, the engine writes to the console, and that text would bypass our own output.
  const { error } = console;
  console.error = () => undefined;
  try {
    return work();
  } finally {
    console.error = error;
  }
}
