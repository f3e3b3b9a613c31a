import { spawnSync } from 'node:child_process';
import { describe, expect, onTestFinished, test, vi } from 'vitest';
import { CliError } from '../../../src/errors/cli-error.ts';
import { checkExpression, jqResult, runJq } from '../../../src/output/formats/jq.ts';
import { printed } from '../../support/gate.ts';
import { run } from '../../support/stackops.ts';
import { corpus } from './jq-corpus.ts';

const installed = spawnSync('jq', ['--version'], { encoding: 'utf8' });
const comparison = installed.error
  ? 'as the installed jq has it (skipped: there is no jq on this machine)'
  : `as the installed ${installed.stdout.trim()} has it`;

/** What the program made of the same text, or that it failed. */
function real(expression: string, json: string): string {
  const { status, stdout } = spawnSync('jq', ['-rc', expression], { input: json, encoding: 'utf8' });
  return status === 0 ? stdout : 'failed';
}

async function ours(expression: string, json: string): Promise<string> {
  try {
    return (await printed(jqResult(JSON.parse(json), expression, false))).out;
  } catch (error) {
    if (error instanceof CliError) return 'failed';
    throw error;
  }
}

/** What is made of each: by us, and by the program. It takes long to start, and does at once what does not fail. */
async function compared(expressions: readonly string[], json: string) {
  const results: (readonly [string, string])[] = [];
  for (const one of expressions) results.push([one, await ours(one, json)]);
  const fine = results.flatMap(([one, made]) => (made === 'failed' ? [] : [one]));
  const texts = fine.map((one) => `([${one}] | map((if type == "string" then . else tojson end) + "\\n") | add // "")`);
  const theirs = JSON.parse(real(`[${texts.join(',')}]`, json));
  return new Map(results.map(([one, made]) => [one, [made, theirs[fine.indexOf(one)] ?? real(one, json)] as const]));
}

describe.skipIf(installed.error)(comparison, () => {
  describe.each(Object.entries(corpus))('%s', (words, expressions) => {
    let results: Awaited<ReturnType<typeof compared>>;
    test.each(expressions)('%s', async (expression) => {
      if (!results) {
        const { stdout } = await run([...words.split(' '), '--sandbox', '--json']);
        expect(JSON.parse(stdout)).not.toHaveLength(0);
        results = await compared(expressions, stdout);
      }
      const [made, theirs] = results.get(expression) ?? expect.fail();
      expect(made).toBe(theirs);
    });
  });
});

async function piped(value: unknown, expression: string): Promise<string> {
  return (await printed(jqResult(value, expression, false))).out;
}

async function refusal(work: Promise<unknown>): Promise<string> {
  const problem: unknown = await work.catch((error: unknown) => error);
  if (!(problem instanceof CliError)) throw new Error('nothing was refused');
  return `${problem.kind}: ${problem.message}`;
}

test('half a character is replaced, whatever stands around it', async () => {
  const halves = ['\ud800x', '\udc00\ud83d', '\\ud800', '\\\ud800', '\ud83d\ude00', { '\udfff': 1 }];
  expect(await piped(halves, '.[]')).toBe('\ufffdx\n\ufffd\ufffd\n\\ud800\n\\\ufffd\n\ud83d\ude00\n{"\ufffd":1}\n');
});

test('what jq cannot read is a failure, though jq goes on behind it', async () => {
  expect(await runJq('.[]', '[1,]', false)).toEqual({
    outputs: [],
    stderr:
      'jq: error: it cannot read the JSON: Expected another array element at line 1, column 5 (need RS to resync)',
    exitCode: 2,
  });
});

test.each<readonly [string, unknown, string]>([
  ['.[]', ['a\n b ', ' ', '', 'ü\t"', 1, null], 'a\n b \n \n\nü\t"\n1\nnull\n'],
  ['.', { a: [1, { b: 'x' }] }, '{"a":[1,{"b":"x"}]}\n'],
  ['empty', [1], ''],
  ['"\\u0000|\\u001e|\\u2028"', 1, '\u0000|\u001e|\u2028\n'],
  ['-1', 1, '-1\n'],
  ['-(.)', 1, '-1\n'],
])('%s of %j: texts raw, anything else in one line', async (expression, value, out) => {
  expect(await piped(value, expression)).toBe(out);
});

test.each<readonly [string, string]>([
  ['pick(.a)', '{"a":1}\n'],
  ['.a | abs, toboolean?', '1\n'],
  ['"  x " | trim', 'x\n'],
  ['have_literal_numbers', 'true\n'],
  ['if .a then "yes" end', 'yes\n'],
])('%s: what newer versions of jq know', async (expression, out) => {
  expect(await piped({ a: 1 }, expression)).toBe(out);
});

const big = 9007199254740993n;

test.each<readonly [string, string]>([
  ['.[0]', '9007199254740993'],
  ['map(.)', '[9007199254740993,9007199254740992]'],
  ['.[0] | tostring, tojson, "\\(.)"', '9007199254740993\n9007199254740993\n9007199254740993'],
  ['@csv', '9007199254740993,9007199254740992'],
  ['sort, max', '[9007199254740992,9007199254740993]\n9007199254740993'],
  ['unique | length', '2'],
  ['.[0] == .[1], .[0] > .[1]', 'false\ntrue'],
  ['-(.[0])', '-9007199254740993'],
  // Arithmetic rounds, as `help output` says.
  ['.[0] + 0', '9007199254740992'],
])('integers beyond 2^53: %s', async (expression, out) => {
  expect(await piped([big, big - 1n], expression)).toBe(`${out}\n`);
});

test('a terminal gets JSON indented, and nothing that steers it', async () => {
  const { out } = await printed(jqResult({ a: 'x\x9b' }, '., .a, "\\u001b]0;x", "two\\n\\tlines"', true), true);
  expect(out).toBe('{\n  "a": "x\\u009b"\n}\nx\\x9b\n\\x1b]0;x\ntwo\n\tlines\n');
});

test('what an expression tells goes to stderr', async () => {
  expect(await printed(jqResult({ a: '\x1b' }, '.a | debug | length', false))).toEqual({
    out: '1\n',
    err: '["DEBUG:","\\u001b"]\n',
  });
});

test('nothing of the environment, no files', async () => {
  expect(await piped(null, 'env.PATH, $ENV.HOME, env.STACKOPS_TOKEN')).toBe('/\n/home/web_user\nnull\n');
  expect(await refusal(checkExpression('import "a" as a; .'))).toContain('module not found: a');
});

test.each([
  ['.[', 'the --jq expression ".[" is wrong: syntax error, unexpected end of file (line 1, column 2)'],
  ['.a |\n  foo', 'the --jq expression ".a | foo" is wrong: foo/0 is not defined (line 2, column 3)'],
  ['--help', 'the --jq expression "--help" is wrong: help/0 is not defined (line 1, column 3)'],
  ['{(1): 2}', 'the --jq expression "{(1): 2}" is wrong: Cannot use number (1) as object key (line 1, column 3)'],
  [
    `${'.a | '.repeat(20)}foo`,
    `the --jq expression "${'.a | '.repeat(11)}.a |…" is wrong: foo/0 is not defined (line 1, column 101)`,
  ],
])('%j is refused before it is run', async (expression, message) => {
  expect(await refusal(checkExpression(expression))).toBe(`usage: ${message}`);
});

test.each(['.', 'error("x")', 'input', '.a.b', 'halt_error', 'def f: f; f'])('%j is only read', async (expression) => {
  await expect(checkExpression(expression)).resolves.toBeUndefined();
});

const leftOut = 'it raised an error; its text is hidden because it may contain values';

test.each([
  ['.[0] | keys', 'string (…) has no keys'],
  ['.[0] | tonumber', 'string (…) cannot be parsed as a number'],
  ['.[0] + 1', 'string (…) cannot be added'],
  ['.[0] | fromjson', 'Invalid numeric literal at EOF at line 1, column 9'],
  ['.[0] | strptime("%Y")', 'the date does not match format "%Y"'],
  ['.[1][.[0]]', 'Cannot index number with string (…)'],
  ['[.] | @csv', 'array (…) is not valid in a csv row'],
  ['.[0] | map(.)', 'Cannot iterate over string (…)'],
  ['.[9] | map(.)', 'Cannot iterate over null (null)'],
  ['path(.[0] | tostring | ascii_upcase)', 'Invalid path expression'],
  ['path(map(.) | .[0])', 'Invalid path expression'],
  ['error("own words")', 'own words'],
  ['error(null)', 'null'],
  ['debug | error("own words")', 'own words'],
  ['"own words" | halt_error', 'own words'],
  ['null | halt_error', 'it exited with 5'],
  ['1, 2, error("late")', 'late'],
  ['.[0] | halt_error', leftOut],
  ['halt_error(1)', leftOut],
  ['.[0] | error', leftOut],
  ['{secret: .[0]} | error', leftOut],
  ['error("no \\(.[0])")', leftOut],
  ['"" | error', leftOut],
  ['.[1].a // error("x")', 'Cannot index number with string (…)'],
  ['input', 'input has nothing to read: the document is already in .'],
])('%s fails: %s', async (expression, reason) => {
  const message = await refusal(jqResult(['hunter2)x', 7], expression, false));
  expect(message).toBe(`usage: the --jq expression "${expression}" failed: ${reason}`);
  expect(message).not.toContain('hunter2');
});

test('an expression without end in memory fails, and the next one is fine', async () => {
  const console = vi.spyOn(globalThis.console, 'error');
  onTestFinished(() => console.mockRestore());
  const message = await refusal(jqResult(null, '[0] | until(false; . + .)', false));
  expect(console).not.toHaveBeenCalled();
  expect(message).toBe('usage: the --jq expression "[0] | until(false; . + .)" failed: out of memory');
  expect(await piped([1], '.[0]')).toBe('1\n');
});
