import { expect, onTestFinished, test } from 'vitest';
import { reply, startService } from '../support/service.ts';
import { run } from '../support/stackops.ts';
import { transcript } from '../support/transcript.ts';

test('variants are listed', () =>
  transcript(`
    80$ stackops variant list -s shop
    TYPE     TRAFFIC  COMMIT                                    CREATED  UID
    active     100 %  d8b847daf0a06d549f0919d2c59a146e283b8b78  20d ago  va-active
    canary      10 %  9d4e1f7a2b3c5d6e8f90a1b2c3d4e5f607182930  19d ago  va-canary
    preview      0 %  1c2d3e4f5a6b7c8d9e0f1a2b3c4d5e6f70819203  18d ago  va-preview
    $ stackops variant list -s shop
    active⇥100⇥d8b847daf0a06d549f0919d2c59a146e283b8b78⇥2026-04-14T09:34:10Z⇥va-active
    canary⇥10⇥9d4e1f7a2b3c5d6e8f90a1b2c3d4e5f607182930⇥2026-04-15T07:50:00Z⇥va-canary
    preview⇥0⇥1c2d3e4f5a6b7c8d9e0f1a2b3c4d5e6f70819203⇥2026-04-15T12:05:00Z⇥va-preview
    $ stackops variant list -s shop --json --fields uid,percentage
    [{"uid":"va-active","percentage":100},{"uid":"va-canary","percentage":10},{"uid":"va-preview","percentage":0}]
  `));

test('a variant answers to its type while it is the only one of it', () =>
  transcript(`
    $ stackops variant weight canary 30 -s shop
    ! undo: stackops variant weight va-canary 10 -s shop
    variant va-canary updated (10 % -> 30 %)
    $ stackops variant weight active 30 -s shop
    ! error: variant "va-active" is the active version, not a canary; nothing was sent
    ! hint: stackops variant list -s shop
    = 6
    $ stackops variant weight blue-green 30 -s shop
    ! error: variant "blue-green" not found
    ! hint: stackops variant list -s shop
    = 3
    80$ stackops variant commit canary -s shop
    < yes
    ! Make va-canary the active version of shop/production (now 30 %, commit 9d4e1f7, replaces commit d8b847d)? This is final. [y/N]
    variant va-canary committed (va-active, commit d8b847d -> va-canary, commit 9d4e1f7)
    $ stackops variant delete preview -s shop -y
    variant va-preview deleted (preview, 0 % of traffic, commit 1c2d3e4)
  `));

test('a share that the service does not show has no undo', async () => {
  const row = { uid: 'va-one', variant_type: 'canary', git_hash: 'a', id: 1 };
  let percentage: number | null = null;
  const { url, close } = await startService(({ method }, response) => {
    if (method === 'GET') return reply(response, { response: [{ ...row, percentage }] });
    percentage = 30;
    reply(response, { response: { ok: true } });
  });
  onTestFinished(close);
  const env = { STACKOPS_BASE_URL: url, STACKOPS_TOKEN: 'token' };
  const words = ['variant', 'weight', 'va-one', '30', '-s', '5'.repeat(32)];
  const { stdout, stderr } = await run(words, { env });
  expect([stdout, stderr]).toEqual(['variant va-one updated (- -> 30 %; no undo)\n', '']);
});

test('of two variants of a type none is chosen', async () => {
  const rows = ['va-one', 'va-two'].map((uid) => ({
    uid,
    variant_type: 'canary',
    percentage: 5,
    git_hash: 'a',
    id: 1,
  }));
  const { url, seen, close } = await startService((_, response) => reply(response, { response: rows }));
  onTestFinished(close);
  const env = { STACKOPS_BASE_URL: url, STACKOPS_TOKEN: 'token' };
  const words = ['variant', 'weight', 'canary', '30', '-s', '5'.repeat(32)];
  const { code, stderr } = await run(words, { env });
  expect([code, stderr]).toEqual([
    3,
    'error: 2 variants are called "canary": va-one, va-two\nhint: stackops variant list -s 55555555555555555555555555555555\n',
  ]);
  expect(seen.map(({ method }) => method)).not.toContain('PUT');
});

test('a canary is weighed', () =>
  transcript(`
    $ stackops variant weight va-canary 25 -s shop
    ! undo: stackops variant weight va-canary 10 -s shop
    variant va-canary updated (10 % -> 25 %)
    $ stackops variant weight va-canary 50% -s shop --json
    {"uid":"va-canary","change":"updated","before":25,"after":50,"action":null,"message":"Variant va-canary receives 50% of the traffic","error":null}
    $ stackops variant weight va-canary 50 -s shop
    variant va-canary unchanged (50 %)
    $ stackops variant weight va-canary 50 -s shop --json
    {"uid":"va-canary","change":"unchanged","before":50,"after":50,"action":null,"message":null,"error":null}
    $ stackops variant weight va-canary 50 -s shop --dry-run
    variant va-canary unchanged (50 %)
    $ stackops variant weight va-canary 0 -s shop -q
    ! error: "variant weight" needs -y (no terminal); nothing was changed
    ! hint: stackops variant weight va-canary 0 -s shop -q -y
    = 2
    80$ stackops variant weight va-canary 0 -s shop
    < n
    ! Send 0 % of shop/production's traffic to va-canary (now 50 %, commit 9d4e1f7)? [y/N]
    ! error: cancelled; nothing was changed
    = 1
    $ stackops variant weight va-canary 0 -s shop -q -y
    $ stackops variant weight va-canary 0% -s shop
    variant va-canary unchanged (0 %)
    $ stackops variant list -s shop --columns uid,percentage
    va-active⇥100
    va-canary⇥0
    va-preview⇥0
    $ stackops variant weight va-canary 101 -s shop
    ! error: <percent> must be between 0 and 100, not "101"
    = 2
    $ stackops variant weight va-canary 2.5 -s shop
    ! error: <percent> must be a whole number between 0 and 100, not "2.5"
    = 2
    $ stackops variant weight va-canary -s shop
    ! error: missing argument <percent>
    ! hint: stackops variant weight --help
    = 2
    $ stackops variant weight -s shop
    ! error: missing argument <variant>
    ! hint: stackops variant weight --help
    = 2
    $ stackops variant weight va-canary 5 6 -s shop
    ! error: unexpected argument "6"
    ! hint: stackops variant weight --help
    = 2
  `));

test('what cannot be weighed is refused before anything is sent', () =>
  transcript(`
    $ stackops variant weight va-active 10 -s shop
    ! error: variant "va-active" is the active version, not a canary; nothing was sent
    ! hint: stackops variant list -s shop
    = 6
    $ stackops variant weight va-preview 10 -s shop
    ! error: variant "va-preview" is a preview, not a canary; nothing was sent
    ! hint: stackops variant list -s shop
    = 6
    $ stackops variant weight va-green 10 -s blog/staging
    ! error: variant "va-green" is a blue-green rollout, not a canary; nothing was sent
    ! hint: stackops variant list -s blog/staging
    = 6
    $ stackops variant weight va-nope 10 -s shop
    ! error: variant "va-nope" not found
    ! hint: stackops variant list -s shop
    = 3
    $ stackops variant weight va/canary 10 -s shop
    ! error: <variant> must be an identifier without / \\ ? # % ; or control characters, not "va/canary"
    = 2
  `));

test('a canary is committed after a question', () =>
  transcript(`
    80$ stackops variant commit va-canary -s shop
    < n
    ! Make va-canary the active version of shop/production (now 10 %, commit 9d4e1f7, replaces commit d8b847d)? This is final. [y/N]
    ! error: cancelled; nothing was changed
    = 1
    $ stackops variant commit va-canary -s shop
    ! error: "variant commit" needs -y (no terminal); nothing was changed
    ! hint: stackops variant commit va-canary -s shop -y
    = 2
    80$ stackops variant commit va-canary -s shop
    < y
    ! Make va-canary the active version of shop/production (now 10 %, commit 9d4e1f7, replaces commit d8b847d)? This is final. [y/N]
    variant va-canary committed (va-active, commit d8b847d -> va-canary, commit 9d4e1f7)
    $ stackops variant list -s shop --columns uid,variant_type,percentage
    va-canary⇥active⇥100
    va-preview⇥preview⇥0
    $ stackops variant commit va-preview -s shop -y
    ! error: variant "va-preview" is a preview, not a rollout; nothing was sent
    ! hint: stackops variant list -s shop
    = 6
    $ stackops variant commit va-canary -s shop -y
    ! error: variant "va-canary" is the active version, not a rollout; nothing was sent
    ! hint: stackops variant list -s shop
    = 6
    $ stackops variant commit va-nope -s shop -y
    ! error: variant "va-nope" not found
    ! hint: stackops variant list -s shop
    = 3
    $ stackops variant commit va-green -s blog/staging -y --json
    {"uid":"va-green","change":"committed","before":{"uid":"va-blog","git_hash":"2ad3480f7d40d57a3db3c960e9df0c3545a4bc64"},"after":{"uid":"va-green","git_hash":"2ad3480f7d40d57a3db3c960e9df0c3545a4bc64"},"action":null,"message":"Variant va-green committed","error":null}
  `));

test('a preview is deleted, anything else is not', () =>
  transcript(`
    80$ stackops variant delete va-nope -s shop
    ! error: variant "va-nope" not found
    ! hint: stackops variant list -s shop
    = 3
    $ stackops variant delete va-canary -s shop -y
    ! error: variant "va-canary" is a canary, not a preview; nothing was sent
    ! hint: stackops variant list -s shop
    = 6
    $ stackops variant delete va-preview -s shop -y --dry-run
    DELETE http://sandbox.localhost/api/3/stacks/5f3c9a1e7b2d4c8f9e0a1b2c3d4e5f60/application_variants/va-preview
    80$ stackops variant delete va-preview -s shop
    < y
    ! Delete variant va-preview (of shop/production, preview, 0 % of traffic, commit 1c2d3e4)? [y/N]
    variant va-preview deleted (preview, 0 % of traffic, commit 1c2d3e4)
    $ stackops variant list -s shop -q
    va-active
    va-canary
  `));
