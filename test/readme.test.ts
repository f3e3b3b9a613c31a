import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { expect, onTestFinished, test } from 'vitest';
import { exitMeanings } from '../src/problems/exit-codes.ts';
import { ownEnvironment, runBuilt, runShell } from './support/built.ts';
import { hasProgram } from './support/programs.ts';
import { startSandbox } from './support/sandbox.ts';
import { run, temporaryFolder } from './support/stackops.ts';

const readme = readFileSync(join(import.meta.dirname, '../README.md'), 'utf8');
const host = 'https://service.example/api/3';
/** Commands that wait for a person or for another program: held against their help page instead. */
const waits = /^stackops (auth login(?!.* --token-stdin)|sandbox start|sandbox run)\b/;

/** The fenced blocks of a language that name the tool. */
function blocks(language: string): readonly string[] {
  const fenced = readme.matchAll(new RegExp(`^\`\`\`${language}\\n([\\s\\S]*?)^\`\`\`$`, 'gm'));
  return [...fenced].map(([, text = '']) => text).filter((text) => text.includes('stackops '));
}

const titled = (text: string) => ({ title: text.split('\n', 1)[0], text });
const scripts = blocks('sh').filter((text) => !text.includes('npm '));
const lines = scripts.flatMap((script) => script.trimEnd().split('\n'));

test('the table of exit codes is that of the program', () => {
  const rows = [...readme.matchAll(/^\| (\d+) \| (.+) \|$/gm)].map(([, code, meaning]) => [Number(code), meaning]);
  expect(rows).toEqual(exitMeanings);
});

test.each(lines.filter((line) => waits.test(line)))('%s: its flags exist', async (line) => {
  const words = (line.split(' -- ', 1)[0] ?? '').split(' ');
  const path = words.slice(1, 3);
  const { code, stdout } = await runBuilt([...path, '--help']);
  expect(code).toBe(0);
  for (const flag of words.filter((word) => word.startsWith('--'))) expect(stdout).toContain(`  ${flag} `);
});

test.for(scripts.map(titled))('works as written: $title', { timeout: 60_000 }, async ({ text: script }, { skip }) => {
  skip(/\| jq /.test(script) && !hasProgram('jq'), 'there is no jq here');
  const served = /service\.example|stackops auth /.test(script) ? await serve() : undefined;
  const own = ownEnvironment({
    STACKOPS_TOKEN: '',
    TOKEN: 'sandbox_all',
    SECRET: 'made-up',
    STACKOPS_STACK: 'shop',
    ...(served ? { STACKOPS_BASE_URL: served } : { STACKOPS_SANDBOX: '1' }),
  });
  const text = script
    .split('\n')
    .filter((line) => !waits.test(line))
    .join('\n');
  const { code, stderr } = await runShell(`set -eu; cd "$FOLDER"; ${text.replaceAll(host, served ?? host)}`, {
    ...own,
    FOLDER: temporaryFolder(),
  });
  expect(stderr).not.toContain('error:');
  expect(code).toBe(0);
});

test('deployments work as written with a minute between the lines', async () => {
  const script = scripts.find((text) => text.includes('stackops deployment cancel')) ?? '';
  const folders = { STACKOPS_CONFIG_DIR: temporaryFolder(), XDG_STATE_HOME: temporaryFolder() };
  const env = { STACKOPS_SANDBOX: '1', STACKOPS_STACK: 'shop', ...folders };
  let nowMs = Date.parse('2026-05-04T12:00:00Z');
  for (const line of script.trimEnd().split('\n')) {
    nowMs += 60_000;
    const { code, stderr } = await run(line.split(' ').slice(1), { env, now: () => new Date(nowMs) });
    expect([line, code, stderr]).toEqual([line, 0, expect.not.stringContaining('error:')]);
  }
});

test.each(blocks('console').map(titled))('is what a terminal shows: $title', async ({ text: session }) => {
  expect(await replay(session)).toBe(session);
});

/** The address of a sandbox that goes with the test. */
async function serve(): Promise<string> {
  const sandbox = await startSandbox();
  onTestFinished(() => sandbox.close());
  return sandbox.url.href;
}

/** Types every `$` line on a terminal of 80 columns and notes what is seen, but for the mark of the sandbox. */
async function replay(session: string): Promise<string> {
  const env = {
    NO_COLOR: '1',
    STACKOPS_SANDBOX: '1',
    STACKOPS_STACK: 'shop',
    STACKOPS_CONFIG_DIR: temporaryFolder(),
    XDG_STATE_HOME: temporaryFolder(),
  };
  const seen: string[] = [];
  for (const [line, program, rest = ''] of session.matchAll(/^\$ (\S+) (.*)$/gm)) {
    seen.push(`${line}\n`);
    if (program !== 'stackops') continue;
    await run(rest.split(' '), { env, terminal: 80, shown: (text) => seen.push(text) });
  }
  return seen.join('').replaceAll('sandbox: nothing here is real\n', '');
}
