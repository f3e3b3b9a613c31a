import { readdirSync, readFileSync, statSync, writeFileSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { stripVTControlCharacters as plain } from 'node:util';
import { describe, expect, test } from 'vitest';
import { type Environment, ownEnvironment, programLine, start } from '../support/built.ts';
import { mark, unchanged } from '../support/phrases.ts';
import { hasProgram } from '../support/programs.ts';
import { run, temporaryFolder } from '../support/stackops.ts';
import { ctrlC, openTerminal } from '../support/terminal.ts';

/** An environment whose temporary files lie in a folder of their own. */
function sandbox(EDITOR: string) {
  const TMPDIR = temporaryFolder();
  const env = ownEnvironment({ STACKOPS_SANDBOX: '1', STACKOPS_STACK: 'shop', EDITOR, TMPDIR });
  return { env, left: () => readdirSync(TMPDIR) };
}

/** An editor that does this to the file, which is `$1`. */
function editor(script: string): string {
  const file = join(temporaryFolder(), 'editor');
  writeFileSync(file, `${script}\n`);
  return `sh ${file}`;
}

async function logLevel(env: Environment): Promise<string> {
  return (await run(['stack', 'env', 'get', 'LOG_LEVEL'], { env })).stdout;
}

/** Without colours, which would stand between the characters that are waited for, and without a path that may be long. */
const vi = 'vi -u NONE --cmd "set shortmess=aoOtTWF"';

describe.skipIf(!hasProgram('vi'))('vi', () => {
  test('changes a value', async () => {
    const { env, left } = sandbox(vi);
    const terminal = openTerminal('stackops stack env edit', env);
    await terminal.shows(/LOG_LEVEL=info/);
    terminal.type(':%s/LOG_LEVEL=info/LOG_LEVEL=debug/\r:wq\r');
    await terminal.shows(/Change variables of shop\/production \(1 to change\)\? \[y\/N\] /);
    terminal.type('y\r');
    const { code, screen } = await terminal.ended;
    expect(code).toBe(0);
    expect(plain(screen)).toContain('LOG_LEVEL updated (info -> debug)\r\n');
    expect(left()).toEqual([]);
  });

  test('draws on the terminal while stdout is a pipe', async () => {
    const { env } = sandbox(vi);
    const terminal = openTerminal('stackops stack env edit LOG_LEVEL -y --json | cat', env);
    await terminal.shows(/info/);
    terminal.type(':s/info/debug/\r:wq\r');
    const { screen } = await terminal.ended;
    expect(plain(screen)).toContain('[{"key":"LOG_LEVEL","change":"updated","before":"info","after":"debug"');
  });

  test('is left with :q, which changes nothing, and given up with :cq', async () => {
    const { env, left } = sandbox(vi);
    const terminal = openTerminal(
      'stackops stack env edit; echo "code $?"; stackops stack env edit; echo "code $?"',
      env,
    );
    await terminal.shows(/LOG_LEVEL=info/);
    terminal.type(':q\r');
    await terminal.shows(/Nothing changed\.\s+code 0[\s\S]*LOG_LEVEL=info/);
    terminal.type(':s/$/x/\r:cq\r');
    const { screen } = await terminal.ended;
    expect(plain(screen)).toMatch(/error: the editor exited with 1;.*\r\ncode 1\r\n$/);
    expect(left()).toEqual([]);
  });

  test('is opened again on a mistake, which can be mended there', async () => {
    const { env } = sandbox(vi);
    const terminal = openTerminal('stackops stack env edit', env);
    await terminal.shows(/LOG_LEVEL=info/);
    terminal.type(':%s/LOG_LEVEL=info/LOG_LEVEL/\r:wq\r');
    await terminal.shows(/Edit it again\? \[y\/N\] /);
    terminal.type('y\r');
    await terminal.shows(/# error: variables\.env line 9: expected KEY=VALUE/);
    terminal.type(':%s/^LOG_LEVEL$/LOG_LEVEL=debug/\r:wq\r');
    await terminal.shows(/\[y\/N\] [\s\S]*\[y\/N\] /);
    terminal.type('y\r');
    expect((await terminal.ended).code).toBe(0);
    expect(await logLevel(env)).toBe('debug\n');
  });

  test('in a window that is closed leaves nothing behind', async () => {
    const { env, left } = sandbox(vi);
    const terminal = openTerminal('stackops stack env edit', env);
    await terminal.shows(/LOG_LEVEL=info/);
    expect(left()).toHaveLength(1);
    terminal.close();
    await terminal.left;
    expect(left()).toEqual([]);
    expect(await logLevel(env)).toBe('info\n');
  });
});

test.each([
  ['LOG_LEVEL', 's/info/debug/', /^stack env set LOG_LEVEL --from-file (\S+\/value\.txt)$/],
  ['', 's/^LOG_LEVEL=info/LOG_LEVEL=debug/', /^stack env import (\S+\/variables\.env) LOG_LEVEL$/],
  ['', '/^LOG_LEVEL=/d', /^stack env unset LOG_LEVEL$/],
])(
  'the service moves while the editor is open: edit %s, %s is 6, and the hint applies it',
  async (key, change, hint) => {
    const set = `STACKOPS_STACK=shop ${programLine} stack env set LOG_LEVEL=warn CURRENCY=USD >/dev/null 2>&1`;
    const { env, left } = sandbox(editor(`${set}; sed -i '${change}' "$1"`));
    const terminal = openTerminal(`stackops stack env edit ${key}`, env);
    const { code, screen } = await terminal.ended;
    expect(code).toBe(6);
    const [, command = ''] =
      /^error: somebody else changed LOG_LEVEL meanwhile;.*\r\nhint: stackops (.*?) -s shop\r$/m.exec(plain(screen)) ??
      [];
    expect(command).toMatch(hint);
    expect(await logLevel(env)).toBe('warn\n');
    const [, file] = hint.exec(command) ?? [];
    expect(left()).toHaveLength(file ? 1 : 0);
    if (!file) return;
    expect(savedFile(screen)).toBe(file);
    expect([file, dirname(file)].map((path) => (statSync(path).mode & 0o777).toString(8))).toEqual(['600', '700']);
    expect((await run([...command.split(' '), '-y'], { env })).code).toBe(0);
    expect(await logLevel(env)).toBe('debug\n');
  },
);

test('others may change what the editor leaves alone', async () => {
  const set = `${programLine} stack env set CURRENCY=USD >/dev/null 2>&1`;
  const { env } = sandbox(editor(`${set}; sed -i 's/^LOG_LEVEL=info/LOG_LEVEL=debug/' "$1"`));
  const terminal = openTerminal('stackops stack env edit -y', env);
  expect((await terminal.ended).code).toBe(0);
  expect(await logLevel(env)).toBe('debug\n');
});

test('Ctrl-C at the question after a mistake is 130, and a file keeps the text', async () => {
  const { env, left } = sandbox(editor(`sed -i 's/^LOG_LEVEL=.*/LOG_LEVEL=debug\\n???/' "$1"`));
  const terminal = openTerminal('stackops stack env edit; echo "code $?"', env);
  await terminal.shows(/Edit it again\? \[y\/N\] /);
  terminal.type(ctrlC);
  const { screen } = await terminal.ended;
  expect(readFileSync(savedFile(screen) ?? '', 'utf8')).toContain('\nLOG_LEVEL=debug\n???\n');
  expect(plain(screen)).toMatch(/error: interrupted;.*\r\ncode 130\r\n$/);
  expect(left()).toHaveLength(1);
});

test.each(['SIGTERM', 'SIGHUP', 'SIGINT'] as const)('%s ends the editor and us, and nothing stays', async (signal) => {
  const { env, left } = sandbox("sh -c 'echo ready >&2; exec sleep 60'");
  const running = start(['stack', 'env', 'edit', '-y'], { env });
  await running.tells(/ready/);
  expect(left()).toHaveLength(1);
  running.kill(signal);
  expect(await running.ended).toEqual({
    code: null,
    signal,
    stdout: '',
    stderr: `${mark}ready\nerror: interrupted${unchanged}\n`,
  });
  expect(left()).toEqual([]);
});

test('SIGTERM stops the run also where the editor saves and ends well', async () => {
  const { env, left } = sandbox(
    editor(`trap 'sed -i s/info/debug/ "$1"; exit 0' TERM; echo ready >&2; while :; do sleep 0.05; done`),
  );
  const running = start(['stack', 'env', 'edit', 'LOG_LEVEL', '-y'], { env });
  await running.tells(/ready/);
  running.kill('SIGTERM');
  expect(await running.ended).toMatchObject({ code: null, signal: 'SIGTERM', stdout: '' });
  expect(left()).toEqual([]);
  expect(await logLevel(env)).toBe('info\n');
});

test('Ctrl-C in a terminal is for the editor', async () => {
  const { env } = sandbox(
    editor(`trap 'sed -i s/info/debug/ "$1"; exit 0' INT; echo ready; while :; do sleep 0.05; done`),
  );
  const terminal = openTerminal('stackops stack env edit LOG_LEVEL', env);
  await terminal.shows(/ready/);
  terminal.type(ctrlC);
  await terminal.shows(/\[y\/N\] /);
  terminal.type('y\r');
  expect((await terminal.ended).code).toBe(0);
  expect(await logLevel(env)).toBe('debug\n');
});

function savedFile(screen: string): string | undefined {
  return /warning: your text was saved to\s+(\S+);\s+delete the file after use\r\n/.exec(plain(screen))?.[1];
}
