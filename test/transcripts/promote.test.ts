import { expect, onTestFinished, test } from 'vitest';
import { reply, startService } from '../support/service.ts';
import { run } from '../support/stackops.ts';
import { transcript } from '../support/transcript.ts';

test('the commit that is live in one stack is deployed in another, and the question names both', () =>
  transcript(`
    $ stackops redeploy -s blog/staging -y -q --wait
    80$ stackops deployment promote --from blog/staging --to blog/production
    < n
    ! Promote blog/staging to blog/production (commit 33d486f -> d9a2ece)? [y/N]
    ! error: cancelled; nothing was changed
    = 1
    $ stackops deployment promote --from blog/staging -s blog/production -n
    POST http://sandbox.localhost/api/3/stacks/b92c7d1e5f30584a9d6e7f8091a2b3c4/deployments
    Content-Type: application/json

    {"git_ref":"d9a2ece9903ffe5077dbb9dc988929f0004db978","user_reference":"stackops-00000000-0000-4000-8000-000000000001"}
    $ stackops deployment promote --from blog/staging -s blog/production -y --wait
    ! 12:00:05 deployment 1043: queued
    ! 12:00:10 deployment 1043: success
    ! undo: stackops deployment rollback 1033 -s blog/production
    deployment 1043 succeeded after 4s: commit d9a2ece
    Previously live: deployment 1033, commit 33d486f
    $ stackops deployment promote --from blog/staging -s blog/production -y
    ! error: commit d9a2ece is live in blog/production already; nothing was sent
    ! hint: stackops deployment list -s blog/production
    = 6
    $ stackops deployment rollback 1033 -s blog/production -y -q
    $ stackops deployment list -s blog/production --limit 1 --columns git_hash,is_live
    33d486f14c49eb721a7026593a3bf2f45980498e⇥yes
  `));

test('what was deployed in between is counted, and what is missing is named without a value', () =>
  transcript(`
    $ stackops redeploy -s blog/staging -y -q --wait
    $ stackops deployment promote --from blog/staging -s blog/production -y -q --wait
    $ stackops redeploy -s blog/staging -y -q --wait
    $ stackops redeploy -s blog/staging -y -q --wait
    $ stackops stack env set NEW_KEY=hidden-value NODE_MORE=1 -s blog/staging -q
    $ stackops stack env set EMPTY= NODE_MORE= --allow-empty -s blog/production -q
    80$ STACKOPS_STACK=blog/production stackops deployment promote --from blog/staging
    < n
    ! Promote blog/staging to blog/production (commit d9a2ece -> 6069abb, 1 commit in between, 2 variables missing: NEW_KEY, NODE_MORE)? [y/N]
    ! error: cancelled; nothing was changed
    = 1
    $ stackops deployment promote --from blog/staging -s blog/production --check-env -y
    ! error: blog/production: 2 variables missing: NEW_KEY, NODE_MORE; nothing was sent
    ! hint: stackops stack env check --with-stack blog/staging -s blog/production
    = 6
    $ stackops deployment promote --from blog/staging -s blog/production --check-env -n
    ! error: blog/production: 2 variables missing: NEW_KEY, NODE_MORE; nothing was sent
    ! hint: stackops stack env check --with-stack blog/staging -s blog/production
    = 6
    $ stackops stack env set NEW_KEY=other NODE_MORE=2 -s blog/production -q
    $ stackops deployment promote --from blog/staging -s blog/production --check-env -y -q
  `));

test('what is not to be promoted is refused', () =>
  transcript(`
    $ stackops deployment promote --from blog/staging -s blog/production -y
    ! error: deployment 1036, the last one of blog/staging, failed; nothing was sent
    ! hint: stackops deployment promote --from blog/staging -s blog/production -y --allow-failed
    = 6
    $ stackops deployment promote --from blog/staging -s blog/production -y --allow-failed --json --fields id,change
    {"id":1042,"change":"queued"}
    $ stackops deployment promote --from shop -s blog/production -y
    ! error: shop/production deploys git.example/harbour/shop, blog/production deploys git.example/harbour/blog; nothing was sent
    ! hint: stackops stack list --fields name,environment,git
    = 6
    $ stackops deployment promote --from blog/production -s blog/staging -y
    ! error: the service refused the request (400): git_ref is for stacks without containers
    ! hint: to promote between container stacks, deploy the image tags with stackops redeploy --services
    = 6
  `));

test('which two stacks are meant is never guessed', () =>
  transcript(`
    $ stackops deployment promote --from blog/production -s blog/production -y
    ! error: --from is the stack to deploy in; give another
    ! hint: stackops stack list
    = 2
    $ stackops deployment promote --from blog/production -s blog/production --to blog/staging -y
    ! error: use --to or -s, not both
    = 2
    $ stackops deployment promote --from blog/production -y
    ! error: which stack? shop, blog/staging, blog/production
    ! hint: stackops stack list
    = 2
    $ stackops deployment promote -s blog/production -y
    ! error: missing flag --from <stack>: Stack whose live commit is deployed.
    ! hint: stackops deployment promote --help
    = 2
    $ stackops deployment promote --from nowhere -s blog/production -y
    ! error: stack "nowhere" not found
    ! hint: stackops stack list
    = 3
    $ stackops deployment promote --from blog -s blog/production -y
    ! error: 2 stacks are called "blog": blog/staging, blog/production
    ! hint: stackops stack list
    = 3
    $ stackops deployment promote --from blog/staging -s blog/production,shop -y
    ! error: "deployment promote" acts on one stack at a time; give -s one name
    = 2
  `));

test('nothing is sent that nobody confirmed or that nobody may send', () =>
  transcript(`
    $ stackops deployment promote --from blog/staging -s blog/production --allow-failed
    ! error: "deployment promote" needs -y (no terminal); nothing was changed
    ! hint: stackops deployment promote --from blog/staging --allow-failed -s blog/production -y
    = 2
    $ stackops deployment promote --from blog/staging -s blog/production --allow-failed -y --read-only
    ! error: "deployment promote" changes the service, and only reads are allowed (flag --read-only); nothing was sent
    = 5
    $ stackops profile set protected=true -p work -q
    $ stackops deployment promote --from blog/staging -s blog/production --allow-failed -y -p work
    ! error: "deployment promote" needs --confirm blog/production (protected profile, no terminal); nothing was changed
    ! hint: stackops deployment promote --from blog/staging --allow-failed -s blog/production -y -p work --confirm blog/production
    = 2
    $ stackops deployment promote --from blog/staging -s blog/production --allow-failed --confirm blog/production -p work -q
    $ stackops history list --limit 1 --json --jq '.[].stack'
    b92c7d1e5f30584a9d6e7f8091a2b3c4
  `));

test('it takes the flags of a redeploy', () =>
  transcript(`
    80$ stackops deployment promote --from blog/staging -s blog/production --allow-failed --rollout-strategy canary --canary-percentage 5 --deploy-strategy rolling
    < n
    ! Promote blog/staging to blog/production as a canary with 5 % of the traffic (commit 33d486f -> 2ad3480, deploy strategy rolling)? [y/N]
    ! error: cancelled; nothing was changed
    = 1
    $ stackops deployment promote --from blog/staging -s blog/production --allow-failed --canary-percentage 5 -y
    ! error: --canary-percentage needs --rollout-strategy canary; nothing was sent
    ! hint: stackops deployment promote --from blog/staging --allow-failed --canary-percentage 5 -s blog/production -y --rollout-strategy canary
    = 2
    $ stackops deployment promote --from blog/staging -s blog/production --allow-failed --require-env test/transcripts/staging.env -y
    ! error: blog/production: 3 missing: CURRENCY, NEW_FLAG, API_SECRET; nothing was sent
    ! hint: stackops stack env check test/transcripts/staging.env -s blog/production
    = 6
    $ stackops redeploy -s blog/production -y -q
    80$ stackops deployment promote --from blog/staging -s blog/production --allow-failed
    < n
    ! Promote blog/staging to blog/production (commit 33d486f -> 2ad3480, deployment 1042 is pending)? [y/N]
    ! error: cancelled; nothing was changed
    = 1
    $ stackops deployment promote --from blog/staging -s blog/production --allow-failed -y --if-busy fail
    ! error: deployment 1042 is pending; nothing was sent
    ! hint: stackops status -s blog/production
    = 6
    $ stackops deployment promote --from blog/staging -s blog/production --allow-failed -y --if-busy skip
    skipped: deployment 1042 is pending
    $ stackops deployment promote --from blog/staging -s blog/production --allow-failed -y --if-busy wait --wait
    ! 12:00:00 the operation in progress: deployment 1042 is pending
    ! 12:00:05 the operation in progress: finished
    ! 12:00:05 deployment 1043: queued
    ! 12:00:10 deployment 1043: success
    ! undo: stackops deployment rollback 1042 -s blog/production
    deployment 1043 succeeded after 4s: commit 2ad3480
    Previously live: deployment 1042, commit d9a2ece
  `));

test('it is the same where the service answers with actions, and where those fail', async () => {
  for (const replies of ['actions', 'legacy'] as const) {
    await transcript(
      `
      $ stackops deployment promote --from blog/staging -s blog/production --allow-failed -y --wait
      ! 12:00:00 deployment 1042: queued
      ! 12:00:05 deployment 1042: success
      ! undo: stackops deployment rollback 1033 -s blog/production
      deployment 1042 succeeded after 4s: commit 2ad3480
      Previously live: deployment 1033, commit 33d486f
    `,
      {},
      { replies },
    );
  }
  await transcript(
    `
    $ stackops deployment promote --from blog/staging -s blog/production --allow-failed -y --wait
    ! 12:00:00 deployment 1042: queued
    ! 12:00:05 deployment 1042: failed: The build failed.
    ! error: deployment 1042 failed: The build failed.
    starting deployment (action 812, failed)
    = 9
  `,
    {},
    { replies: 'actions', failActions: true },
  );
});

test('in an incident nothing is live in staging, and nothing is promoted from it', () =>
  transcript(`
    $ stackops sandbox reset --scenario incident -q
    $ stackops deployment promote --from blog/staging -s blog/production -y
    ! error: nothing is live in blog/staging; nothing was sent
    ! hint: stackops deployment list -s blog/staging
    = 6
    $ stackops restart -s blog/staging -y
    ! error: no deployment is shown as live; nothing was sent
    ! hint: stackops deployment list -s blog/staging
    = 6
  `));

const [staging, production] = ['a'.repeat(32), 'b'.repeat(32)];
const ended = { finished_at: '2026-05-04T10:05:00Z', outcome: { code: 1, meaning: 'success' } };
const live = (git_hash: string, more = {}) => ({ id: 7, git_hash, ...ended, is_live: true, ...more });

interface Shown {
  readonly from?: readonly object[];
  readonly to?: readonly object[];
  readonly stacks?: readonly object[];
  /** Of both stacks. */
  readonly variables?: readonly object[];
}

/** A service that shows this; the words played there, and what was sent. */
async function serviceWith({ from, to = [live('d8b847d')], stacks, variables }: Shown) {
  const held: Readonly<Record<string, readonly object[] | undefined>> = {
    '/stacks': stacks,
    [`/stacks/${staging}/deployments`]: from,
    [`/stacks/${production}/deployments`]: to,
    [`/stacks/${staging}/environments`]: variables,
    [`/stacks/${production}/environments`]: variables,
  };
  const service = await startService(({ method, path }, response) => {
    const rows = held[path];
    if (method === 'POST') reply(response, { response: { id: 9, message: 'ok', queued: true } });
    else if (rows) reply(response, { response: rows });
    else reply(response, { error: 'no' }, path.endsWith('/deployments') ? 500 : 403);
  });
  onTestFinished(() => service.close());
  const env = { STACKOPS_BASE_URL: service.url, STACKOPS_TOKEN: 'x' };
  const words = ['deployment', 'promote', '--from', staging, '-s', production];
  const play = (more: string, options = {}) => run([...words, ...more.split(' ')], { env, ...options });
  return { play, env, sent: () => service.seen.map(({ method, path }) => `${method} ${path}`) };
}

const unchecked = 'warning: not checked whether both stacks deploy one repository: not shown by the service\n';
const rows = (git: string, other = git) => [
  { uid: staging, name: 'shop', environment: 'staging', git },
  { uid: production, name: 'shop', environment: 'production', git: other },
];

test('it reads the stacks and the deployments of both before it is sent', async () => {
  const { play, sent } = await serviceWith({ from: [live('49ab129')], stacks: rows('git@git.example:a.git') });
  expect(await play('-y')).toMatchObject({ code: 0 });
  expect(sent().toSorted()).toEqual([
    `GET /stacks`,
    `GET /stacks/${staging}/deployments`,
    `GET /stacks/${production}/deployments`,
    `POST /stacks/${production}/deployments`,
  ]);
  expect(sent().at(-1)).toMatch(/^POST/);
});

test.each<readonly [string, Shown, number, string]>([
  [
    'nothing is live',
    { from: [live('49ab129', { is_live: false })] },
    6,
    `nothing is live in ${staging}; nothing was sent`,
  ],
  [
    'none of those that were looked at is live',
    { from: Array.from({ length: 40 }, (_, at) => live('49ab129', { id: 90 - at, is_live: false })) },
    6,
    `none of the newest 30 deployments is live in ${staging}; nothing was sent`,
  ],
  ['there is no deployment', { from: [] }, 6, `nothing is live in ${staging}; nothing was sent`],
  [
    'what is live has no commit',
    { from: [live('')] },
    6,
    `what is live in ${staging} shows no commit; nothing was sent`,
  ],
  [
    'it is not told what is live there',
    { from: [{ id: 7, ...ended }] },
    7,
    'the service does not show which deployment is live',
  ],
  [
    'it is not told what is live here',
    { from: [live('49ab129')], to: [{ id: 7, ...ended }] },
    7,
    'the service does not show which deployment is live',
  ],
  ['the deployments cannot be read', {}, 7, ''],
])('where %s, nothing is sent', async (_, shown, code, message) => {
  const { play, sent } = await serviceWith(shown);
  const { stderr, ...ran } = await play('-y');
  expect(ran).toEqual({ code, stdout: '' });
  expect(stderr).toContain(`error: ${message}`);
  expect(sent().filter((line) => !line.startsWith('GET'))).toEqual([]);
});

test('where nothing is live yet, it is the first deployment, and there is nothing to go back to', async () => {
  const { play } = await serviceWith({ from: [live('49ab129')], to: [], stacks: rows('git@git.example:a.git') });
  const { stderr, code } = await play('--wait', { terminal: 80, typed: ['n'] });
  expect([code, stderr]).toEqual([
    1,
    expect.stringContaining(
      'Promote shop/staging to shop/production (nothing is live -> 49ab129, variables not compared)? [y/N]',
    ),
  ]);
});

test('one repository is told in each spelling of its address, and another one, too', async () => {
  const from = [live('49ab129', { commit_url: 'https://git.example/harbour/shop/-/commit/49ab129' })];
  const to = [live('d8b847d', { commit_url: 'https://git.example/harbour/shop/-/commit/d8b847d' })];
  const verdict = async (shown: Shown) => {
    const { code, stderr } = await (await serviceWith({ from, to, ...shown })).play('-y');
    return `${code} ${stderr.split('\n', 1)[0]}`;
  };
  const same = '0 undo:';
  for (const git of ['ssh://git@git.example/harbour/shop', 'https://ada:secret@git.example/Harbour/shop.git/']) {
    expect(await verdict({ stacks: rows(git, 'git@git.example:harbour/shop.git') })).toContain(same);
  }
  expect(await verdict({ stacks: rows('https://ada:secret@git.example/a.git', 'git@git.example:b.git') })).toBe(
    '6 error: shop/staging deploys git.example/a, shop/production deploys git.example/b; nothing was sent',
  );
  expect(await verdict({})).toContain(same);
  expect(await verdict({ to: [live('d8b847d', { commit_url: 'https://git.example/b/commit/d8b847d' })] })).toBe(
    `6 error: ${staging} deploys git.example/harbour/shop, ${production} deploys git.example/b; nothing was sent`,
  );
  expect(await verdict({ to: [live('d8b847d')] })).toContain(`0 ${unchecked.trim()}`);
});

test('where another commit went live during the question, nothing is sent', async () => {
  const row = live('49ab129');
  const shown = {
    from: [row],
    stacks: rows('git@git.example:a.git'),
    variables: [{ id: 1, key: 'A', value: 'x', readonly: false }],
  };
  const { play, sent } = await serviceWith(shown);
  const asked = async () => {
    row.git_hash = '0e1d2c3';
  };
  const { code, stderr } = await play('-w', { terminal: 80, typed: ['y'], asked });
  expect(code).toBe(6);
  expect(stderr).toContain('Promote shop/staging to shop/production (commit d8b847d -> 49ab129)?');
  expect(stderr).toContain('changed while the question was open; nothing was sent\n');
  expect(sent().filter((line) => !line.startsWith('GET'))).toEqual([]);
});
