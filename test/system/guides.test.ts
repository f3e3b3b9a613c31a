import { existsSync, readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { expect, test } from 'vitest';
import { seedMoment, seedState } from '../../src/sandbox/seed/seed.ts';
import type { State } from '../../src/sandbox/state.ts';
import { ownEnvironment, runShell, skipSleep } from '../support/built.ts';
import { exampleFolder, inFolder, wordsOf } from '../support/examples.ts';
import { mark } from '../support/phrases.ts';
import { hasProgram } from '../support/programs.ts';
import { startSandbox, type TestSandbox, type TestSandboxOptions } from '../support/sandbox.ts';
import { ownFolders, type Ran, run } from '../support/stackops.ts';

/**
 * Every example of README.md, of docs/ and of the skill is executed: `console` to the letter, a section as one session;
 * `sh` line by line, by bash and the built program where the line needs a shell or a program, and in this process where it
 * is words alone.
 */
const root = join(import.meta.dirname, '../..');
const docs = readdirSync(join(root, 'docs')).map((name) => `docs/${name}`);
const paths = ['README.md', ...docs, 'skills/stackops/SKILL.md'];
const guides = paths.map((path) => ({ path, text: readFileSync(join(root, path), 'utf8') }));
const host = 'https://service.example/api/3';
/** Commands that wait for a person or serve until Ctrl-C: compared with their help page instead. */
const waits = /^stackops (auth login(?!.* --token-stdin)|sandbox start|status .*--watch)\b/;
/** Scripts that sign in by themselves. */
const signsIn = /stackops auth login .*--token-stdin/;

/** What scripts print whose exit code alone would prove little: a filter that finds nothing succeeds too. */
const printed: readonly (readonly [script: RegExp, stdout: RegExp])[] = [
  [/--with-stack blog\/production .*--keys-only/, /^NODE_ENV\tchanged\nSITE_URL\tchanged\nLOG_LEVEL\tchanged\n$/],
  [/env copy LOG_LEVEL/, /^LOG_LEVEL updated \(info -> debug\)\ndeployment \d+ queued/m],
  [/secrets-env/, /^API_SECRET created \(\*\*\*\)$/m],
  [
    /API_SECRET --stdin .*--redeploy/,
    /^(.*\n)*shop: deployment \d+ succeeded .*\n(.*\n)*blog\/production: deployment \d+ succeeded /m,
  ],
  [/env diff shop.env --keys-only --exit-code/, /^shop.env: 34 added/m],
  [/env edit LOG_LEVEL -y/, /^LOG_LEVEL updated \(info -> debug\)$/m],
  [/env run --only/, /^LOG_LEVEL=info$/m],
  [/history undo 1 /, /^LOG_LEVEL rolled back \(debug -> info\)$/m],
  [/^stackops restart --deploy/, /: commit d8b847d$/m],
  [/^stackops restart --servers/, /^(server shop-\S+ rebooted\n){4}$/],
  [/deployment promote .* --wait/, /^(.*\n)*deployment 1043 succeeded .*\nPreviously live: deployment 1033, /],
  [
    /redeploy -s blog\/staging,blog/,
    /^(blog\/\S+: .*\n)*blog\/production: continuous\.deploy updated \(false -> true\)\n$/,
  ],
  [/status --all\n/, /^(\S+\t\S+\t[^\t]+\t[0-9a-f]{40}\t\S+Z\t.+\n){3}$/],
  [/\| at now/, /queued\): 1 -> 3 on shop-web-1, .*\n.*queued\): 3 -> 1 on shop-web-1, /],
  [/tags add/, /, canary\)\n.* -> canary\)\n$/],
  [/health_state!=healthy/, /^shop\tshop-web-2\timpaired\n$/],
  [/^stackops open/, /^https:\/\/git\.example\/harbour\/shop\/commit\/d8b847d[0-9a-f]{33}\n$/],
  [/ssh-config/, /^$/],
  [/if-busy skip/, /^deployment 1042 succeeded .*\n(.*\n)*deployment 1043 queued/],
  [/--commit "\$SHA" --live/, /^deployment 1041 succeeded after 4m 10s: commit d8b847d, live$/m],
  [/db user create reporter --database/, /^Password: \S+$/m],
  [/regenerate-password analytics/, /^Password: \S+$/m],
  [/--to-env/, /^DATABASE_PASSWORD created \(\*\*\*\)$/m],
  [/backup download/, /^wrote shop_prod_\d{8}_\d{6}\.tar /],
  [/xargs -n 1/, /^Email:\tmara@.*\n(.*\n)*Rights:\tcan_create_stack, .*\n(.*\n)*Role in /m],
];

/** Scripts that end with another code than 0, and their last line on stderr: checks that find something. */
const found: readonly (readonly [script: RegExp, code: number, stderr: RegExp])[] = [
  [
    /^stackops backup check/,
    9,
    /^error: postgresql shop_events: no good backup within 26h, last good 2d ago \(2\.5 MiB\)\n$/,
  ],
  // The recipes of the servers are tried with a real sshd.
  ...['ssh shop-web-1$', 'ssh shop-worker-1', 'run --where', 'run -y', 'cp shop-web-1'].map(
    (words) => [new RegExp(`^stackops server ${words}`, 'm'), 6, /the sandbox has no machines/] as const,
  ),
];

interface Example {
  readonly path: string;
  readonly title: string;
  readonly text: string;
}

/** The fenced blocks of a language that name the tool. */
function examples(language: string): readonly Example[] {
  const fence = new RegExp(`^\`\`\`${language}\\n([\\s\\S]*?)^\`\`\`$`, 'gm');
  return guides.flatMap(({ path, text: guide }) =>
    [...guide.matchAll(fence)]
      .map(([, text = '']) => ({ path, title: text.split('\n', 1)[0] ?? '', text }))
      .filter(({ text }) => text.includes('stackops ')),
  );
}

// Installing is the matter of test/packaging/.
const scripts = examples('sh').filter(({ text }) => !/\bnpm |\binstall\.sh /.test(text));
const lines = scripts.flatMap(({ text }) => text.trimEnd().split('\n'));

test('README.md fits on 200 lines and leads to every guide', () => {
  const [readme, ...others] = guides;
  expect(readme?.text.trimEnd().split('\n').length).toBeLessThanOrEqual(200);
  expect(others.filter(({ path }) => !readme?.text.includes(`(${path})`))).toEqual([]);
});

test.each(guides)('$path: its links lead somewhere', ({ path, text }) => {
  const linked = [...text.matchAll(/\]\(([\w./-]+)[)#]/g)].map(([, to = '']) => join(root, path, '..', to));
  expect(linked.filter((to) => !existsSync(to))).toEqual([]);
});

test.each(lines.filter((line) => waits.test(line)))('%s: its flags exist', async (line) => {
  const words = line.split(' ');
  const { code, stdout } = await run([...words.slice(1, 3), '--help']);
  expect(code).toBe(0);
  for (const flag of words.filter((word) => word.startsWith('--'))) expect(stdout).toContain(`  ${flag} `);
});

test.for(scripts)('$path: works as written: $title', async ({ text: script }, { skip }) => {
  skip(/\| jq /.test(script) && !hasProgram('jq'), 'there is no jq here');
  const { code, stdout, stderr } = await runScript(script, await serve());
  const [, exit = 0, error] = found.find(([of]) => of.test(script)) ?? [];
  expect(code).toBe(exit);
  if (error) expect(stderr).toMatch(error);
  else expect(stderr).not.toContain('error:');
  for (const [, expected] of printed.filter(([of]) => of.test(script))) expect(stdout).toMatch(expected);
});

/** Whatever needs a shell, or another program, outside quotes. */
const needsShell = /["$|<>&;\\]|^(?!stackops )| run |download/;
/** What a line hands on to the next one. */
const handsOn = /[|\\]$|<<|^export /m;

/** Runs a script in a folder with the files that examples name; it ends with the first line that fails. */
async function runScript(script: string, sandbox: TestSandbox): Promise<Ran> {
  const folder = exampleFolder();
  const env = ownEnvironment({
    PATH: `${folder}:${process.env['PATH']}`,
    FOLDER: folder,
    HOME: folder,
    ...skipSleep,
    STACKOPS_BASE_URL: sandbox.url.href,
    STACKOPS_TOKEN: signsIn.test(script) ? '' : sandbox.token,
    STACKOPS_STACK: 'shop',
    TOKEN: 'sandbox_all',
    SECRET: 'made-up',
    SHA: 'd8b847d',
    GIT_COMMIT: '9d4e1f7a2b3c5d6e8f90a1b2c3d4e5f607182930',
  });
  const typed = script
    .split('\n')
    .filter((line) => !waits.test(line) && !/^(#|$)/.test(line))
    .map((line) => line.replace(/ +# .*$/, '').replaceAll(host, sandbox.url.href));
  let ran: Ran = { code: 0, stdout: '', stderr: '' };
  for (const text of handsOn.test(script) ? [typed.join('\n')] : typed) {
    const { code, stdout, stderr } = needsShell.test(text.replaceAll(/'[^']*'/g, ''))
      ? await runShell(`set -euo pipefail; cd "$FOLDER"; ${text}`, env)
      : await inFolder(folder, () => run(wordsOf(text), { env, now: () => new Date() }));
    ran = { code: code ?? 1, stdout: ran.stdout + stdout, stderr: ran.stderr + stderr };
    if (code !== 0) break;
  }
  return ran;
}

test('each text in `printed` and `found` belongs to one script', () => {
  const all = [...printed, ...found];
  expect(all.map(([of]) => scripts.filter(({ text }) => of.test(text)).length)).toEqual(all.map(() => 1));
});

const [cronCheck] = scripts.filter(({ text }) => /^stackops status .*--exit-code/.test(text));

test.each<readonly [string, number, string, (state: State) => TestSandboxOptions]>([
  ['nothing is wrong', 0, '', () => ({})],
  [
    'the last backup failed',
    9,
    'error: blog/production: postgresql blog: the newest backup failed\n',
    ({ stacks }) => {
      const last = stacks[2]?.backups.at(-1);
      if (last) last.row.backup_status = 1;
      return {};
    },
  ],
  [
    'the last deployment failed',
    9,
    'error: blog/production: deployment 1033 failed\n',
    ({ stacks }) => {
      const last = stacks[2]?.deployments.at(-1);
      if (last) last.row.outcome = { code: 2, meaning: 'failed' };
      return {};
    },
  ],
  [
    'the backups cannot be read',
    7,
    'error: blog/production: backups could not be read: access denied (403)',
    () => ({ faults: ['GET /stacks/*/backups=403'] }),
  ],
])('the check for cron when %s: exit code %i', async (_, code, stderr, prepare) => {
  const state = seedState(new Date());
  const ran = await runScript(cronCheck?.text ?? '', await serve({ state, ...prepare(state) }));
  expect([ran.code, ran.stderr]).toEqual([code, stderr === '' ? '' : expect.stringContaining(stderr)]);
});

const cancelling = scripts.filter(({ text }) => text.includes('stackops deployment cancel'));

test.each(cancelling)('$path: $title works with a minute between the lines', async ({ text: script }) => {
  const env = { STACKOPS_SANDBOX: '1', STACKOPS_STACK: 'shop', ...ownFolders() };
  let nowMs = Date.parse('2026-05-04T12:00:00Z');
  for (const line of script.trimEnd().split('\n')) {
    nowMs += 60_000;
    const { code, stderr } = await run(line.split(' ').slice(1), { env, now: () => new Date(nowMs) });
    expect([line, code, stderr]).toEqual([line, 0, expect.not.stringContaining('error:')]);
  }
});

test.each(sessions())('$path: is what a terminal shows: $title', async ({ text: session }) => {
  expect(await replay(session)).toBe(session);
});

/** The `console` blocks of each section, as one session. */
function sessions(): readonly Example[] {
  return guides.flatMap(({ path, text: guide }) =>
    guide.split(/^(?=## )/m).flatMap((section) => {
      const blocks = [...section.matchAll(/^```console\n([\s\S]*?)^```$/gm)].map(([, text = '']) => text);
      return blocks.length === 0 ? [] : [{ path, title: section.split('\n', 1)[0] ?? '', text: blocks.join('') }];
    }),
  );
}

/** A sandbox of today that closes with the test; five seconds pass between two requests, so waiting takes no time. */
async function serve(options: TestSandboxOptions = {}): Promise<TestSandbox> {
  let nowMs = Date.now();
  const now = () => {
    nowMs += 5_000;
    return new Date(nowMs);
  };
  const sandbox = await startSandbox({ now, state: seedState(new Date(nowMs)), ...options });
  return sandbox;
}

/**
 * Types every `$` line on a terminal of 80 columns and notes what is seen, but for the mark of the sandbox. `sleep` moves
 * the clock on.
 */
async function replay(session: string): Promise<string> {
  const env = { NO_COLOR: '1', STACKOPS_SANDBOX: '1', STACKOPS_STACK: 'shop', ...ownFolders() };
  const seen: string[] = [];
  let nowMs = seedMoment.getTime();
  let lastCode = 0;
  const slept = (ms: number): void => {
    nowMs += ms;
  };
  for (const [line, program, rest = ''] of session.matchAll(/^\$ (\S+) (.*)$/gm)) {
    seen.push(`${line}\n`);
    if (line === '$ echo $?') seen.push(`${lastCode}\n`);
    if (program === 'sleep') slept(Number(rest) * 1000);
    if (program !== 'stackops') continue;
    const now = new Date(nowMs);
    const shown = (text: string) => seen.push(text);
    ({ code: lastCode } = await run(rest.split(' '), { env, terminal: 80, now: () => now, slept, shown }));
  }
  return seen.join('').replaceAll(mark, '');
}
