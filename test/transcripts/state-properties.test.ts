import { readdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import fc from 'fast-check';
import { expect, onTestFinished } from 'vitest';
import { slowProperty } from '../support/property.ts';
import { freshState, serveSandbox } from '../support/sandbox.ts';
import { ownFolders, run, temporaryFolder } from '../support/stackops.ts';

/** Properties of generated stacks and files, against the sandbox: what is read, sent, shown and written. */

const key = fc.constantFrom(
  'LOG_LEVEL',
  'NAME',
  'A_B',
  'EMPTY',
  'X1',
  'API_SECRET',
  'DB_PASSWORD',
  'STRIPE_KEY',
  'NEW',
);
const isSecretKey = (name: string) => /SECRET|PASSWORD|KEY/.test(name);
const plainText = fc.oneof(
  fc.constantFrom(
    'no',
    '1.10',
    '1e3',
    '~',
    'a: b',
    '- x',
    '# y',
    '{a}',
    "it's",
    '"q"',
    `\${HOME}`,
    '0x1f',
    'null',
    '!!str x',
    '&a *b',
  ),
  fc.constantFrom('one\ntwo\n', ' lead', 'trail ', '\ttab', 'ünï ✓ 漢', 'a\r\nb', '\u2028', 'x'.repeat(70_000)),
  fc.string({ minLength: 1, maxLength: 20, unit: 'grapheme' }),
);
/** Secrets that no other text contains. */
const secretText = fc.stringMatching(/^s3cr3t-[a-f0-9]{12}$/);
const textFor = (name: string) => (isSecretKey(name) ? secretText : plainText);

const variables = fc.uniqueArray(
  key.chain((name) =>
    fc.record({ key: fc.constant(name), value: textFor(name), is_password: fc.constant(isSecretKey(name)) }),
  ),
  { selector: (one) => one.key, maxLength: 7 },
);

const expression = (name: string) =>
  fc.oneof(
    { weight: 4, arbitrary: textFor(name).map((value) => ({ value, allow_empty: true })) },
    { weight: 1, arbitrary: fc.constantFrom({ preserve: true }, { absent: true }, { unmanaged: true }) },
    { weight: 1, arbitrary: secretText.map((value) => ({ env: `REF_${value.slice(-6)}`, resolved: value })) },
  );
type Written = { readonly resolved?: string; readonly [kind: string]: unknown };
const entries = fc
  .uniqueArray(
    key.chain((name) => fc.tuple(fc.constant(name), expression(name))),
    { selector: ([name]) => name, maxLength: 6 },
  )
  .map((pairs) => Object.fromEntries(pairs) as Readonly<Record<string, Written>>);

const others = fc.record(
  {
    settings: fc.record({ 'git.branch': fc.constantFrom('main', 'release') }),
    servers: fc.record({
      '@web': fc.record({ tags: fc.uniqueArray(fc.constantFrom('eu', 'nightly', 'a b'), { maxLength: 3 }) }),
    }),
    processes: fc.record({ web: fc.record({ '@web': fc.constantFrom('1..3', '2', '3') }) }),
  },
  { requiredKeys: [] },
);

interface World {
  readonly variables: readonly { readonly key: string; readonly value: string; readonly is_password: boolean }[];
  readonly base: Readonly<Record<string, Written>>;
  readonly own: Readonly<Record<string, Written>>;
  readonly others: object;
}
const world: fc.Arbitrary<World> = fc.record({ variables, base: entries, own: entries, others });

/** A stack with these variables, a folder with this file, and the secrets that nothing may show. */
async function begin({ variables: rows, base, own, others: sections }: World) {
  const state = freshState();
  const [stack] = state.stacks;
  const [template] = stack?.variables ?? [];
  if (!stack || !template) throw new Error('no stack');
  stack.variables = rows.map((row, at) => ({
    ...template,
    ...row,
    id: 900 + at,
    readonly: false,
    is_generated: false,
    history: [],
  }));
  let nowMs = Date.parse('2026-05-04T12:00:00Z');
  const now = () => new Date(nowMs);
  const slept = (ms: number) => {
    nowMs += ms;
  };
  const sandbox = await serveSandbox({ state, now });
  const folder = temporaryFolder();
  // A preserved variable must exist.
  const known = new Set(rows.map((row) => row.key));
  const written = (all: World['base']) =>
    Object.fromEntries(
      Object.entries(all)
        .filter(([name, one]) => !('preserve' in one) || known.has(name))
        .map(([name, { resolved: _, ...one }]) => [name, one]),
    );
  const file = { version: 1, stacks: { 'shop/production': { env: written(own) } }, env: written(base), ...sections };
  const path = join(folder, 'stackops.yaml');
  writeFileSync(path, JSON.stringify(file));
  const references = [...Object.values(base), ...Object.values(own)].flatMap(({ env, resolved }) =>
    resolved === undefined ? [] : [[String(env), resolved] as const],
  );
  const literals = [...Object.entries(base), ...Object.entries(own)].flatMap(([name, one]) =>
    isSecretKey(name) && typeof one['value'] === 'string' ? [one['value']] : [],
  );
  const secrets = [
    ...literals,
    ...rows.filter((row) => isSecretKey(row.key)).map((row) => row.value),
    ...references.map(([, text]) => text),
  ];
  const folders = ownFolders();
  const env = { ...sandbox.env, ...folders, ...Object.fromEntries(references) };
  const printed: string[] = [];
  const play = async (...words: readonly string[]) => {
    const before = sandbox.requests.length;
    const ran = await run([...words.slice(0, 1), path, ...words.slice(1)], { env, now, slept });
    printed.push(ran.stdout, ran.stderr);
    return { ...ran, sent: sandbox.requests.slice(before).filter(({ method }) => method !== 'GET') };
  };
  /** Everything that was printed or written beside the file. */
  const everything = () => [
    ...printed,
    ...[folder, folders.XDG_STATE_HOME].flatMap((root) =>
      (readdirSync(root, { recursive: true, encoding: 'utf8', withFileTypes: true }) as never as Entry[])
        .filter((entry) => entry.isFile() && entry.name !== 'stackops.yaml' && !/keys/.test(entry.name))
        .map((entry) => readFileSync(join(entry.parentPath, entry.name), 'utf8')),
    ),
  ];
  return {
    stack,
    play,
    secrets,
    file: path,
    everything,
    close: sandbox.close,
    folder,
    named: { ...written(base), ...written(own) },
  };
}

interface Entry {
  readonly name: string;
  readonly parentPath: string;
  isFile(): boolean;
}

interface Row {
  readonly path: string;
  readonly action: string;
  readonly why: string | null;
}

function rowsOf(stdout: string): readonly Row[] {
  return (JSON.parse(stdout) as { readonly stacks: readonly { readonly changes: readonly Row[] }[] }).stacks.flatMap(
    ({ changes }) => changes,
  );
}

/** A deletion is confirmed by the name of the stack. */
const confirming = (plan: string) => (plan.includes('"action":"delete"') ? ['--confirm', 'shop/production'] : []);

const isWrite = ({ action }: Row) => ['create', 'update', 'delete'].includes(action);

slowProperty(
  '[16] [19] plan, drift and diff send GET only; 10 exactly when a change, or in drift a row, is shown',
  [world],
  async (made) => {
    const { play, close } = await begin(made);
    onTestFinished(close);
    const plan = await play('plan', '--json', '--exit-code');
    expect(plan.code).toBe(rowsOf(plan.stdout).some(isWrite) ? 10 : 0);
    const drift = await play('drift', '--json', '--exit-code');
    expect(drift.code).toBe(rowsOf(drift.stdout).length > 0 ? 10 : 0);
    expect([...plan.sent, ...drift.sent]).toEqual([]);
    // Without a lock nothing tells who changed it.
    expect(rowsOf(plan.stdout).filter((row) => isWrite(row) && row.why !== 'unknown')).toEqual([]);
  },
);

slowProperty(
  '[3] [21] [28] apply reaches the file, deletes only what is absent, touches nothing else, and then has nothing to send',
  [world],
  async (made) => {
    const { play, close, stack, named } = await begin(made);
    onTestFinished(close);
    const before = new Map(stack.variables.map((row) => [row.key, row.value]));
    const planned = await play('plan', '--json');
    const paths = rowsOf(planned.stdout)
      .filter(isWrite)
      .map(({ path }) => path);
    const first = await play('apply', '--take', 'file', '-y', ...confirming(planned.stdout), '--json');
    expect([first.code, first.stderr]).toEqual([0, expect.any(String)]);
    const deleted = first.sent.filter(({ method, path }) => method === 'DELETE' && path.includes('/environments/'));
    expect(deleted.map(({ path }) => named[path.split('/').at(-1) ?? ''])).toEqual(
      deleted.map(() => ({ absent: true })),
    );
    const managed = Object.entries(named)
      .filter(([, one]) => !('unmanaged' in one || 'preserve' in one))
      .map(([name]) => name);
    const after = new Map(stack.variables.map((row) => [row.key, row.value]));
    for (const [name, value] of before) if (!managed.includes(name)) expect(after.get(name)).toBe(value);
    expect(first.sent).toHaveLength(paths.length);
    expect(rowsOf((await play('plan', '--json')).stdout).filter(isWrite)).toEqual([]);
    const second = await play('apply', '-y', '--json');
    expect([second.code, second.sent]).toEqual([0, []]);
  },
);

slowProperty(
  '[13] after pull the plan is empty, but for references, absent variables and what the service lacks',
  [world],
  async (made) => {
    const { play, close, stack, named, file, secrets } = await begin(made);
    onTestFinished(close);
    const known = new Set(stack.variables.map((row) => `env.${row.key}`));
    const pulled = await play('pull', '-y');
    expect([pulled.code, pulled.sent]).toEqual([0, []]);
    const left = rowsOf((await play('plan', '--json')).stdout).filter(isWrite);
    const isLeft = ({ path }: Row) => {
      const entry = named[path.replace('env.', '')] ?? {};
      return 'absent' in entry || 'env' in entry || !known.has(path);
    };
    expect(left.filter((row) => !isLeft(row))).toEqual([]);
    // Without a file nothing is left.
    rmSync(file);
    const first = await play('pull', '-s', 'shop/production', '-y');
    expect([first.code, first.sent]).toEqual([0, []]);
    const written = readFileSync(file, 'utf8');
    expect(secrets.filter((secret) => written.includes(secret))).toEqual([]);
    expect(await play('plan', '--exit-code')).toMatchObject({ code: 0 });
    expect(await play('drift', '--exit-code')).toMatchObject({ code: 0 });
    expect((await play('apply', '-y')).sent).toEqual([]);
  },
);

slowProperty(
  '[7] [14] no secret, reference or preserved value is printed, or written beside the file',
  [world],
  async (made) => {
    const { play, close, secrets, everything, folder } = await begin(made);
    onTestFinished(close);
    for (const words of [[], ['--output', 'md']]) await play('plan', ...words);
    await play('drift');
    await play('pull', '--lock-only');
    const { stdout } = await play('plan', '--json', '--take', 'file', '--out', join(folder, 'x.plan'));
    const { items } = JSON.parse(readFileSync(join(folder, 'x.plan'), 'utf8').replace(/^.*\n/, ''));
    for (const item of items) expect(item).toHaveProperty('guard');
    expect(await play('apply', '--take', 'file', '-y', ...confirming(stdout))).toMatchObject({ code: 0 });
    await play('drift', '--json');
    const all = everything().join('\n');
    expect(secrets.filter((secret) => all.includes(secret))).toEqual([]);
  },
);
