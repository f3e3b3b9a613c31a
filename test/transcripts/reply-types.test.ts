import { expect, test } from 'vitest';
import { reply, startService } from '../support/service.ts';
import { run } from '../support/stackops.ts';

/** The declared type of a field is read once, where a reply is unwrapped, and JSON shows what was sent. */
const stack = '5f3c0000000000000000000000000001';
const at = `/stacks/${stack}`;
const servers = [{ uid: 'ab120000000000000000000000000001', name: 'Caribou' }];

/** A service of these answers; `body` is a whole reply, anything else is wrapped. */
async function served(answers: Readonly<Record<string, unknown>>, body: Readonly<Record<string, unknown>> = {}) {
  const service = await startService(({ method, path, query }, response) => {
    const whole = body[`${method} ${path}?${query}`] ?? body[`${method} ${path}`];
    const known = answers[`${method} ${path}`];
    const answer = whole ?? (known === undefined ? { error: 'not_found' } : { response: known });
    reply(response, answer, whole === undefined && known === undefined ? 404 : 200);
  });
  const env = { NO_COLOR: '1', ...service.env, STACKOPS_STACK: stack };
  return { play: (words: string) => run(words.split(' '), { env }), seen: service.seen };
}

const worker = (counts: unknown) => ({
  [`GET ${at}/processes`]: [{ name: 'worker', command: 'work', servers: counts }],
});
const changed = (seen: readonly { method: string; body: unknown }[]) => seen.filter(({ method }) => method !== 'GET');

test('a count that came as text is a count', async () => {
  const { play, seen } = await served({ ...worker({ Caribou: '2' }), [`GET ${at}/servers`]: servers });
  const { stdout } = await play('process scale worker=+2 -n --json');
  expect(stdout).toContain('"server_count":{"ab120000000000000000000000000001":4}');
  expect(changed(seen)).toEqual([]);
  expect((await play('process list --json')).stdout).toContain('"servers":{"Caribou":"2"}');
  expect((await play('process list --output yaml')).stdout).toContain('Caribou: "2"');
  expect((await play('status --only processes')).stdout).toContain('processes\tworker\t2\t');
});

test.each<readonly [unknown, string, string]>([
  [{ Caribou: 'many' }, 'servers.Caribou "many" for process worker, not a whole number', 'Caribou=many'],
  [{ Caribou: 1.5 }, 'servers.Caribou 1.5 for process worker, not a whole number', 'Caribou=1.5'],
  [{ Caribou: '1.5' }, 'servers.Caribou "1.5" for process worker, not a whole number', 'Caribou=1.5'],
  [null, 'no servers for process worker', '-'],
  [[{ Caribou: 2 }], 'servers [{"Caribou":2}] for process worker, not an object', 'Caribou=2'],
])('counts that cannot be read are told where they are needed: %j', async (counts, said, shown) => {
  const { play, seen } = await served({ ...worker(counts), [`GET ${at}/servers`]: servers });
  expect(await play('process scale worker=+2')).toEqual({
    code: 7,
    stdout: '',
    stderr: `error: the service sent ${said}\n`,
  });
  expect(changed(seen)).toEqual([]);
  expect(await play('process list')).toMatchObject({ code: 0, stdout: `worker\t${shown}\twork\n` });
});

test('what cannot be shown to a person is printed as it was sent with --json', async () => {
  const sent = { id: 7, email: 'ada@harbour.example', access_profile: 'all' };
  const { play } = await served({ 'GET /users/7': sent });
  expect(await play('user get 7 --json')).toEqual({ code: 0, stdout: `${JSON.stringify(sent)}\n`, stderr: '' });
});

const variants = [
  { uid: 'va-1', traffic_percentage: '90%', status: 'active', git_hash: 'd8b847d' },
  { uid: 'va-2', traffic_percentage: '10 %', status: 'active' },
];

test('a variant of unknown type is shown, and neither deleted nor committed nor weighed', async () => {
  const { play, seen } = await served({ [`GET ${at}/application_variants`]: variants });
  expect((await play('variant list --fields uid,variant_type,percentage')).stdout).toBe('va-1\t-\t90\nva-2\t-\t10\n');
  expect(JSON.parse((await play('variant list --json')).stdout)).toEqual(variants);
  const refused = (wanted: string) => ({
    code: 6,
    stdout: '',
    stderr: `error: variant "va-1" is of unknown type, not a ${wanted}; nothing was sent\nhint: stackops variant list -s ${stack}\n`,
  });
  expect(await play('variant delete va-1 -y')).toEqual(refused('preview'));
  expect(await play('variant commit va-1 -y')).toEqual(refused('rollout'));
  expect(await play('variant weight va-1 20')).toEqual(refused('canary'));
  expect(changed(seen)).toEqual([]);
});

test('a rollout is listed by its own type', async () => {
  const rollout = [{ uid: 'va-3', variant_type: 'rollout', sub_type: 'canary', percentage: 5, git_hash: 'd8b847d' }];
  const { play } = await served({ [`GET ${at}/application_variants`]: rollout });
  expect((await play('variant list --fields uid,variant_type')).stdout).toBe('va-3\tcanary\n');
  expect(JSON.parse((await play('variant list --json')).stdout)).toEqual(rollout);
});

test('what has no commit says so', async () => {
  const { play } = await served({
    [`GET ${at}/application_variants`]: [{ uid: 'va-3', variant_type: 'preview', percentage: 0 }],
    [`DELETE ${at}/application_variants/va-3`]: { ok: 'true' },
  });
  expect((await play('variant delete va-3 -y')).stdout).toBe(
    'variant va-3: accepted; the service still shows preview, 0 % of traffic, commit unknown\n',
  );
});

test.each(['2', '/stacks?page=2', 'https://api.example/api/3/stacks?per_page=30&page=2'])(
  'the next page is %s',
  async (next) => {
    const { play } = await served(
      {},
      {
        'GET /stacks?': { response: [{ uid: 'a', name: 'one' }], pagination: { current: 1, next } },
        'GET /stacks?page=2': { response: [{ uid: 'b', name: 'two' }], pagination: { current: '2', next: 'null' } },
      },
    );
    expect((await play('stack list -q')).stdout).toBe('a\nb\n');
  },
);

const deployment = { id: 7, git_hash: 'd8b847d', started_at: '2026-05-04T11:00:00Z', is_live: 'true' };

test.each(['success', { code: 1, meaning: null }, 1, { code: '1' }])('an outcome is %j', async (outcome) => {
  const ended = { ...deployment, outcome, finished_at: '2026-05-04T11:05:00Z', is_deploying: 'false' };
  const { play } = await served({ [`GET ${at}/deployments`]: [ended] });
  expect((await play('deployment list --fields id,outcome,is_live')).stdout).toBe('7\tsuccess\tyes\n');
  expect((await play('deployment rollback -y')).stderr).toContain('error: no deployment before 7 succeeded');
  expect(JSON.parse((await play('deployment list --json')).stdout)).toEqual([ended]);
});

test('what decides and cannot be read is told, and a list shows it', async () => {
  const odd = { ...deployment, outcome: 'success', finished_at: '2026-05-04T11:05:00Z', is_live: 'perhaps' };
  const { play } = await served({ [`GET ${at}/deployments`]: [odd] });
  expect((await play('deployment list --fields id,is_live')).stdout).toBe('7\tperhaps\n');
  expect(await play('deployment rollback -y')).toEqual({
    code: 7,
    stdout: '',
    stderr: 'error: the service sent is_live "perhaps" for deployment 7, not true or false\n',
  });
});

test('a size may be a text or an object', async () => {
  const sizes = { hetzner: { sizes: { cx31: { cpu: 2, ram: '8 GB' }, cx11: '1 CPU' } } };
  const { play } = await served({ 'GET /reference/clouds': sizes });
  expect((await play('reference clouds --filter sizes_full')).stdout).toBe(
    'cx31\tcpu 2, ram 8 GB\tsize\thetzner\ncx11\t1 CPU\tsize\thetzner\n',
  );
});
