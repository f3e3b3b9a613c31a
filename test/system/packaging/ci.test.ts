import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { beforeAll, describe, expect, test, vi } from 'vitest';
import { parse } from 'yaml';
import { engines, version } from '../../../package.json';
import { readAction, startAction } from '../../support/actions.ts';
import { follow } from '../../support/built.ts';
import { type Installed, packed, smallPackage } from '../../support/packaging.ts';
import { hasProgram } from '../../support/programs.ts';
import { place, type RecipeOptions, recipe, type TargetKind } from '../../support/recipes.ts';

/** What packaging/ holds for CI, executed as its systems do. */
const root = join(import.meta.dirname, '../../..');
const read = (path: string) => readFileSync(join(root, path), 'utf8');
const guide = read('docs/ci.md');
const shop = '5f3c9a1e7b2d4c8f9e0a1b2c3d4e5f60';
const deploy = `POST /stacks/${shop}/deployments`;
const cancel = (id: number) => `DELETE /stacks/${shop}/deployments/${id}`;
const commit = 'd9a2ece9903ffe5077dbb9dc988929f0004db978';
const broken503: RecipeOptions = { faults: ['POST /stacks/*/deployments=503'] };
const refused403: RecipeOptions = { faults: ['POST /stacks/*/deployments=403'] };
/** Time passes as it does: what nothing ends waits until it is told. */
const awake = { NODE_OPTIONS: '' };

let tool: Installed;
beforeAll(async () => {
  tool = await packed();
});

/** The rows of the table of docs/ci.md with this heading. */
function documented(heading: string): readonly (readonly [string, string])[] {
  const [, rows = ''] =
    new RegExp(`^\\| ${heading} \\| Meaning \\|\\n\\| --- \\| --- \\|\\n((?:\\|.*\\n)+)`, 'm').exec(guide) ?? [];
  return [...rows.matchAll(/^\| `([\w-]+)` \| (.*) \|$/gm)].map(([, name = '', meaning = '']) => [name, meaning]);
}

function described(values: Readonly<Record<string, { readonly description: string }>> = {}) {
  return Object.entries(values).map(([name, { description }]) => [name, description]);
}

describe.each(['setup', 'deploy'])('the action %s', (name) => {
  const action = readAction(name);

  test('is composite, of shell alone, and its run holds no expression that an input could break out of', () => {
    expect(action.runs.using).toBe('composite');
    expect(action.runs.steps.map(({ shell, run }) => [shell, run.includes('${{')])).toEqual([['bash', false]]);
    expect(Object.keys(action.inputs).filter((input) => /token|secret/i.test(input))).toEqual([]);
  });

  test('has the inputs and outputs of docs/ci.md', () => {
    expect(documented(`Input of ${name}`)).toEqual(described(action.inputs));
    expect(documented(`Output of ${name}`)).toEqual(described(action.outputs));
  });
});

describe('setup', () => {
  const recorded =
    '#!/bin/sh\nprintf "%s\\n" "$@" > "$HOME/npm"\nmkdir -p "$RUNNER_TEMP/stackops/bin"\nprintf "#!/bin/sh\\necho 0" > "$RUNNER_TEMP/stackops/bin/stackops"\nchmod +x "$RUNNER_TEMP/stackops/bin/stackops"\n';

  test('installs a tarball for the steps that follow, and masks the token', async () => {
    const at = await place(tool);
    const npm = { ...tool.npm, npm_config_prefix: at.folder, STACKOPS_TOKEN: '100%-made-up' };
    const { code, stdout, path } = await startAction('setup', at, { inputs: { tarball: smallPackage() }, env: npm })
      .ended;
    expect(code).toBe(0);
    expect(stdout.split('\n')[0]).toBe('::add-mask::100%25-made-up');
    expect(stdout).toContain(`\n${version}\n`);
    const ended = await at.run([join(path.trimEnd(), 'stackops'), '--version']);
    expect(ended).toMatchObject({ code: 0, stdout: `${version}\n` });
  });

  test.each([
    ['the version of the action', {}, `stackops@${version}`],
    ['the one that is named', { version: '1.2.3' }, 'stackops@1.2.3'],
    ['one named by its tag', { version: 'v1.2.3' }, 'stackops@1.2.3'],
  ])('installs %s, without scripts, and never the latest', async (_, inputs, wanted) => {
    const at = await place(tool);
    at.provide('npm', recorded);
    const { code, path } = await startAction('setup', at, { inputs }).ended;
    expect(code).toBe(0);
    const words = readFileSync(join(at.folder, 'npm'), 'utf8').trimEnd().split('\n');
    expect(words).toEqual(['install', '--global', '--ignore-scripts', '--prefix', expect.any(String), '--', wanted]);
    expect(path).toBe(`${words[4]}/bin\n`);
  });

  test('fails where the installation fails', async () => {
    const at = await place(tool);
    at.provide('npm', '#!/bin/sh\nexit 1\n');
    expect(await startAction('setup', at).ended).toMatchObject({ code: 1, path: '' });
  });
});

describe('deploy', () => {
  /** Runs it to its end. */
  async function deployed(ref: string, options: RecipeOptions = {}, inputs = {}) {
    const at = await place(tool, options);
    const ended = await startAction('deploy', at, { inputs, env: { GITHUB_SHA: ref } }).ended;
    const annotations = [...ended.stdout.matchAll(/^::error title=stackops::(.*)$/gm)].map(([, text]) => text);
    return { ...ended, annotations, changes: at.changes(), requests: at.requests };
  }

  test('deploys the commit, waits, and hands over what came of it', async () => {
    const { code, outputs, summary, annotations, changes, requests } = await deployed(commit);
    expect(code).toBe(0);
    expect(outputs).toEqual({ deployment: '1042', commit, outcome: 'success' });
    expect(summary).toMatch(
      /^Deployment 1042: success \(commit d9a2ece\)\n\n\| ID \| OUTCOME .*\n\|[-: |]+\|\n\| 1042 \| success \|.*\n$/,
    );
    expect([annotations, changes]).toEqual([[], [deploy]]);
    expect(requests.flatMap(({ method, body }) => (method === 'POST' ? [JSON.parse(body)] : []))).toEqual([
      { git_ref: commit, user_reference: expect.any(String) },
    ]);
  });

  test.each<[string, number, string, RecipeOptions, object, string, RegExp]>([
    [
      'fails',
      9,
      'broken',
      {},
      { deployment: '1042', outcome: 'failed' },
      'Deployment 1042: failed',
      /^deployment 1042 failed after .*: The build failed\./,
    ],
    [
      'is not over in time',
      8,
      commit,
      { stuck: true },
      { deployment: '1042', outcome: 'pending' },
      'Deployment 1042: pending',
      /^deployment 1042 has not finished after 2m/,
    ],
    [
      'has no answer',
      11,
      commit,
      broken503,
      { deployment: '', commit: '', outcome: 'unknown' },
      'It is not known whether a deployment was started.',
      /./,
    ],
    [
      'is refused',
      5,
      commit,
      refused403,
      { deployment: '', commit: '', outcome: '' },
      'No deployment was started (exit code 5).',
      /^access denied \(403\)/,
    ],
  ])(
    'a deployment that %s ends the step with %i and an annotation, and no text of the service is a command to the runner',
    async (_, ending, ref, options, handed, said, told) => {
      const { code, outputs, summary, annotations, changes, stderr, stdout } = await deployed(ref, options, {
        'wait-timeout': '2m',
      });
      expect(code).toBe(ending);
      expect(outputs).toMatchObject(handed);
      expect(summary.startsWith(said)).toBe(true);
      expect(annotations).toEqual([expect.stringMatching(told)]);
      expect(changes).toEqual([deploy]);
      // What stackops says is between two marks.
      const [, mark = ''] = /^::stop-commands::(\S+)\n/.exec(stderr) ?? [];
      expect(mark).toMatch(/^stackops-\d+$/);
      const outside = stderr.split(/^::stop-commands::(?:\S+)\n[\s\S]*?^::stackops-\d+::\n/gm).join('');
      expect([outside, stdout.replaceAll(/^::error .*\n/gm, '')]).toEqual(['', expect.not.stringContaining('::')]);
    },
  );

  test.each([
    [0, 'success', 'success\tx; y\\n', { outcome: 'success', commit: '' }],
    [8, 'success', `success\t${commit}`, { outcome: 'pending', commit }],
    [9, 'cancelled', `cancelled\t${commit}`, { outcome: 'cancelled', commit }],
    [1, 'success\\nid=7', `success\\nid=7\t${commit}`, { outcome: 'unknown', commit }],
    [1, '', '', { outcome: 'unknown', commit: '' }],
  ])('hands over fixed words: exit code %i and the word "%s" of the service', async (ending, _, found, handed) => {
    const at = await place(tool);
    at.provide(
      'stackops',
      `#!/bin/sh\ncase $* in redeploy*) echo 1042 ;; *wait*) exit ${ending} ;; *get*) printf '%s\\n' '${found}' ;; esac\n`,
    );
    const { code, outputs } = await startAction('deploy', at, { env: { GITHUB_SHA: commit } }).ended;
    expect([code, outputs]).toEqual([ending, { deployment: '1042', ...handed }]);
  });

  test('waits for half an hour where nothing else is said', () => {
    expect(readAction('deploy').inputs['wait-timeout']?.default).toBe('30m');
  });

  test('an empty git-ref deploys nothing, and services take its place', async () => {
    const empty = await deployed('', {}, { 'git-ref': '' });
    expect([empty.code, empty.changes, empty.outputs['outcome']]).toEqual([2, [], '']);
    const services = await deployed(commit, {}, { services: 'web:v2', stack: 'blog/staging' });
    expect(services.requests.find(({ method }) => method === 'POST')?.body).toContain('web:v2');
    expect(services.changes).not.toContain(deploy);
  });

  test('nothing is sent without a token', async () => {
    const at = await place(tool);
    const { code, stderr } = await startAction('deploy', at, { env: { STACKOPS_TOKEN: '' } }).ended;
    expect([code, stderr]).toEqual([1, expect.stringContaining('STACKOPS_TOKEN: set it in the env of the job')]);
    expect(at.requests).toEqual([]);
  });

  /** As somebody else does. */
  async function startDeployment({ url, token }: TargetKind, stack: string): Promise<void> {
    const headers = { authorization: `Bearer ${token}`, 'content-type': 'application/json' };
    const answer = await fetch(`${url.href}/stacks/${stack}/deployments`, { method: 'POST', headers, body: '{}' });
    expect(answer.ok).toBe(true);
  }

  test.each(['SIGINT', 'SIGTERM'] as const)(
    'cancelled by %s while it waits: its deployment is cancelled, no other',
    async (signal) => {
      const at = await place(tool, { stuck: true });
      await startDeployment(at, 'b92c7d1e5f30584a9d6e7f8091a2b3c4');
      const before = at.changes().length;
      const { running, ended } = startAction('deploy', at, { env: { ...awake, GITHUB_SHA: commit } });
      await running.tells(/deployment \d+: /);
      running.kill(signal);
      const { code, outputs, summary, stdout } = await ended;
      const id = Number(outputs['deployment']);
      expect(code).toBe(130);
      expect(at.changes().slice(before)).toEqual([deploy, cancel(id)]);
      expect(outputs).toEqual({ deployment: String(id), commit, outcome: 'cancelled' });
      expect([summary.split('\n')[0], stdout]).toEqual([
        `Deployment ${id}: cancelled (commit d9a2ece)`,
        expect.not.stringContaining('::error'),
      ]);
    },
  );

  test('cancelled while another deployment is in progress: nothing was sent, and that one goes on', async () => {
    const at = await place(tool, { stuck: true });
    await startDeployment(at, shop);
    const seen = at.requests.filter(({ method }) => method === 'GET').length;
    const { running, ended } = startAction('deploy', at, { env: { ...awake, GITHUB_SHA: commit } });
    const asked = () => expect(at.requests.filter(({ method }) => method === 'GET').length).toBeGreaterThan(seen);
    await vi.waitFor(asked, { timeout: 240_000 });
    running.kill('SIGINT');
    const { code, outputs, summary } = await ended;
    expect([code, outputs['deployment'], at.changes()]).toEqual([130, '', [deploy]]);
    expect(summary).toMatch(/^No deployment was started/);
  });
});

describe('the workflow of docs/ci.md', () => {
  const workflow = parse(recipe('yaml', '.github/workflows/deploy.yml'));

  test('has the keys that the system knows, and inputs that the actions have', () => {
    expect(Object.keys(workflow)).toEqual(['name', 'on', 'permissions', 'concurrency', 'jobs']);
    expect(workflow.permissions).toEqual({});
    const { steps, env } = workflow.jobs.deploy;
    expect(steps.map(({ uses }: { uses: string }) => uses)).toEqual(
      ['setup', 'deploy'].map((name) => `OWNER/stackops/packaging/actions/${name}@COMMIT`),
    );
    expect(Object.keys(readAction('deploy').inputs)).toEqual(expect.arrayContaining(Object.keys(steps[1].with)));
    const from = { STACKOPS_BASE_URL: 'vars', STACKOPS_TOKEN: 'secrets' };
    const given = Object.entries(from).map(([name, kept]) => [name, `\${{ ${kept}.${name} }}`]);
    expect(env).toEqual(Object.fromEntries(given));
  });
});

describe('the job of GitLab', () => {
  const { '.stackops-deploy': job, ...others } = parse(read('packaging/gitlab/deploy.yml'));
  const lines = (part: string) => ['bash', '-eo', 'pipefail', '-c', job[part].join('\n')];

  test('has the keys that the system knows, and the variables of docs/ci.md', () => {
    expect(others).toEqual({});
    expect(Object.keys(job)).toEqual([
      'image',
      'timeout',
      'allow_failure',
      'variables',
      'before_script',
      'script',
      'after_script',
      'artifacts',
    ]);
    expect(job.allow_failure).toEqual({ exit_codes: 8 });
    const { deploy: own, include } = parse(recipe('yaml', '.gitlab-ci.yml'));
    expect([own.extends, include[0].file]).toEqual(['.stackops-deploy', 'packaging/gitlab/deploy.yml']);
    const named = documented('Variable of the job').map(([name]) => name);
    const text = JSON.stringify(job);
    expect(named.filter((name) => name !== 'STACKOPS_STACK' && !text.includes(name))).toEqual([]);
    expect(named).toEqual(expect.arrayContaining([...Object.keys(job.variables), ...Object.keys(own.variables)]));
  });

  test('installs what is named, and nothing where nothing is', async () => {
    const at = await place(tool);
    const npm = { ...tool.npm, npm_config_prefix: at.folder };
    expect(await at.run(lines('before_script'), { ...npm, STACKOPS_TARBALL: smallPackage() })).toMatchObject({
      code: 0,
    });
    expect(await at.run([join(at.folder, 'bin/stackops'), '--version'])).toMatchObject({ code: 0 });
    const { code, stderr } = await at.run(lines('before_script'), npm);
    expect([code === 0, stderr]).toEqual([false, expect.stringContaining('set STACKOPS_VERSION or STACKOPS_TARBALL')]);
  });

  const rowIn = (folder: string) => JSON.parse(readFileSync(join(folder, 'deployments.json'), 'utf8'))[0];

  test.each<[number, string, RecipeOptions, string | undefined]>([
    [0, commit, {}, 'success'],
    [9, 'broken', {}, 'failed'],
    [11, commit, broken503, undefined],
  ])('its script ends with %i', async (code, sha, options, outcome) => {
    const { run, changes, folder } = await place(tool, options);
    const env = { ...job.variables, CI_COMMIT_SHA: sha, CI_JOB_STATUS: code === 0 ? 'success' : 'failed' };
    expect((await run(lines('script'), env)).code).toBe(code);
    expect((await run(lines('after_script'), env)).code).toBe(0);
    const row = rowIn(folder);
    expect(row.id === 1042 ? row.outcome.meaning : undefined).toBe(outcome);
    expect(changes()).toEqual([deploy]);
  });

  test('its script ends with 8 where the deployment is not over in time, and cancelled, it cancels its own', async () => {
    const { run, changes, folder } = await place(tool, { stuck: true });
    const env = { ...job.variables, STACKOPS_WAIT_TIMEOUT: '1m', CI_COMMIT_SHA: commit };
    expect((await run(lines('script'), env)).code).toBe(8);
    expect((await run(lines('after_script'), { ...env, CI_JOB_STATUS: 'failed' })).code).toBe(0);
    expect(rowIn(folder)).toMatchObject({ id: 1042, outcome: { meaning: 'pending' } });
    expect(changes()).toEqual([deploy]);
    expect((await run(lines('after_script'), { ...env, CI_JOB_STATUS: 'canceled' })).code).toBe(0);
    expect(changes()).toEqual([deploy, cancel(1042)]);
  });
});

describe('the Dockerfile', () => {
  const text = read('packaging/Dockerfile');
  const lines = text
    .replaceAll('\\\n', ' ')
    .split('\n')
    .filter((line) => line !== '' && !line.startsWith('#'));
  const of = (word: string) =>
    lines.flatMap((line) => (line.startsWith(`${word} `) ? [line.slice(word.length + 1)] : []));

  test('is Node that is new enough, slim, no latest, and a user that is not root', () => {
    const [, major = ''] = /^node:(\d+)-\w+-slim$/.exec(of('FROM').join()) ?? [];
    expect(Number(major)).toBeGreaterThan(Number.parseInt(engines.node.replace('>=', ''), 10));
    expect(of('USER')).toEqual(['10001:10001']);
    expect(lines.findIndex((line) => line.startsWith('USER'))).toBeGreaterThan(
      lines.findIndex((line) => line.startsWith('RUN')),
    );
    expect([of('ENTRYPOINT'), of('CMD')]).toEqual([['["stackops"]'], ['["--help"]']]);
    expect(of('RUN').join()).toMatch(/npm install --global --ignore-scripts .* && rm -rf .* && useradd --uid 10001 /);
    expect(lines.filter((line) => /^(ADD|ARG)|TOKEN|SECRET|curl|sudo|apt-get/.test(line))).toEqual([]);
  });

  test('passes hadolint', async ({ skip }) => {
    skip(!hasProgram('hadolint'), 'there is no hadolint here');
    const ended = await follow(['hadolint', join(root, 'packaging/Dockerfile')], {
      env: { PATH: process.env['PATH'] ?? '' },
    }).ended;
    expect(ended).toMatchObject({ code: 0, stdout: '' });
  });
});
