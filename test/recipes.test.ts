import { existsSync, readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { parse } from 'yaml';
import { seedMoment, seedState } from '../src/sandbox/seed/seed.ts';
import { parseFault } from '../src/sandbox/server/faults.ts';
import type { State } from '../src/sandbox/state.ts';
import { type Installed, type Place, packed, place, type RecipeOptions, recipe } from './support/recipes.ts';

/** The recipes of docs/ci.md as their systems run them, as far as a shell can: what is asked, sent, shown and returned. */
const shop = '5f3c9a1e7b2d4c8f9e0a1b2c3d4e5f60';
const deploy = `POST /stacks/${shop}/deployments`;
const commit = 'd9a2ece9903ffe5077dbb9dc988929f0004db978';
const broken503: RecipeOptions = { faults: [parseFault('POST /stacks/*/deployments=503')] };

let tool: Installed;
beforeAll(async () => {
  tool = await packed();
});
afterAll(() => tool.remove());

interface Step {
  readonly name?: string;
  readonly uses?: string;
  readonly if?: string;
  readonly run?: string;
}

interface Workflow {
  readonly on: unknown;
  readonly jobs: Readonly<
    Record<string, { readonly env: Readonly<Record<string, string>>; readonly steps: readonly Step[] }>
  >;
}

interface GitLabJob extends Readonly<Record<string, unknown>> {
  readonly before_script: readonly string[];
  readonly script: readonly string[];
  readonly after_script: readonly string[];
}

const workflow: Workflow = parse(recipe('yaml', '.github/workflows'));
const pipeline: Readonly<Record<string, GitLabJob>> = parse(recipe('yaml', '.gitlab-ci.yml'));

test.each([
  ['GitHub Actions', workflow.jobs['deploy']?.steps.find(({ name }) => name === 'Install')?.run],
  ['GitLab CI', pipeline['deploy']?.before_script.join('\n')],
])('%s: installs the tool', async (_, line = '') => {
  const { run, folder } = await place(tool);
  const npm = { ...tool.npm, npm_config_prefix: folder };
  expect(await run(['bash', '-ec', line], { ...npm, STACKOPS_TARBALL: tool.tarball })).toMatchObject({ code: 0 });
  expect(await run(['bin/stackops', '--version'])).toMatchObject({ code: 0, stderr: '' });
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
    ['a token that is refused', 5, [], { faults: [parseFault('POST /stacks/*/deployments=403')] }, 'stopped with 5'],
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

describe('GitHub Actions', () => {
  const whenStarted = "always() && env.DEPLOYMENT != ''";
  const whenUnfinished = "(failure() || cancelled()) && env.DEPLOYMENT != ''";

  test('the workflow has the keys that the system knows', () => {
    const job = workflow.jobs['deploy'];
    expect(Object.keys(workflow)).toEqual(['name', 'on', 'permissions', 'concurrency', 'jobs']);
    expect(workflow.on).toEqual({ push: { branches: ['main'] } });
    expect(Object.keys(job ?? {})).toEqual(['runs-on', 'timeout-minutes', 'env', 'steps']);
    for (const step of job?.steps ?? []) {
      expect(['uses,with', 'name,run', 'name,if,run']).toContain(String(Object.keys(step)));
      expect([undefined, whenStarted, whenUnfinished]).toContain(step.if);
    }
  });

  interface Job extends RecipeOptions {
    /** What others do at the service before the job begins. */
    readonly before?: readonly string[];
    /** A step that fails whatever it says. */
    readonly broken?: string;
  }

  /**
   * Runs the steps as a runner does: each in a `bash -e` of its own, with what those before it put into $GITHUB_ENV;
   * after a failure only those that ask for it. The tool is there already, unless installing it is what fails.
   */
  async function ran(sha: string, { before = ['true'], broken, ...options }: Job = {}) {
    const at = await place(tool, options);
    expect((await at.run(before)).code).toBe(0);
    const own = at.changes().length;
    const [summary, kept] = [join(at.folder, 'summary.md'), join(at.folder, 'env')];
    const given = { ...(await environmentOf(at)), GITHUB_SHA: sha, GITHUB_STEP_SUMMARY: summary, GITHUB_ENV: kept };
    const codes: Record<string, number | null> = {};
    const steps = workflow.jobs['deploy']?.steps.filter(
      ({ run, name }) => run && (name !== 'Install' || broken === name),
    );
    for (const { name = '', if: condition, run = '' } of steps ?? []) {
      const env = { ...given, ...keptIn(kept) };
      const hasFailed = Object.values(codes).some((code) => code !== 0);
      if (!isDue(condition, hasFailed, env)) continue;
      const file = join(at.folder, 'step.sh');
      writeFileSync(file, name === broken ? 'exit 1' : run);
      codes[name] = (await at.run(['bash', '-e', file], env)).code;
    }
    return {
      codes,
      changes: at.changes().slice(own),
      summary: existsSync(summary) ? readFileSync(summary, 'utf8') : '',
    };
  }

  function isDue(condition: string | undefined, hasFailed: boolean, env: { readonly DEPLOYMENT?: string }): boolean {
    if (condition === undefined) return !hasFailed;
    return (env.DEPLOYMENT ?? '') !== '' && (condition === whenStarted || hasFailed);
  }

  /** `NAME=value`, a line each. */
  function keptIn(file: string): { readonly DEPLOYMENT?: string } {
    const lines = existsSync(file) ? readFileSync(file, 'utf8').trimEnd().split('\n') : [];
    return Object.fromEntries(lines.filter((line) => line !== '').map((line) => line.split('=')));
  }

  /** The job's own, with what the repository keeps in its variables and secrets. */
  async function environmentOf({ env }: Place): Promise<Record<string, string>> {
    const kept: Record<string, string> = { ...env, STACKOPS_TARBALL: tool.tarball };
    const given = Object.entries(workflow.jobs['deploy']?.env ?? {}).map(([name, value]) => {
      const [, from = '', key = ''] = /^\$\{\{ (vars|secrets)\.(\w+) \}\}$/.exec(value) ?? [];
      expect(from, value).toBe(key === 'STACKOPS_TOKEN' ? 'secrets' : 'vars');
      return [name, kept[key] ?? ''];
    });
    // What the job does not name is not there.
    return { STACKOPS_BASE_URL: '', STACKOPS_STACK: '', STACKOPS_TOKEN: '', ...Object.fromEntries(given) };
  }

  test('deploys the commit and sums it up', async () => {
    const { codes, changes, summary } = await ran(commit);
    expect(codes).toEqual({ Deploy: 0, 'Wait for the result': 0, Summary: 0 });
    expect(changes).toEqual([deploy]);
    expect(summary).toBe(`Deployment 1042: success, [d9a2ece](https://git.example/harbour/shop/commit/${commit})\n`);
  });

  test('cancels what is not over in time', async () => {
    const { codes, changes, summary } = await ran(commit, { stuck: true });
    expect(codes).toEqual({ Deploy: 0, 'Wait for the result': 8, 'Cancel it': 0, Summary: 0 });
    expect(changes).toEqual([deploy, `DELETE /stacks/${shop}/deployments/1042`]);
    expect(summary).toBe(`Deployment 1042: cancelled, [d9a2ece](https://git.example/harbour/shop/commit/${commit})\n`);
  });

  test('leaves alone what somebody else made of the same commit', async () => {
    const before = ['stackops', 'redeploy', '-y', '--git-ref', commit];
    const { codes, changes } = await ran(commit, { stuck: true, before });
    expect(codes).toEqual({ Deploy: 0, 'Wait for the result': 8, 'Cancel it': 0, Summary: 0 });
    expect(changes).toEqual([deploy, `DELETE /stacks/${shop}/deployments/1043`]);
  });

  test('has nothing to cancel when it failed by itself', async () => {
    const { codes, changes, summary } = await ran('broken');
    expect(codes).toEqual({ Deploy: 0, 'Wait for the result': 9, 'Cancel it': 0, Summary: 0 });
    expect(changes).toEqual([deploy]);
    expect(summary).toMatch(/^Deployment 1042: failed, /);
  });

  test.each<[string, Job, Readonly<Record<string, number>>, readonly string[]]>([
    ['the tool cannot be installed', { broken: 'Install' }, { Install: 1 }, []],
    ['nobody knows whether it was taken on', broken503, { Deploy: 11 }, [deploy]],
  ])('does nothing more when %s', async (_, job, ended, sent) => {
    const { codes, changes, summary } = await ran(commit, job);
    expect(codes).toEqual(ended);
    expect(changes).toEqual(sent);
    expect(summary).toBe('');
  });
});

describe('GitLab CI', () => {
  test('the job has the keys that the system knows', () => {
    const { deploy: job, ...others } = pipeline;
    expect(others).toEqual({});
    expect(job).toEqual({
      stage: 'deploy',
      image: 'node:22',
      rules: [{ if: '$CI_COMMIT_BRANCH == $CI_DEFAULT_BRANCH' }],
      environment: { name: 'production' },
      resource_group: 'production',
      timeout: '40 minutes',
      allow_failure: { exit_codes: 8 },
      before_script: [expect.any(String)],
      script: [expect.any(String)],
      after_script: [expect.any(String)],
      artifacts: { when: 'always', paths: ['deployments.json'] },
    });
  });

  test.each<[number, string, RecipeOptions, string | undefined]>([
    [0, commit, {}, 'success'],
    [8, commit, { stuck: true }, 'pending'],
    [9, 'broken', {}, 'failed'],
    [11, commit, broken503, undefined],
  ])('its script ends with %i', async (code, sha, options, outcome) => {
    const { run, changes, folder } = await place(tool, options);
    const { script = [], after_script: after = [] } = pipeline['deploy'] ?? {};
    const env = { CI_COMMIT_SHA: sha };
    const ended = await run(['bash', '-eo', 'pipefail', '-c', script.join('\n')], env);
    expect(ended.code).toBe(code);
    expect((await run(['bash', '-eo', 'pipefail', '-c', after.join('\n')], env)).code).toBe(0);
    const [row] = JSON.parse(readFileSync(join(folder, 'deployments.json'), 'utf8'));
    expect(row.id === 1042 ? row.outcome.meaning : undefined).toBe(outcome);
    expect(changes()).toEqual([deploy]);
  });
});

describe('cron', () => {
  const table = recipe('crontab', 'MAILTO');
  const variables = [...table.matchAll(/^(\w+)=(\S+)$/gm)].map(([, name = '', value = '']) => [name, value]);
  const jobs = [...table.matchAll(/^\d+ \d+ \* \* \* (.+)$/gm)].map(([, command = '']) => command);
  const [lastDeployment = '', staleBackups = ''] = jobs;

  /** Runs a line as cron does, after the sign-in of its user: a small environment, and what is printed is mailed. */
  async function mailed(command: string, options: RecipeOptions = {}): Promise<string> {
    const at = await place(tool, options);
    const login =
      'stackops profile set base_url="$STACKOPS_BASE_URL"; echo "$STACKOPS_TOKEN" | stackops auth login --token-stdin';
    expect(await at.run(['bash', '-ec', login])).toMatchObject({ code: 0 });
    const { PATH = '', HOME = '', NODE_OPTIONS = '' } = at.env;
    const known = Object.entries({ ...Object.fromEntries(variables), HOME, NODE_OPTIONS, PATH });
    const words = known.map(([name, value]) => `${name}=${value}`);
    const { stdout, stderr } = await at.run(['env', '-i', ...words, '/bin/sh', '-c', command]);
    expect(at.changes()).toEqual([]);
    return stdout + stderr;
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
    expect(await mailed(lastDeployment)).toBe('');
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
    expect(await mailed(staleBackups, { state })).toBe('No backup.\nerror: no database has a backup\n');
  });

  test.each([[lastDeployment], [staleBackups]])('a check that cannot be made is mailed: %s', async (command) => {
    const faults = [parseFault('GET /stacks/*/deployments=403'), parseFault('GET /stacks/*/backups=403')];
    expect(await mailed(command, { faults })).toMatch(/^error: access denied \(403\)/);
  });
});
