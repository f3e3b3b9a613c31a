import { existsSync, readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { beforeAll, describe, expect, test } from 'vitest';
import { parse } from 'yaml';
import { seedMoment, seedState } from '../../src/sandbox/seed/seed.ts';
import type { State } from '../../src/sandbox/state.ts';
import { type Installed, packed } from '../support/packaging.ts';
import { place, type RecipeOptions, recipe, type TargetKind } from '../support/recipes.ts';
import { run } from '../support/stackops.ts';

/** The recipes of docs/ci.md as their systems run them, as far as a shell can: what is asked, sent, shown and returned. */
const shop = '5f3c9a1e7b2d4c8f9e0a1b2c3d4e5f60';
const deploy = `POST /stacks/${shop}/deployments`;
const broken503: RecipeOptions = { faults: ['POST /stacks/*/deployments=503'] };

let tool: Installed;
beforeAll(async () => {
  tool = await packed();
});

test('what would be asked ends with 2 before anything is sent', async () => {
  const { run, changes } = await place(tool);
  const { code, stderr } = await run(['stackops', 'redeploy', '--wait']);
  expect(code).toBe(2);
  expect(stderr).toContain('hint: stackops redeploy -w -y\n');
  expect(changes()).toEqual([]);
});

describe('the shell script', () => {
  const script = recipe('bash', 'deploy.sh [git-ref]');
  const variable = `POST /stacks/${shop}/environments`;
  const store = '#!/bin/sh\n[ "$*" = "kv get -field=api_secret secret/shop" ] && echo of-the-store\n';

  async function deployed(ref: readonly string[] = [], options: RecipeOptions = {}, vault = store) {
    const at = await place(tool, options);
    at.provide('vault', vault);
    at.provide('deploy.sh', script);
    return { ...at, ended: await at.run(['deploy.sh', ...ref]) };
  }

  test('deploys, and brings the secret along unseen', async () => {
    const { ended, changes, requests } = await deployed(['main']);
    expect(ended.code).toBe(0);
    expect(ended.stdout.split('\n')).toEqual([
      'deployment 1042 succeeded after 4s: commit 2b88259',
      'Previously live: deployment 1041, commit d8b847d',
      'deploy.sh: deployed',
      '',
    ]);
    expect(changes()).toEqual([variable, deploy]);
    expect(requests.filter(({ method }) => method === 'POST').map(({ body }) => JSON.parse(body))).toEqual([
      { key: 'API_SECRET', value: 'of-the-store' },
      { git_ref: 'main', user_reference: expect.any(String) },
    ]);
    expect(ended.stdout + ended.stderr).not.toContain('of-the-store');
  });

  test.each<[string, number, readonly string[], RecipeOptions, string]>([
    ['a deployment that fails', 9, ['broken'], {}, 'the deployment failed'],
    ['a service that breaks', 11, [], broken503, 'outcome unknown; check before you run this again'],
    ['a deployment that takes longer', 8, [], { stuck: true }, 'still running after 20 minutes'],
    ['a token that is refused', 5, [], { faults: ['POST /stacks/*/deployments=403'] }, 'stopped with 5'],
  ])('%s is %i', async (_, code, ref, options, said) => {
    const { ended, changes } = await deployed(ref, options);
    expect(ended.code).toBe(code);
    expect(ended.stderr).toMatch(/^error: /m);
    expect(ended.stderr.split('\n').at(-2)).toBe(`deploy.sh: ${said}`);
    expect(changes().filter((change) => change === deploy)).toHaveLength(1);
  });

  test('sends nothing when the store gives nothing', async () => {
    const { ended, changes } = await deployed([], {}, '#!/bin/sh\necho "permission denied" >&2\nexit 2\n');
    expect(ended).toMatchObject({ code: 2, stdout: '', stderr: 'permission denied\n' });
    expect(changes()).toEqual([]);
  });

  test('sends nothing without its variables', async () => {
    const { run, provide, changes } = await place(tool);
    provide('deploy.sh', script);
    const { code, stderr } = await run(['deploy.sh'], { STACKOPS_STACK: '' });
    expect([code, stderr]).toEqual([2, expect.stringContaining('STACKOPS_STACK')]);
    expect(changes()).toEqual([]);
  });
});

describe('cron', () => {
  const table = recipe('crontab', 'MAILTO');
  const variables = [...table.matchAll(/^(\w+)=(\S+)$/gm)].map(([, name = '', value = '']) => [name, value]);
  const jobs = [...table.matchAll(/^\d+ \d+ \* \* \* (.+)$/gm)].map(([, command = '']) => command);
  const [lastDeployment = '', staleBackups = ''] = jobs;

  /** Runs a line as cron does, after the sign-in of its user: a small environment, and what is printed is mailed. */
  async function mailed(command: string, options: RecipeOptions = {}, signIn = signInHere): Promise<string> {
    const at = await place(tool, options);
    await signIn(at);
    const { PATH = '', HOME = '', NODE_OPTIONS = '' } = at.env;
    const known = Object.entries({ ...Object.fromEntries(variables), HOME, NODE_OPTIONS, PATH });
    const words = known.map(([name, value]) => `${name}=${value}`);
    const { stdout, stderr } = await at.run(['env', '-i', ...words, '/bin/sh', '-c', command]);
    expect(at.changes()).toEqual([]);
    return stdout + stderr;
  }

  /** In this process, into the same files. */
  async function signInHere({ env, url, token }: TargetKind): Promise<void> {
    const own = { env: { HOME: env['HOME'] ?? '', STACKOPS_CONFIG_DIR: '', XDG_STATE_HOME: '' }, stdin: token };
    expect(await run(['profile', 'set', `base_url=${url.href}`], own)).toMatchObject({ code: 0 });
    expect(await run(['auth', 'login', '--token-stdin'], own)).toMatchObject({ code: 0 });
  }

  async function signInByShell(at: TargetKind): Promise<void> {
    const login =
      'stackops profile set base_url="$STACKOPS_BASE_URL"; echo "$STACKOPS_TOKEN" | stackops auth login --token-stdin';
    expect(await at.run(['bash', '-ec', login])).toMatchObject({ code: 0 });
  }

  /** Good backups that are this old. */
  function backedUp(hours: number): State {
    const state = seedState(seedMoment);
    const then = new Date(Date.now() - hours * 3_600_000).toISOString().replace(/\.\d+Z$/, 'Z');
    for (const { backups } of state.stacks) for (const { row } of backups) row.backup_date_iso = then;
    return state;
  }

  test('every line is a variable, a comment or a job, without the % that cron reads as a line feed', () => {
    const others = table.split('\n').filter((line) => !/^$|^#|^\w+=\S+$/.test(line));
    expect(others).toHaveLength(jobs.length);
    expect(jobs).toHaveLength(2);
    expect(jobs.join('')).not.toContain('%');
  });

  test('nothing is mailed while all is well', async () => {
    expect(await mailed(lastDeployment, {}, signInByShell)).toBe('');
    expect(await mailed(staleBackups, { state: backedUp(20) })).toBe('');
  });

  test('a failed deployment is mailed', async () => {
    const state = seedState(seedMoment);
    const [last] = state.stacks[0]?.deployments.slice(-1) ?? [];
    if (last) last.row.outcome = { code: 2, meaning: 'failed' };
    expect(await mailed(lastDeployment, { state })).toBe('error: shop/production: deployment 1041 failed\n');
  });

  test('databases without a good backup are mailed', async () => {
    const state = backedUp(30);
    for (const { row } of state.stacks[0]?.backups ?? []) if (row.db_type === 'redis') row.backup_status = 1;
    expect(await mailed(staleBackups, { state })).toBe(
      'error: postgresql shop_prod: no good backup within 26h, last good 30h ago (400.0 KiB); redis shop_cache: failed 30h ago, no good backup; postgresql shop_events: no good backup within 26h, last good 30h ago (2.5 MiB)\n',
    );
    for (const stack of state.stacks) stack.backups = [];
    expect(await mailed(staleBackups, { state })).toBe('error: no database has a backup\n');
  });

  test.each([[lastDeployment], [staleBackups]])('a check that cannot be made is mailed: %s', async (command) => {
    const faults = ['GET /stacks/*/deployments=403', 'GET /stacks/*/backups=403'];
    expect(await mailed(command, { faults })).toMatch(/^error: access denied \(403\)/);
  });
});

describe('stacks as a file', () => {
  const { jobs } = parse(recipe('yaml', 'stackops.lock')) as Workflow;
  const stackFile = (more = '') =>
    `version: 1\nstack: shop/production\nenv: { LOG_LEVEL: debug, FROM_CI: { env: NOT_SET }${more} }\n`;
  /** Keeps the open issue in a file, and notes what it was asked. */
  const gh = `#!/bin/sh
echo "$*" >> "$HOME/gh"
case $2 in
  list) cat "$HOME/issue" 2>/dev/null || true ;;
  create) echo 7 > "$HOME/issue" ;;
  close) rm "$HOME/issue" ;;
esac
`;

  /** A repository with the file; `run` plays the script of a job as a runner does. */
  async function repository(text: string, options: RecipeOptions = {}) {
    const at = await place(tool, options);
    at.provide('gh', gh);
    writeFileSync(join(at.folder, 'stackops.yaml'), text);
    const git =
      'git init -q --bare origin.git; git init -q -b main; git remote add origin origin.git; git add stackops.yaml; git -c user.name=a -c user.email=a@b commit -qm first; git push -q -u origin main';
    expect(await at.run(['bash', '-ec', git])).toMatchObject({ code: 0 });
    const runJob = async (name: keyof Workflow['jobs']) => {
      const script = jobs[name].steps.flatMap(({ run: lines }) => lines ?? []).join('\n');
      const summary = join(at.folder, 'summary');
      const env = { RUNNER_TEMP: at.folder, GITHUB_STEP_SUMMARY: summary };
      const ended = await at.run(['bash', '-ec', script], env);
      return { ...ended, summary: existsSync(summary) ? readFileSync(summary, 'utf8') : '' };
    };
    return { ...at, runJob, asked: () => readFileSync(join(at.folder, 'gh'), 'utf8').trimEnd().split('\n') };
  }

  test('[32] a pull request gets the plan as a table, with references that do not resolve, and nothing is sent', async () => {
    const { runJob, changes } = await repository(stackFile());
    const { code, summary } = await runJob('plan');
    expect(code).toBe(0);
    expect(summary).toContain('| shop/production | env.LOG\\_LEVEL | update | unknown | info | debug |');
    expect(summary).toContain('not resolved here');
    expect(changes()).toEqual([]);
  });

  test('[32] a broken file fails the pull request, and so does a service that cannot be read', async () => {
    expect(await (await repository('version: 2\n')).runJob('plan')).toMatchObject({ code: 2, summary: '' });
    const faults = ['GET /stacks/*/environments=503'];
    expect(await (await repository(stackFile(), { faults })).runJob('plan')).toMatchObject({ code: 7 });
  });

  test('[32] the main branch applies the reviewed plan, and commits the lock', async () => {
    const { runJob, changes, run } = await repository(stackFile().replace(', FROM_CI: { env: NOT_SET }', ''));
    expect(await runJob('apply')).toMatchObject({ code: 0 });
    expect(changes()).toEqual([expect.stringMatching(/^PUT .*\/environments\/LOG_LEVEL$/)]);
    const shown = await run(['git', '--git-dir=origin.git', 'show', '--stat', '--format=%s', 'main']);
    expect(shown.stdout).toMatch(/^stackops\.lock: after apply\n\n stackops\.lock /);
    // The second run has nothing to send and nothing to commit.
    expect(await runJob('apply')).toMatchObject({ code: 0 });
    expect(changes()).toHaveLength(1);
    expect((await run(['git', '--git-dir=origin.git', 'log', '--format=%s', 'main'])).stdout.split('\n')).toHaveLength(
      3,
    );
  });

  test('[32] the main branch sends nothing where a reference has no value', async () => {
    const { runJob, changes } = await repository(stackFile());
    expect(await runJob('apply')).toMatchObject({ code: 6 });
    expect(changes()).toEqual([]);
  });

  test('[32] drift opens one issue, keeps it up to date, and closes it', async () => {
    const { runJob, run, asked, changes } = await repository(
      'version: 1\nstack: shop/production\nenv: { LOG_LEVEL: info }\n',
    );
    const drift = () => runJob('drift');
    expect(await run(['stackops', 'pull', '--lock-only'])).toMatchObject({ code: 0 });
    expect(await drift()).toMatchObject({ code: 0 });
    expect(await run(['stackops', 'env', 'set', 'LOG_LEVEL=debug'])).toMatchObject({ code: 0 });
    const found = changes().length;
    expect([(await drift()).code, (await drift()).code]).toEqual([0, 0]);
    expect(changes()).toHaveLength(found);
    expect(await run(['stackops', 'env', 'set', 'LOG_LEVEL=info'])).toMatchObject({ code: 0 });
    expect(await run(['stackops', 'pull', '--lock-only'])).toMatchObject({ code: 0 });
    expect(await drift()).toMatchObject({ code: 0 });
    expect(asked().map((line) => line.split(' ')[1])).toEqual([
      'list',
      'list',
      'create',
      'list',
      'edit',
      'list',
      'close',
    ]);
  });
});

interface Workflow {
  readonly jobs: Readonly<Record<'plan' | 'apply' | 'drift', { readonly steps: readonly { readonly run?: string }[] }>>;
}
