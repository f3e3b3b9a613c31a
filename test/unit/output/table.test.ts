import fc from 'fast-check';
import { expect, test } from 'vitest';
import { text } from '../../../src/contract/field.ts';
import { type Cell, canDrawGrid, drawGrid, type FittedTable } from '../../../src/output/table/grid-table.ts';
import { drawPlainTable, drawTable } from '../../../src/output/table/table.ts';
import { loadTheme } from '../../../src/output/table/theme.ts';
import { StackAction } from '../../../src/resources/action.ts';
import { Deployment as DeploymentRecord } from '../../../src/resources/deployment.ts';
import { Server } from '../../../src/resources/server.ts';
import { Variant as VariantRecord } from '../../../src/resources/variant.ts';
import { property } from '../../support/property.ts';
import { onTerminal } from './views.ts';

// Commits are shortened before anything is cut; here they are any long text.
const hash = { git_hash: text('Commit.', { label: 'commit' }) };
const Variant = { ...VariantRecord, fields: { ...VariantRecord.fields, ...hash } };
const Deployment = { ...DeploymentRecord, fields: { ...DeploymentRecord.fields, ...hash } };

const variants = [
  {
    uid: 'va-active',
    variant_type: 'active',
    percentage: 95,
    git_hash: '9f2c1d7e0b4a4c9d8e7f6a5b4c3d2e1f00112233',
    created_at: '2025-05-30T12:00:00Z',
  },
  { uid: 'va-canary', type: 'canary', traffic_percentage: 5, git_hash: 'abc', created_at_iso: '2025-06-01T11:57:00Z' },
];
const deployments = [
  { id: 10, outcome: { code: 1, meaning: 'success' }, started_at: '2025-06-01T11:30:00Z', git_hash: 'def' },
  { id: 9, outcome: { code: 2, meaning: 'failed' }, started_at: null, git_hash: 'abc' },
];

test('wide enough for everything', async () => {
  expect(`\n${await drawTable(Variant, variants, onTerminal({ width: 200 }))}`).toBe(`
TYPE    TRAFFIC  COMMIT                                    CREATED  UID
active     95 %  9f2c1d7e0b4a4c9d8e7f6a5b4c3d2e1f00112233  2d ago   va-active
canary      5 %  abc                                       3m ago   va-canary`);
});

test('72 columns: the widest column is cut', async () => {
  expect(`\n${await drawTable(Variant, variants, onTerminal({ width: 72 }))}`).toBe(`
TYPE    TRAFFIC  COMMIT                               CREATED  UID
active     95 %  9f2c1d7e0b4a4c9d8e7f6a5b4c3d2e1f00…  2d ago   va-active
canary      5 %  abc                                  3m ago   va-canary`);
});

test('40 columns: the last columns are dropped, but not the UID of what has no name', async () => {
  expect(`\n${await drawTable(Variant, variants, onTerminal({ width: 40 }))}`).toBe(`
TYPE    TRAFFIC  COMMIT        UID
active     95 %  9f2c1d7e0b4…  va-active
canary      5 %  abc           va-canary`);
});

test('a name comes first and is not cut, unless it is very long; its UID is dropped first', async () => {
  const server = { uid: 'c1a7d3e95b2f4860', name: 'shop-worker-1', health_state: 3 };
  const whole = onTerminal({ width: 72 });
  expect(`\n${await drawTable(Server, [server], whole)}`).toBe(`
NAME           HEALTH   ROLES  ADDRESS  REGION  DISTRO  UID
shop-worker-1  healthy  -      -        -       -       c1a7d3e95b2f4860`);
  expect(`\n${await drawTable(Server, [server], { ...whole, width: 71 })}`).toBe(`
NAME           HEALTH   ROLES  ADDRESS  REGION  DISTRO
shop-worker-1  healthy  -      -        -       -`);
  expect(await drawTable(Server, [server], onTerminal({ width: 10 }))).toBe('NAME\nshop-worker-1');
  const long = { ...server, name: 'w'.repeat(50) };
  expect(await drawTable(Server, [long], onTerminal({ width: 49 }))).toBe(
    `NAME                                      HEALTH\n${'w'.repeat(39)}…  healthy`,
  );
});

test('half an address is never shown', async () => {
  const server = { name: 'shop-worker-1', health_state: 3, server_roles: ['web'], address: '203.0.113.11' };
  expect(`\n${await drawTable(Server, [server], onTerminal({ width: 43 }))}`).toBe(`
NAME           HEALTH   ROLES  ADDRESS
shop-worker-1  healthy  web    203.0.113.11`);
  expect(`\n${await drawTable(Server, [server], onTerminal({ width: 42 }))}`).toBe(`
NAME           HEALTH   ROLES
shop-worker-1  healthy  web`);
});

test('a rare column is for a terminal, and for rows of which one has it', async () => {
  const servers = [
    { name: 'web-1', has_deploy_gateway: true },
    { name: 'web-2', has_deploy_gateway: false },
    { name: 'web-3' },
  ];
  const terminal = onTerminal({ width: 60 });
  expect(`\n${await drawTable(Server, servers, terminal)}`).toBe(`
NAME   HEALTH  ROLES  ADDRESS  GATEWAY  REGION  DISTRO  UID
web-1  -       -      -        yes      -       -       -
web-2  -       -      -        no       -       -       -
web-3  -       -      -        -        -       -       -`);
  const heading = 'NAME   HEALTH  ROLES  ADDRESS  REGION  DISTRO  UID\n';
  expect(await drawTable(Server, servers.slice(1), terminal)).toContain(heading);
  expect(await drawTable(Server, servers, { ...terminal, terminal: false })).toContain(heading);
});

test('5 columns: the UID stays whole', async () => {
  expect(await drawTable(Variant, variants, onTerminal({ width: 5 }))).toBe(
    'TYPE    UID\nactive  va-active\ncanary  va-canary',
  );
});

test('a terminal that does not know its width is taken for 80 columns', async () => {
  expect(await drawTable(Variant, variants, onTerminal({ width: 0 }))).toBe(
    await drawTable(Variant, variants, onTerminal({ width: 80 })),
  );
});

test('columns that were asked for are cut but not dropped', async () => {
  const view = onTerminal({ width: 26, columns: ['git_hash', 'created_at', 'type', 'uid'] });
  expect(
    await drawTable(
      Variant,
      [{ uid: 'va-1', git_hash: 'abc', created_at: '2025-06-01T11:57:00Z', type: 'preview' }],
      view,
    ),
  ).toBe('COMMIT  CREATED  TYPE     UID\nabc     3m ago   preview  va-1');
});

test('--output table in a pipe: nothing cut, times as data', async () => {
  expect(`\n${await drawTable(Variant, variants, onTerminal({ terminal: false, width: 20 }))}`).toBe(`
TYPE    TRAFFIC  COMMIT                                    CREATED               UID
active       95  9f2c1d7e0b4a4c9d8e7f6a5b4c3d2e1f00112233  2025-05-30T12:00:00Z  va-active
canary        5  abc                                       2025-06-01T11:57:00Z  va-canary`);
});

test('a column of sentences is continued on further lines, at most five', async () => {
  const said = (id: number, finished_message: string) => ({
    id,
    action: 'deploy',
    finished_success: false,
    finished_message,
  });
  const rows = [said(9, 'The build of the image failed at step 4.'), said(10, 'x'.repeat(200)), said(11, 'Deployed.')];
  const view = onTerminal({ width: 50, columns: ['id', 'action', 'finished_message'] });
  expect(`\n${await drawTable(StackAction, rows, view)}`).toBe(`
ID  ACTION  MESSAGE
 9  deploy  The build of the image failed at step
            4.
10  deploy  ${'x'.repeat(38)}
            ${'x'.repeat(38)}
            ${'x'.repeat(38)}
            ${'x'.repeat(38)}
            ${'x'.repeat(37)}…
11  deploy  Deployed.`);
  const inPipe = await drawTable(StackAction, rows, { ...view, terminal: false });
  expect(inPipe.split('\n')).toHaveLength(4);
});

test('a type of action is never cut to the beginning of several', async () => {
  const ended = { started_at: '2025-06-01T11:00:00Z', finished_at: '2025-06-01T11:57:00Z', finished_success: true };
  const rows = [
    { id: 811, action: 'database_user_create', finished_message: 'Database user analytics created.', ...ended },
    { id: 812, action: 'database_user_password_change', finished_message: 'Password of app changed.', ...ended },
  ];
  expect(`\n${await drawTable(StackAction, rows, onTerminal({ width: 80 }))}`).toBe(`
 ID  ACTION                         STARTED  SUCCEEDED  MESSAGE
811  database_user_create           1h ago   yes        Database user analytics
                                                        created.
812  database_user_password_change  1h ago   yes        Password of app changed.`);
});

test('without heading', async () => {
  expect(await drawTable(Variant, variants, onTerminal({ width: 32, header: false }))).toBe(
    'active  95 %  va-active\ncanary   5 %  va-canary',
  );
});

test('colour goes on the heading and on words that say how it went', async () => {
  expect(
    `\n${await drawTable(Deployment, deployments, onTerminal({ width: 50, colour: true, columns: ['id', 'outcome', 'started_at', 'git_hash'] }))}`,
  ).toBe(`
\x1b[1mID\x1b[22m  \x1b[1mOUTCOME\x1b[22m  \x1b[1mSTARTED\x1b[22m  \x1b[1mCOMMIT\x1b[22m
10  \x1b[32msuccess\x1b[39m  30m ago  def
 9  \x1b[31mfailed\x1b[39m   -        abc`);
});

test('wide characters, emoji and hostile text stay in their columns', async () => {
  const rows = [
    { uid: 'a', variant_type: '東京', percentage: 1, git_hash: 'é' },
    { uid: 'b', variant_type: '🚀🫠', percentage: 20, git_hash: '\x1b[2J\r\n' },
    { uid: 'c\u202e', variant_type: 'plain', percentage: 300, git_hash: 'x' },
  ];
  expect(
    `\n${await drawTable(Variant, rows, onTerminal({ columns: ['uid', 'variant_type', 'percentage', 'git_hash'] }))}`,
  ).toBe(`
UID      TYPE   TRAFFIC  COMMIT
a        東京       1 %  é
b        🚀🫠      20 %  \\x1b[2J\\r\\n
c\\u202e  plain    300 %  x`);
});

test.each([499, 500, 501])('%i rows look the same, whoever draws them', async (count) => {
  const rows = Array.from({ length: count }, (_, index) => ({ ...variants[0], uid: `va-${index}` }));
  const drawn = await drawTable(Variant, rows, onTerminal());
  const lines = drawn.split('\n');
  expect(lines).toHaveLength(count + 1);
  expect(lines[1]).toBe('active     95 %  9f2c1d7e0b4a4c9d8e7f6a5b4c3d2e1f00112233  2d ago   va-0');
  expect(lines.at(-1)?.indexOf('va-')).toBe(68);
});

const theme = await loadTheme(true);
const letters = 'abc XYZ09-é…•ぁカ漢字한글'.split('');
const cell = fc.record(
  {
    text: fc.string({ unit: fc.constantFrom(...letters), maxLength: 12 }),
    tone: fc.constantFrom('good', 'heading', undefined),
  },
  { requiredKeys: ['text', 'tone'] },
) satisfies fc.Arbitrary<Cell>;
const sheet: fc.Arbitrary<FittedTable> = fc
  .integer({ min: 1, max: 4 })
  .chain((columns) =>
    fc.array(fc.array(cell, { minLength: columns, maxLength: columns }), { minLength: 1, maxLength: 20 }),
  )
  .map((rows) => ({ rows, right: [false, true, false, true], theme }));

property('cli-table3 and our own renderer draw the same text', [sheet], async (one) => {
  expect(canDrawGrid(one)).toBe(true);
  expect(await drawGrid(one)).toBe(drawPlainTable(one));
});

test('cli-table3 is kept from what it draws slowly or measures wrongly', () => {
  const of = (text: string, count = 1): FittedTable => ({
    rows: Array.from({ length: count }, () => [{ text }, { text }]),
    right: [false, false],
    theme,
  });
  expect(canDrawGrid(of('plain', 501))).toBe(true);
  expect(canDrawGrid(of('plain', 502))).toBe(false);
  expect(canDrawGrid(of('🫠'))).toBe(false);
  expect(canDrawGrid(of('สวัสดี'))).toBe(false);
});

test('characters given to cli-table3 are measured as we measure them', async () => {
  for (let code = 0x21; code <= 0xffff; code += 7) {
    const rows = [
      [{ text: String.fromCharCode(code) }, { text: '|' }],
      [{ text: 'wide' }, { text: '|' }],
    ];
    const one: FittedTable = { rows, right: [false, false], theme };
    if (canDrawGrid(one)) expect(await drawGrid(one)).toBe(drawPlainTable(one));
  }
});
