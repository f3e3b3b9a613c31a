import { expect, onTestFinished, test } from 'vitest';
import { seedMoment, seedState } from '../../src/sandbox/seed/seed.ts';
import type { VariableRecord } from '../../src/sandbox/state.ts';
import { startSandbox } from '../support/sandbox.ts';
import { run } from '../support/stackops.ts';
import { transcript } from '../support/transcript.ts';

// staging.env holds a level that shop does not have, a currency that it has, and two new variables.

test('the plan is shown and asked about; the same file again changes nothing', () =>
  transcript(`
    100$ stackops stack env import test/transcripts/staging.env -s shop
    < n
    ! ~ LOG_LEVEL  info -> debug
    ! + NEW_FLAG  1
    ! + API_SECRET  *** (7 characters)
    ! = 1 unchanged
    ! The service may apply each change at once.
    ! Change variables of shop/production (2 to create, 1 to change)? [y/N]
    ! error: cancelled; nothing was changed
    = 1
    100$ stackops stack env import test/transcripts/staging.env -s shop
    < y
    ! ~ LOG_LEVEL  info -> debug
    ! + NEW_FLAG  1
    ! + API_SECRET  *** (7 characters)
    ! = 1 unchanged
    ! The service may apply each change at once.
    ! Change variables of shop/production (2 to create, 1 to change)? [y/N]
    ! undo: stackops stack env rollback LOG_LEVEL -s shop && stackops stack env unset NEW_FLAG API_SECRET -s shop
    LOG_LEVEL updated (info -> debug)
    CURRENCY unchanged (EUR)
    NEW_FLAG created (1)
    API_SECRET created (*** (7 characters))
    Running code may see each change at once, or only after the next deployment.
    100$ stackops stack env import test/transcripts/staging.env -s shop
    4 unchanged
  `));

test('without a terminal -y is needed; JSON is one record for each variable', () =>
  transcript(`
    $ stackops stack env import test/transcripts/staging.env -s shop
    ! error: "stack env import" needs -y (no terminal); nothing was changed
    ! hint: stackops stack env import test/transcripts/staging.env -s shop -y
    = 2
    $ stackops stack env import test/transcripts/staging.env -s shop -y --json
    [{"key":"LOG_LEVEL","change":"updated","before":"info","after":"debug","action":null,"message":null,"error":null},{"key":"CURRENCY","change":"unchanged","before":"EUR","after":"EUR","action":null,"message":null,"error":null},{"key":"NEW_FLAG","change":"created","before":null,"after":"1","action":null,"message":null,"error":null},{"key":"API_SECRET","change":"created","before":null,"after":"***","action":null,"message":null,"error":null}]
    $ stackops stack env import test/transcripts/staging.env -s shop -y -q
  `));

test('--dry-run shows the plan, masked unless --reveal; --curl its requests', () =>
  transcript(`
    $ stackops stack env import test/transcripts/staging.env -s shop --dry-run
    ~ LOG_LEVEL  info -> debug
    + NEW_FLAG  1
    + API_SECRET  ***
    = 1 unchanged
    The service may apply each change at once.
    100$ stackops stack env import test/transcripts/staging.env -s shop -n
    ~ LOG_LEVEL  info -> debug
    + NEW_FLAG  1
    + API_SECRET  *** (7 characters)
    = 1 unchanged
    The service may apply each change at once.
    $ stackops stack env import test/transcripts/staging.env -s shop -n --reveal
    ~ LOG_LEVEL  info -> debug
    + NEW_FLAG  1
    + API_SECRET  made up
    = 1 unchanged
    The service may apply each change at once.
    $ stackops stack env import test/transcripts/staging.env API_SECRET LOG_LEVEL -s shop -n --json
    [{"key":"LOG_LEVEL","action":"update","before":"info","after":"debug","reason":null},{"key":"API_SECRET","action":"create","before":null,"after":"***","reason":null}]
    $ stackops stack env import test/transcripts/staging.env API_SECRET CURRENCY -s shop -n --json --reveal
    [{"key":"CURRENCY","action":"unchanged","before":"EUR","after":"EUR","reason":null},{"key":"API_SECRET","action":"create","before":null,"after":"made up","reason":null}]
    $ stackops stack env import test/transcripts/staging.env API_SECRET CURRENCY -s shop --curl
    ! replace *** before you run it
    curl --fail-with-body -X POST -H "Authorization: Bearer $STACKOPS_TOKEN" -H 'Accept: application/json' -H 'Content-Type: application/json' --data-binary '{"key":"API_SECRET","value":"***"}' 'http://sandbox.localhost/api/3/stacks/5f3c9a1e7b2d4c8f9e0a1b2c3d4e5f60/environments'
  `));

test('only the keys that are named', () =>
  transcript(`
    $ stackops stack env import test/transcripts/staging.env NEW_FLAG CURRENCY -s shop -y
    ! undo: stackops stack env unset NEW_FLAG -s shop
    CURRENCY unchanged (EUR)
    NEW_FLAG created (1)
    Running code may see this only after the next deployment.
    $ stackops stack env import test/transcripts/staging.env LOGLEVEL NEW_FLAG FLAG -s shop -y
    ! error: test/transcripts/staging.env has no variable LOGLEVEL, FLAG
    = 2
  `));

test('an empty value takes the place of another only with --allow-empty', () =>
  transcript(`
    $ stackops stack env import - -s shop -y
    < LOG_LEVEL=
    ! error: LOG_LEVEL has a value, and the new one is empty; nothing was changed
    ! hint: stackops stack env import - -s shop -y --allow-empty
    = 2
    $ stackops stack env import test/transcripts/empty-values.env -s shop -y
    ! error: LOG_LEVEL, CURRENCY have a value, and the new one is empty; nothing was changed
    ! hint: stackops stack env import test/transcripts/empty-values.env -s shop -y --allow-empty
    = 2
    $ stackops stack env import test/transcripts/empty-values.env -s shop -n --allow-empty
    ~ LOG_LEVEL  info -> ""
    ~ CURRENCY  EUR -> ""
    + NEW_FLAG  ""
    The service may apply each change at once.
    $ stackops stack env import test/transcripts/empty-values.env NEW_FLAG -s shop -y
    ! undo: stackops stack env unset NEW_FLAG -s shop
    NEW_FLAG created ("")
    Running code may see this only after the next deployment.
  `));

test('--prune deletes what the file lacks, after the name of the stack is typed; -y is not enough', () =>
  transcript(`
    $ stackops stack env import test/transcripts/staging.env -s blog/staging --prune -y
    ! error: "stack env import" needs --confirm blog/staging (no terminal); nothing was changed
    ! hint: stackops stack env import test/transcripts/staging.env --prune -s blog/staging -y --confirm blog/staging
    = 2
    100$ stackops stack env import test/transcripts/staging.env -s blog/staging --prune
    < blog
    ! + CURRENCY  EUR
    ! + NEW_FLAG  1
    ! + API_SECRET  *** (7 characters)
    ! - NODE_ENV  staging
    ! - SITE_URL  https://blog.staging.harbour.example
    ! = 1 unchanged
    ! The service may apply each change at once.
    ! Change variables of blog/staging (3 to create, 2 to delete)? Type blog/staging to confirm:
    ! error: the name to type is blog/staging, not "blog"; nothing was changed
    = 2
    100$ stackops stack env import test/transcripts/staging.env -s blog/staging --prune
    < blog/staging
    ! + CURRENCY  EUR
    ! + NEW_FLAG  1
    ! + API_SECRET  *** (7 characters)
    ! - NODE_ENV  staging
    ! - SITE_URL  https://blog.staging.harbour.example
    ! = 1 unchanged
    ! The service may apply each change at once.
    ! Change variables of blog/staging (3 to create, 2 to delete)? Type blog/staging to confirm:
    ! undo: stackops stack env set NODE_ENV=staging SITE_URL=https://blog.staging.harbour.example -s blog/staging && stackops stack env unset CURRENCY NEW_FLAG API_SECRET -s blog/staging
    LOG_LEVEL unchanged (debug)
    CURRENCY created (EUR)
    NEW_FLAG created (1)
    API_SECRET created (*** (7 characters))
    NODE_ENV deleted (was staging)
    SITE_URL deleted (was https://blog.staging.harbour.example)
    Running code may see each change at once, or only after the next deployment.
    $ stackops stack env import test/transcripts/staging.env -s blog/staging --prune
    4 unchanged
    $ stackops stack env import test/transcripts/staging.env NEW_FLAG -s blog/staging --prune
    ! error: --prune deletes what the whole file lacks: leave out the keys
    = 2
  `));

test('without a terminal --prune wants the name as a flag, and deleted values are gone', () =>
  transcript(`
    $ stackops stack env import test/transcripts/staging.env -s blog/staging --prune --confirm blog/staging
    ! undo: stackops stack env set NODE_ENV=staging SITE_URL=https://blog.staging.harbour.example -s blog/staging && stackops stack env unset CURRENCY NEW_FLAG API_SECRET -s blog/staging
    LOG_LEVEL unchanged (debug)
    CURRENCY created (EUR)
    NEW_FLAG created (1)
    API_SECRET created (***)
    NODE_ENV deleted (was staging)
    SITE_URL deleted (was https://blog.staging.harbour.example)
    Running code may see each change at once, or only after the next deployment.
  `));

test('what is refused is refused before the first change, all of it, with its lines', () =>
  transcript(`
    $ stackops stack env import - -s shop -y
    < NEW_FLAG=1
    < STACK_NAME=other
    <
    < REDIS_ADDRESS='10.0.0.1'
    ! error: 2 variables cannot be changed; nothing was changed
    !        stdin line 2: STACK_NAME is read-only
    !        stdin line 4: REDIS_ADDRESS is read-only
    = 6
    $ stackops stack env import - -s shop -y --format json
    < {"NEW_FLAG": "1", "A B": "1", "": "1", "..": "1", "STACK_NAME": "other", "POSTGRESQL_ADDRESS": "other"}
    ! error: 5 variables cannot be changed; nothing was changed
    !        "A B" is not a valid environment variable name
    !        "" is not a valid environment variable name
    !        ".." is not a valid environment variable name
    !        STACK_NAME is read-only
    !        POSTGRESQL_ADDRESS is read-only
    = 6
    $ stackops stack env list -s shop --jq '.[].key | select(startswith("NEW"))'
    $ stackops stack env import - -s shop -n
    < STACK_NAME=shop
    < NEW_FLAG=1
    + NEW_FLAG  1
    = 1 unchanged
  `));

test('a mistake in the file is shown with its line, and nothing is read', () =>
  transcript(`
    $ stackops stack env import - -s shop -y
    < A=1
    < A=2
    ! error: stdin line 2: A is already set on line 1
    = 2
    $ stackops stack env import - -s shop -y
    < A=1
    < B='open
    ! error: stdin line 2: this quote is never closed
    = 2
    $ stackops stack env import - -s shop -y --format yaml
    < A: [1
    ! error: stdin line 2: not valid YAML (BAD_INDENT)
    = 2
    $ stackops stack env import - -s shop -y
    < # nothing
    ! error: stdin has no variables
    = 2
    $ stackops stack env import test/stories/none.env -s shop -y
    ! error: cannot read test/stories/none.env: file not found
    = 2
  `));

test('stdin with a mark of the byte order and Windows line ends', async () => {
  const { env, sent } = await serve();
  const stdin = '\ufeffA=1\r\nexport B="two\r\nlines"\r\n# end\r\n';
  expect((await run(['stack', 'env', 'import', '-', '-s', 'shop', '-y'], { env, stdin })).stdout).toBe(
    'A created (1)\nB created (two\\r\\nlines)\nRunning code may see each change at once, or only after the next deployment.\n',
  );
  expect(sent()).toEqual(['POST {"key":"A","value":"1"}', 'POST {"key":"B","value":"two\\r\\nlines"}']);
});

test('several stacks are planned before anybody is asked', () =>
  transcript(`
    100$ stackops stack env import test/transcripts/staging.env LOG_LEVEL NEW_FLAG -s shop,blog/staging
    < y
    ! shop: ~ LOG_LEVEL  info -> debug
    ! shop: + NEW_FLAG  1
    ! blog/staging: + NEW_FLAG  1
    ! blog/staging: = 1 unchanged
    ! The service may apply each change at once.
    ! Change variables of shop/production, blog/staging (1 to create, 1 to change, 1 to create)? [y/N]
    ! undo: stackops stack env rollback LOG_LEVEL -s shop && stackops stack env unset NEW_FLAG -s shop && stackops stack env unset NEW_FLAG -s blog/staging
    shop: LOG_LEVEL updated (info -> debug)
    shop: NEW_FLAG created (1)
    blog/staging: LOG_LEVEL unchanged (debug)
    blog/staging: NEW_FLAG created (1)
    Running code may see each change at once, or only after the next deployment.
    $ stackops stack env import test/transcripts/staging.env LOG_LEVEL API_SECRET -s shop,blog/staging -n
    shop: + API_SECRET  ***
    shop: = 1 unchanged
    blog/staging: + API_SECRET  ***
    blog/staging: = 1 unchanged
    $ stackops stack env import test/transcripts/staging.env API_SECRET -s shop,blog/staging -n --json
    [{"stack":"shop","key":"API_SECRET","action":"create","before":null,"after":"***","reason":null},{"stack":"blog/staging","key":"API_SECRET","action":"create","before":null,"after":"***","reason":null}]
    $ stackops stack env import - -s shop,blog/staging -y
    < STACK_NAME=other
    ! error: shop: one variable cannot be changed; nothing was changed
    !        stdin line 1: STACK_NAME is read-only
    = 6
    $ stackops stack env import - -s - -y
    < shop
    ! error: shop: use stdin for -s or for another value, not both
    = 2
  `));

test('a service that replies with actions', () =>
  transcript(
    `
    $ stackops stack env import test/transcripts/staging.env LOG_LEVEL NEW_FLAG -s shop -y
    ! undo: stackops action wait 812 -s shop && stackops action wait 813 -s shop && stackops stack env rollback LOG_LEVEL -s shop && stackops stack env unset NEW_FLAG -s shop
    updating LOG_LEVEL (action 812, queued): info -> debug
    creating NEW_FLAG (action 813, queued): 1
    Running code may see each change at once, or only after the next deployment.
    +60s
    $ stackops stack env import test/transcripts/staging.env LOG_LEVEL API_SECRET -s shop -y --wait
    ! 12:01:00 action 814: started
    ! 12:01:05 action 814: succeeded: Done.
    ! undo: stackops stack env unset API_SECRET -s shop
    LOG_LEVEL unchanged (debug)
    API_SECRET created (***)
    Running code may see this only after the next deployment.
    `,
    {},
    { replies: 'actions' },
  ));

test('actions that fail', () =>
  transcript(
    `
    $ stackops stack env import test/transcripts/staging.env LOG_LEVEL NEW_FLAG -s shop -y --wait
    ! 12:00:00 action 812: started
    ! 12:00:05 action 813: started
    ! 12:00:10 action 812: failed: Simulated failure.
    ! 12:00:10 action 813: failed: Simulated failure.
    ! error: LOG_LEVEL failed: action 812 failed: Simulated failure. NEW_FLAG failed: action 813 failed: Simulated failure.
    updating LOG_LEVEL (action 812, failed)
    creating NEW_FLAG (action 813, failed)
    = 9
    `,
    {},
    { replies: 'actions', failActions: true },
  ));

test('a generated value is replaced only when its key is named', async () => {
  const { env, sent } = await serve(({ variables }) => {
    Object.assign(variables.get('SECRET_KEY_BASE') ?? {}, { is_generated: true });
  });
  const argv = ['stack', 'env', 'import', '-', '-s', 'shop', '-y'];
  const given = { env, stdin: 'SECRET_KEY_BASE=mine\nCURRENCY=USD\n' };
  const reason = 'SECRET_KEY_BASE skipped: generated by the service; name its key to replace it\n';
  expect((await run([...argv, '-n'], given)).stdout).toBe(`! ${reason.replace(' ', '  ')}~ CURRENCY  EUR -> USD\n`);
  expect((await run(argv, given)).stdout).toBe(
    `CURRENCY updated (EUR -> USD)\n${reason}Running code may see this only after the next deployment.\n`,
  );
  expect((await run([...argv.slice(0, 4), 'SECRET_KEY_BASE', ...argv.slice(4)], given)).stdout).toContain(
    'SECRET_KEY_BASE updated (*** -> ***)\n',
  );
  expect(sent()).toEqual(['PUT {"value":"USD"}', 'PUT {"value":"mine"}']);
});

test.each([
  ['CURRENCY', 'GBP', '"GBP"'],
  ['SMTP_PASSWORD', 'GBP', 'another value'],
  ['CURRENCY', 'https://shop:sesame@money.example', 'another value'],
])(
  'somebody else sets %s to %s between the plan and the change: 6, and the command that goes back',
  async (key, theirs, other) => {
    const { env } = await serve(({ variables, method }) => {
      const variable = variables.get(key);
      if (method === 'PUT' && variable) replaceValue(variable, theirs);
    });
    const { code, stdout, stderr } = await run(['stack', 'env', 'import', '-', '-s', 'shop', '-y'], {
      env,
      stdin: `${key}=mine\nNEW=1\n`,
    });
    expect(code).toBe(6);
    expect(stdout).toMatch(new RegExp(`^${key} updated \\(.*\\)\\nNEW created \\(1\\)\\n`));
    expect(stderr).toBe(
      `undo: stackops stack env unset NEW -s shop\n` +
        `restore the other value: stackops stack env rollback ${key} -s shop\n` +
        `error: somebody else set ${key} to ${other} meanwhile; this change replaced it\n`,
    );
    await run(['stack', 'env', 'rollback', key, '-s', 'shop'], { env });
    expect((await run(['stack', 'env', 'get', key, '-s', 'shop'], { env })).stdout).toBe(`${theirs}\n`);
  },
);

interface Moment {
  readonly method: string;
  /** Of shop, as the service holds them. */
  readonly variables: ReadonlyMap<string, VariableRecord>;
}

/** A served sandbox; `happens` is called with every request before it is answered. */
async function serve(happens: (moment: Moment) => void = () => {}) {
  const state = seedState(seedMoment);
  const bodies: string[] = [];
  const sandbox = await startSandbox({
    state,
    seen: ({ method, body }) => {
      const variables = new Map((state.stacks[0]?.variables ?? []).map((row) => [row.key, row]));
      if (method !== 'GET') bodies.push(`${method} ${body}`);
      happens({ method, variables });
    },
  });
  onTestFinished(() => sandbox.close());
  const env = { STACKOPS_BASE_URL: sandbox.url.href, STACKOPS_TOKEN: sandbox.token };
  return { env, sent: () => bodies.toSorted() };
}

function replaceValue(variable: VariableRecord, value: string): void {
  const { value: earlier, updated_at, history } = variable;
  const at = '2026-05-04T12:00:00Z';
  Object.assign(variable, {
    value,
    updated_at: at,
    history: [...history, { key: history.length + 1, value: earlier, created_at: updated_at, updated_at: at }],
  });
}
