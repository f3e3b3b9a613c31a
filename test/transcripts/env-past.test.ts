import fc from 'fast-check';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { slowProperty } from '../support/property.ts';
import { listen, reply, type Service } from '../support/service.ts';
import { run } from '../support/stackops.ts';

const uid = '5f3c9a1e7b2d4c8f9e0a1b2c3d4e5f60';
const beginning = Date.parse('2026-05-01T00:00:00Z');
/** Second `second` of the test's own clock, as the service writes it. */
const at = (second: number) => new Date(beginning + second * 1000).toISOString().replace('.000Z', 'Z');

/** A value and the second in which it was set. */
interface Held {
  readonly value: string;
  readonly second: number;
}

/** The three forms in which services tell the past of a variable whose values are these, oldest first. */
const forms = {
  /** Set and replaced, as the document says. */
  'set and replaced': (values: readonly Held[]) =>
    earlier(values).map(({ value, second, until }, index) => ({
      ...{ key: index + 1, value, created_at: at(second), updated_at: at(until) },
    })),
  /** Both times are the moment it was replaced: every published sample. */
  'replaced, twice': (values: readonly Held[]) =>
    earlier(values).map(({ value, until }, index) => ({
      ...{ key: index + 1, value, created_at: at(until), updated_at: at(until) },
    })),
  /** Newest first, the present value on top. */
  'set, with the present value': (values: readonly Held[]) =>
    values.toReversed().map(({ value, second }) => ({ value, created_at: at(second) })),
};
type Form = keyof typeof forms;

function earlier(values: readonly Held[]): readonly (Held & { readonly until: number })[] {
  return values.slice(0, -1).map((held, index) => ({ ...held, until: values[index + 1]?.second ?? 0 }));
}

function row(key: string, values: readonly Held[], form: Form) {
  const [first, last] = [values[0], values.at(-1)];
  const flags = { id: 1, readonly: false, is_password: false, is_generated: false };
  const times = { created_at: at(first?.second ?? 0), updated_at: at(last?.second ?? 0) };
  return { key, value: last?.value, ...flags, ...times, history: forms[form](values) };
}

let service: Service;
let rows: readonly unknown[] = [];
let liveSince = 0;
beforeAll(async () => {
  const deployments = () => [
    { id: 7, is_live: true, started_at: at(liveSince), finished_at: at(liveSince + 60), is_deploying: false },
  ];
  service = await listen(({ path, method }, response) => {
    if (method !== 'GET') reply(response, { ok: true });
    else reply(response, { response: path.includes('deployments') ? deployments() : rows, pagination: { next: null } });
  });
});
afterAll(() => service.close());

async function stackops(words: readonly string[], more: readonly string[] = ['--json', '--reveal']) {
  const { env } = service;
  return run([...words, '-s', uid, ...more], { env, now: () => new Date(beginning + 5_000_000) });
}

async function read(...words: readonly string[]): Promise<readonly Told[]> {
  const { stdout, stderr, code } = await stackops(words);
  expect([code, stderr]).toEqual([0, '']);
  return JSON.parse(stdout);
}

/** A row of any of these commands. */
interface Told {
  readonly key: string;
  readonly name: string;
  readonly value: string;
  readonly set_at: string;
  readonly time: string;
}

async function pendingInStatus(): Promise<unknown> {
  const { stdout } = await stackops(['status', '--only', 'pending']);
  return JSON.parse(stdout).pending;
}

/** What people set and deleted, in the order in which they did. */
interface Deed {
  readonly key: 'A' | 'B';
  readonly second: number;
  /** Null deletes. */
  readonly value: string | null;
}

/** What was true at each moment, kept by whoever made it true: the values of the last life of each variable. */
function lives(deeds: readonly Deed[]): ReadonlyMap<string, readonly Held[]> {
  const found = new Map<string, Held[]>();
  for (const { key, second, value } of deeds) {
    const life = found.get(key) ?? [];
    if (value === null) found.delete(key);
    else if (life.at(-1)?.value !== value) found.set(key, [...life, { value, second }]);
  }
  return found;
}

/** What a variable was after that second. */
const valueAt = (values: readonly Held[], second: number) => values.findLast((held) => held.second <= second)?.value;

const second = fc.integer({ min: 0, max: 40 });
const writer = fc.array(
  fc.record({
    key: fc.constantFrom('A' as const, 'B' as const),
    second,
    value: fc.option(fc.constantFrom('one', 'two', 'three', ''), { freq: 8 }),
  }),
  { maxLength: 8 },
);
const bySecond = (writers: readonly (readonly Deed[])[]) => writers.flat().toSorted((a, b) => a.second - b.second);

slowProperty(
  'all commands agree with the clock on what a variable was',
  [
    fc.array(writer, { minLength: 1, maxLength: 3 }),
    fc.constantFrom(...(Object.keys(forms) as Form[])),
    second,
    second,
  ],
  async (writers, form, live, before) => {
    const known = lives(bySecond(writers));
    rows = [...known].map(([key, values]) => row(key, values, form));
    liveSince = live;
    const now = (values: readonly Held[]) => values.at(-1)?.value;
    const changed = [...known].filter(([, values]) => valueAt(values, live) !== now(values));
    expect(await read('env', 'diff', '--since-deployment', 'live')).toEqual(
      changed.map(([key, values]) => ({
        key,
        change: valueAt(values, live) === undefined ? 'added' : 'changed',
        left: valueAt(values, live) ?? null,
        right: now(values),
      })),
    );
    const keys = changed.map(([key]) => key);
    expect((await read('env', 'list', '--pending')).map(({ key }) => key)).toEqual(keys);
    expect(await pendingInStatus()).toEqual(
      changed.map(([key, values]) => ({ key, updated_at: at(values.at(-1)?.second ?? 0) })),
    );
    const told = [...known].flatMap(([key, values]) => values.map(({ value, second: set }) => [key, value, at(set)]));
    const history = await read('env', 'history', '--since', '365d');
    expect(history.map((one) => [one.key, one.value, one.set_at]).toSorted()).toEqual(told.toSorted());
    const events = await read('activity', '--type', 'env', '--since', '365d');
    expect(events.map((one) => [one.name, one.time]).toSorted()).toEqual(
      told.map(([key, , set]) => [key, set]).toSorted(),
    );
    for (const [key, values] of known) {
      const was = valueAt(values, before - 1);
      const words = ['env', 'rollback', key, '--before', at(before)];
      const { code, stdout } = await stackops(words, ['--dry-run', '--json', '--reveal']);
      const sent = stdout === '' ? undefined : JSON.parse(stdout);
      if (was === undefined) expect(code).toBe(3);
      else if (was === now(values)) expect([code, sent[0].change]).toEqual([0, 'unchanged']);
      else expect([code, sent.body]).toEqual([0, { value: was }]);
    }
  },
);

const live = { is_password: false, is_generated: false, readonly: false };

test('a published variable that was replaced before the deployment is not pending', async () => {
  rows = [
    {
      ...{ id: 4152, key: 'GIT_BRANCH', value: 'master', ...live },
      ...{ created_at: '2014-08-29T17:21:25Z', updated_at: '2014-08-29T17:21:25Z' },
      history: [{ key: 2, value: 'develop', created_at: '2015-05-08T15:09:50Z', updated_at: '2015-05-08T15:09:50Z' }],
    },
  ];
  liveSince = 0;
  expect(await read('env', 'diff', '--since-deployment', 'live')).toEqual([]);
  expect(await read('env', 'list', '--pending')).toEqual([]);
  expect((await stackops(['env', 'history', 'GIT_BRANCH'], [])).stdout).toBe(
    'GIT_BRANCH\t-\tmaster\t2015-05-08T15:09:50Z\t-\nGIT_BRANCH\t2\tdevelop\t2014-08-29T17:21:25Z\t2015-05-08T15:09:50Z\n',
  );
  expect((await stackops(['activity', '--type', 'env', '--since', '2014-01-01'], [])).stdout).toBe(
    '2015-05-08T15:09:50Z\tenv\tGIT_BRANCH\tupdated (develop -> master)\t-\n2014-08-29T17:21:25Z\tenv\tGIT_BRANCH\tcreated (develop)\t-\n',
  );
  const rollback = (before: string) =>
    stackops(['env', 'rollback', 'GIT_BRANCH', '--before', before], ['--dry-run', '--json']);
  expect(JSON.parse((await rollback('2015-05-08')).stdout).body).toEqual({ value: 'develop' });
  expect(JSON.parse((await rollback('2015-05-09')).stdout)).toMatchObject([{ change: 'unchanged' }]);
});

test('what the service hides is pending where it was set since', async () => {
  const hidden = row(
    'A',
    [
      { value: '***', second: 0 },
      { value: '***', second: 10 },
    ],
    'set and replaced',
  );
  rows = [{ ...hidden, is_password: true }];
  for (const [began, keys] of [
    [5, ['A']],
    [10, []],
  ] as const) {
    liveSince = began;
    const found = await read('env', 'diff', '--since-deployment', 'live');
    expect(found.map(({ key }) => key)).toEqual(keys);
    expect((await read('env', 'list', '--pending')).map(({ key }) => key)).toEqual(keys);
  }
});

test('a value is set, and a history of any form is no fault of the change', async () => {
  const odd = [[null, 'text', 5], {}, 'text', null, [{ value: 'one' }], [{ created_at: at(1) }]];
  for (const history of [...odd, undefined]) {
    rows = [{ ...row('A', [{ value: 'two', second: 5 }], 'set and replaced'), history }];
    expect(await stackops(['env', 'set', 'A=three'], ['--dry-run', '--json'])).toMatchObject({ code: 0, stderr: '' });
    expect(await stackops(['env', 'set', 'A=three'], [])).toMatchObject({ code: 0 });
    expect(await stackops(['env', 'history'], [])).toMatchObject({ code: 0 });
  }
});

test.each([
  ['an empty history', []],
  ['no history', undefined],
])('%s beside a later change: changed, by a value that is not shown', async (_, history) => {
  const times = { created_at: at(0), updated_at: at(20) };
  const created = { id: 2, key: 'B', value: 'one', ...live, history, created_at: at(15), updated_at: at(20) };
  rows = [{ id: 1, key: 'A', value: 'two', ...live, ...times, history }, created];
  liveSince = 10;
  expect(await read('env', 'diff', '--since-deployment', 'live')).toEqual([
    { key: 'A', change: 'changed', left: null, right: 'two' },
    { key: 'B', change: 'added', left: null, right: 'one' },
  ]);
  expect((await read('env', 'list', '--pending')).map(({ key }) => key)).toEqual(['A', 'B']);
  expect(await pendingInStatus()).toEqual([
    { key: 'A', updated_at: at(20) },
    { key: 'B', updated_at: at(20) },
  ]);
  expect(await stackops(['env', 'rollback', 'A', '--before', at(10)], [])).toMatchObject({
    code: 3,
    stderr: expect.stringContaining(`error: the service does not show the value of A before ${at(10)}\n`),
  });
  expect(await stackops(['env', 'rollback', 'A', '--before', at(21)], [])).toMatchObject({ code: 0 });
  expect((await stackops(['activity', '--type', 'env', '--since', '365d'], [])).stdout).toContain(
    `${at(20)}\tenv\tA\tset (two)\t-\n`,
  );
  liveSince = 25;
  expect(await read('env', 'list', '--pending')).toEqual([]);
});

test('a change after the last entry of a history is not passed over', async () => {
  const history = [{ key: 1, value: 'zero', created_at: at(5), updated_at: at(5) }];
  rows = [{ id: 1, key: 'A', value: 'two', ...live, history, created_at: at(0), updated_at: at(20) }];
  liveSince = 10;
  expect(await read('env', 'diff', '--since-deployment', 'live')).toEqual([
    { key: 'A', change: 'changed', left: null, right: 'two' },
  ]);
  expect(await stackops(['env', 'rollback', 'A'], [])).toMatchObject({
    code: 3,
    stderr: expect.stringContaining('error: the service does not show the value that A had before\n'),
  });
  expect(await stackops(['env', 'rollback', 'A', '--to', '1'], ['-n', '-q'])).toMatchObject({ code: 0 });
});

test('an earlier value of null is not passed over', async () => {
  const history = [
    { key: 1, value: 'zero', created_at: at(5), updated_at: at(5) },
    { key: 2, value: null, created_at: at(20), updated_at: at(20) },
  ];
  rows = [{ id: 1, key: 'A', value: 'two', ...live, history, created_at: at(0), updated_at: at(20) }];
  expect(await stackops(['env', 'rollback', 'A'], [])).toMatchObject({
    code: 3,
    stderr: expect.stringContaining('error: A was null then, which cannot be set\n'),
  });
});
