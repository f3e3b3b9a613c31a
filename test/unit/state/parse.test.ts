import { readFileSync, writeFileSync } from 'node:fs';
import { resolve } from 'node:path';
import { Ajv2020 } from 'ajv/dist/2020.js';
import fc from 'fast-check';
import { expect, test } from 'vitest';
import { parse } from 'yaml';
import { CliError } from '../../../src/errors/cli-error.ts';
import type { StackEntry } from '../../../src/state/entry.ts';
import { editStackFile } from '../../../src/state/file/edit.ts';
import { parseStackFile } from '../../../src/state/file/parse.ts';
import { property } from '../../support/property.ts';

const table = resolve(import.meta.dirname, 'parse/broken-files.txt');

async function mistakesOf(text: string): Promise<CliError> {
  const error = await parseStackFile(text, 'f.yaml').then(
    () => undefined,
    (thrown: unknown) => thrown,
  );
  if (error instanceof CliError) return error;
  throw new Error(`no mistake is found in:\n${text}\n${error}`);
}

test('[1] broken files: all mistakes at once, each with its position', async () => {
  const written = readFileSync(table, 'utf8');
  const cases = written.split(/^# (.*)\n/m).slice(1);
  const played: string[] = [];
  for (let at = 0; at < cases.length; at += 2) {
    const text = (cases[at + 1] ?? '').replace(/^! .*\n/gm, '');
    const error = await mistakesOf(text);
    expect(error.kind).toBe('usage');
    const message = error.message.replace(/^/gm, '! ');
    played.push(`# ${cases[at]}\n${text}${message}\n`);
  }
  expect(played.length).toBeGreaterThanOrEqual(40);
  if (process.env['STACKOPS_UPDATE']) writeFileSync(table, played.join(''));
  else expect(played.join('')).toBe(written);
});

test('[1] JSON errors hold each mistake as data', async () => {
  const { details } = await mistakesOf('version: 1\nstack: shop\nenf: {}\nservers: a\n');
  expect(details.extra).toEqual({
    details: [
      { file: 'f.yaml', line: 3, column: 1, message: 'unknown key "enf"; did you mean env?' },
      { file: 'f.yaml', line: 4, column: 10, message: 'servers must be a mapping of server names or "@role"' },
    ],
  });
});

test('[2] what is not managed is an unknown key, and docs/state.md says why', async () => {
  const keys = ['gateways', 'databases', 'users', 'access', 'backups', 'variants', 'deployments'];
  const { details } = await mistakesOf(`version: 1\nstack: shop\n${keys.map((one) => `${one}: {}\n`).join('')}`);
  expect(details.extra?.['details']).toHaveLength(keys.length);
  const guide = readFileSync(resolve(import.meta.dirname, '../../../docs/state.md'), 'utf8');
  const [, reasons = ''] = guide.split('\n## Not managed\n');
  expect(keys.filter((one) => !reasons.toLowerCase().includes(one))).toEqual([]);
});

async function entriesOf(text: string, stack = 0): Promise<readonly StackEntry[]> {
  return (await parseStackFile(text, 'f.yaml')).stacks[stack]?.entries ?? [];
}

async function valuesOf(text: string): Promise<Readonly<Record<string, unknown>>> {
  const rows = await entriesOf(`version: 1\nstack: shop\nenv:\n${text}`);
  return Object.fromEntries(
    rows.map(({ key, expression }) => [key, 'value' in expression ? expression.value : expression]),
  );
}

test('[1] values are text as written, and nothing is interpolated', async () => {
  const text = [
    'NO: no',
    'VERSION: 1.10',
    'EXPONENT: 1e3',
    'NULL_: null',
    'TILDE: ~',
    'OCTAL: 0o17',
    'DATE: 2026-01-01',
    `LITERAL: \${HOME}/x`,
    'EMPTY:',
    "QUOTED: ''",
    'BLOCK: |\n    one\n    two',
    'FOLDED: >-\n    one\n    two',
    'EMPTIED: { value: "", allow_empty: true }',
  ];
  expect(await valuesOf(text.map((line) => `  ${line}\n`).join(''))).toEqual({
    NO: 'no',
    VERSION: '1.10',
    EXPONENT: '1e3',
    NULL_: 'null',
    TILDE: '~',
    OCTAL: '0o17',
    DATE: '2026-01-01',
    LITERAL: `\${HOME}/x`,
    EMPTY: '',
    QUOTED: '',
    BLOCK: 'one\ntwo\n',
    FOLDED: 'one two',
    EMPTIED: '',
  });
});

test('[11] an edit keeps the byte-order mark and the line ends of a file', async () => {
  const text = '\ufeffversion: 1\r\nstack: shop # ours\r\nenv:\r\n  A: one\r\n';
  const edit = { section: 'env', key: 'A', overlay: null, expression: { kind: 'literal', value: 'two\n' } } as const;
  expect(await editStackFile(text, [edit])).toBe(text.replace('one', String.raw`"two\n"`));
});

test('[11] an edit leaves every other byte as it is', async () => {
  const text = `# top
version: 1   # v
stacks:
  shop/production: {}   # main
  shop/staging:
  blog: # none
  old:   # c
    env:
      A: |
        one
        two

      B: >-
         x

    # behind B
env:
  K:
    value: x
    allow_empty: true
  L:     # why
  M: ''
  T:   'a'   # t
  F: {value: b}  # f
servers:
  w:
    tags:  # list
    - a
    - b # last
  v:
processes: {web: {a: 1},} # p
settings: {
  a: 'b' # a
}
# end
`;
  const literal = (value: string) => ({ kind: 'literal', value }) as const;
  const edit = (overlay: string | null, key: string, value = 'new') =>
    ({ section: 'env', key, overlay, expression: literal(value) }) as const;
  const tags = (server: string, ...of: readonly string[]) =>
    ({ section: 'tags', key: 'tags', server, overlay: null, expression: { kind: 'tags', tags: of } }) as const;
  const count = (key: string, server: string) =>
    ({ section: 'processes', key, server, overlay: null, expression: { kind: 'count', least: 2, most: 2 } }) as const;
  const edits = [
    ...['K', 'L', 'M', 'T', 'F', 'Z'].map((key) => edit(null, key)),
    ...['shop/production', 'shop/staging', 'blog', 'old', 'more'].map((stack) => edit(stack, 'Q')),
    edit('old', 'A', 'line\n'),
    ...[tags('w', 'c', 'd,e'), tags('v'), count('web', 'b'), count('job', 'b')],
    { section: 'settings', key: 'c', overlay: null, expression: literal('1,2') } as const,
  ];
  const added = (key: string) => `    env:\n      ${key}: new`;
  const expected = [
    ['shop/production: {}   # main', `shop/production:   # main\n${added('Q')}`],
    ['shop/staging:', `shop/staging:\n${added('Q')}`],
    ['blog: # none', `blog: # none\n${added('Q')}`],
    ['|\n        one\n        two', String.raw`"line\n"`],
    ['         x\n', `         x\n      Q: new\n  more:\n${added('Q')}\n`],
    ['value: x\n    allow_empty: true', 'new'],
    ['L:     #', 'L: new     #'],
    ["M: ''", 'M: new'],
    ["'a'   #", 'new   #'],
    ['{value: b}  # f', 'new  # f\n  Z: new'],
    ['- a\n    - b #', '  [ c, "d,e" ] #'],
    ['  v:', '  v:\n    tags: []'],
    ['{a: 1},}', '{a: 1, b: 2}, job: { b: 2 },}'],
    ["'b' # a", `'b',\n  c: "1,2" # a`],
  ] as const;
  const written = await editStackFile(text, edits);
  expect(written).toBe(expected.reduce((so, [from, to]) => so.replace(from, to), text));
  expect((await parseStackFile(written, 'f.yaml')).stacks.map(({ name }) => name)).toHaveLength(5);
});

test('[11] an edited file of JSON is JSON', async () => {
  const edit = {
    section: 'env',
    key: 'A',
    overlay: null,
    expression: { kind: 'literal', value: '\u0007\u0000' },
  } as const;
  const written = await editStackFile('{"version": "1", "stack": "shop"}', [edit]);
  expect(JSON.parse(written)).toEqual({ version: '1', stack: 'shop', env: { A: '\u0007\u0000' } });
});

test('[1] a mistake is told once', async () => {
  await expect(parseStackFile('version: 1\nenv: {A: [\n', 's.yaml')).rejects.toMatchObject({
    message: 's.yaml:3:1: not valid YAML (BAD_INDENT)',
  });
});

const whole = `version: 1
stacks:
  shop/production:
  shop/staging:
    env: { LOG_LEVEL: debug, PAY_KEY: { unmanaged: true } }
    servers: { "@web": { tags: [eu] } }
env:
  LOG_LEVEL: info
  TLS_KEY: { file: secrets/tls.pem }
  STRIPE: { secret: op://ops/stripe/key, allow_empty: true }
  OLD: { absent: true }
settings: { git.branch: main }
servers:
  "@web": { tags: [web, eu], settings: { disk.space.alert.threshold: 80 } }
processes: { worker: { "@worker": 2..4, shop-db-1: 1 } }
ignore: [env.RELEASE_*]
strict: [env, tags]
`;

test('[5] an overlay replaces entries, not sections; each entry knows its line and stack', async () => {
  const { stacks, ...rest } = await parseStackFile(whole, 'f.yaml');
  expect(rest).toEqual({ ignore: ['env.RELEASE_*'], strict: ['env', 'tags'] });
  const shown = stacks.map(({ name, line, entries }) => ({
    name,
    line,
    entries: entries.map(
      ({ path, expression, source }) => `${source.line} ${source.stack} ${path} ${Object.values(expression)}`,
    ),
  }));
  const base = [
    '9 null env.TLS_KEY file,secrets/tls.pem',
    '10 null env.STRIPE secret,op://ops/stripe/key',
    '11 null env.OLD absent',
    '12 null settings.git.branch literal,main',
  ];
  const last = [
    '14 null servers.@web.settings.disk.space.alert.threshold literal,80',
    '15 null processes.worker.@worker count,2,4',
    '15 null processes.worker.shop-db-1 count,1,1',
  ];
  expect(shown).toEqual([
    {
      name: 'shop/production',
      line: 3,
      entries: ['8 null env.LOG_LEVEL literal,info', ...base, '14 null servers.@web.tags tags,eu,web', ...last],
    },
    {
      name: 'shop/staging',
      line: 4,
      entries: [
        '5 shop/staging env.LOG_LEVEL literal,debug',
        ...base,
        '6 shop/staging servers.@web.tags tags,eu',
        ...last,
        '5 shop/staging env.PAY_KEY unmanaged',
      ],
    },
  ]);
});

const key = fc.stringMatching(/^[A-Z][A-Z0-9_]{0,8}$/);
const section = fc.dictionary(key, fc.string({ unit: 'grapheme', maxLength: 40 }), { maxKeys: 6 });

property(
  '[5] for any base and overlay: the overlay where it has an entry, else the base; nothing else',
  [section, section],
  async (base, own) => {
    const text = JSON.stringify({ version: 1, stacks: { a: {}, b: { env: own } }, env: base });
    const read = async (stack: number) => {
      const entries = await entriesOf(text, stack);
      return Object.fromEntries(entries.map(({ key, expression }) => [key, 'value' in expression && expression.value]));
    };
    expect(await read(0)).toEqual({ ...base });
    expect(await read(1)).toEqual({ ...base, ...own });
  },
);

property('[1] any text ends in entries or in mistakes with positions', [fc.string({ maxLength: 80 })], async (text) => {
  const error = await parseStackFile(`version: 1\nstack: shop\n${text}`, 'f.yaml').catch((thrown: unknown) => thrown);
  if (error instanceof Error) expect(error).toBeInstanceOf(CliError);
});

/** Mistakes that no schema sees: of YAML itself, and of two places. */
const unseen = /is already set|merge keys|anchors|aliases|tags \(!…\)|not valid YAML|one document/;

test('[1] the schema in the package accepts what is read, and refuses each broken file that is valid YAML', async () => {
  const schema = JSON.parse(
    readFileSync(resolve(import.meta.dirname, '../../../schemas/stackops.schema.json'), 'utf8'),
  );
  const check = new Ajv2020({ allowUnionTypes: true }).compile(schema);
  expect(check(parse(whole))).toBe(true);
  const cases = readFileSync(table, 'utf8')
    .split(/^# (.*)\n/m)
    .slice(1);
  const accepted: unknown[] = [];
  for (let at = 0; at < cases.length; at += 2) {
    const [name, text = ''] = cases.slice(at, at + 2);
    if (!unseen.test(text) && check(parse(text.replace(/^! .*\n/gm, '')))) accepted.push(name);
  }
  expect(accepted).toEqual([]);
});
