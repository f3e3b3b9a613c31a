import { expect, test } from 'vitest';
import { unsent } from '../support/phrases.ts';
import { reply, startService } from '../support/service.ts';
import { run } from '../support/stackops.ts';
import { transcriptFile } from '../support/transcript.ts';

test('the commit that is live in one stack is deployed in another, and the question names both', transcriptFile);
test('what was deployed in between is counted, and what is missing is named without a value', transcriptFile);
test('what is not to be promoted is refused', transcriptFile);
test('which two stacks are meant is never guessed', transcriptFile);
test('nothing is sent that nobody confirmed or that nobody may send', transcriptFile);
test('it takes the flags of a redeploy', transcriptFile);

test.for(['actions', 'legacy'] as const)(
  'it is the same where the service answers with actions or a deployment',
  (replies, context) => transcriptFile(context, { sandbox: { replies } }),
);
test('an action that fails is a deployment that failed', (context) =>
  transcriptFile(context, { sandbox: { replies: 'actions', failActions: true } }));

test('in an incident nothing is live in staging, and nothing is promoted from it', transcriptFile);

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
  const { env } = service;
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
  ['nothing is live', { from: [live('49ab129', { is_live: false })] }, 6, `nothing is live in ${staging}${unsent}`],
  [
    'none of those that were looked at is live',
    { from: Array.from({ length: 40 }, (_, at) => live('49ab129', { id: 90 - at, is_live: false })) },
    6,
    `none of the newest 30 deployments is live in ${staging}${unsent}`,
  ],
  ['there is no deployment', { from: [] }, 6, `nothing is live in ${staging}${unsent}`],
  ['what is live has no commit', { from: [live('')] }, 6, `what is live in ${staging} shows no commit${unsent}`],
  [
    'it is not told what is live there',
    { from: [{ id: 7, ...ended }] },
    7,
    'the service does not show which deployment is live (no is_live)',
  ],
  [
    'it is not told what is live here',
    { from: [live('49ab129')], to: [{ id: 7, ...ended }] },
    7,
    'the service does not show which deployment is live (no is_live)',
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
    `6 error: shop/staging deploys git.example/a, shop/production deploys git.example/b${unsent}`,
  );
  expect(await verdict({})).toContain(same);
  expect(await verdict({ to: [live('d8b847d', { commit_url: 'https://git.example/b/commit/d8b847d' })] })).toBe(
    `6 error: ${staging} deploys git.example/harbour/shop, ${production} deploys git.example/b${unsent}`,
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
  expect(stderr).toContain('changed while the question was open;');
  expect(sent().filter((line) => !line.startsWith('GET'))).toEqual([]);
});
