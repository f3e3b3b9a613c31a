import { expect, test } from 'vitest';
import type { Presentation } from '../../../src/contract/command.ts';
import { emptyReply, opaqueReply, page, type Reply, rows } from '../../../src/contract/reply.ts';
import { parseStrictJson } from '../../../src/json/read.ts';
import { renderResult } from '../../../src/output/render.ts';
import { print } from '../../../src/output/result.ts';
import type { View } from '../../../src/output/view.ts';
import { Deployment } from '../../../src/resources/deployment.ts';
import { EnvironmentVariable } from '../../../src/resources/env.ts';
import { Variant } from '../../../src/resources/variant.ts';
import { printed, watchedGate } from '../../support/gate.ts';
import { inPipe, onTerminal } from './views.ts';

const variables = [
  { key: 'TOKEN', value: 's3cret', is_password: true, readonly: false, updated_at: '2025-06-01T11:57:00Z' },
  { key: 'GREETING', value: 'a\tb\\c\nd', is_password: false, readonly: true, updated_at: '2025-06-01T11:57:00Z' },
];

function list(view: View): Promise<{ readonly out: string; readonly err: string }> {
  const presentation: Presentation = { kind: 'table', record: EnvironmentVariable, rows: variables };
  return printed(
    renderResult({ value: variables, reply: page(EnvironmentVariable), presentation }, view),
    view.terminal,
  );
}

async function shown(presentation: Presentation, view: View): Promise<string> {
  return (await printed(renderResult({ value: undefined, presentation }, view), view.terminal)).out;
}

test('a list on a terminal, in the order of the service, secrets masked', async () => {
  expect(await list(onTerminal())).toEqual({
    out: String.raw`KEY       VALUE      READ-ONLY  UPDATED
TOKEN     ***        no         3m ago
GREETING  a\tb\c\nd  yes        3m ago
`,
    err: '',
  });
});

test('a list in a pipe: one line each, times as data, secrets masked', async () => {
  expect((await list(inPipe())).out).toBe(
    'TOKEN\t***\tno\t2025-06-01T11:57:00Z\nGREETING\ta\\tb\\\\c\\nd\tyes\t2025-06-01T11:57:00Z\n',
  );
});

test.each([
  [
    '--header',
    inPipe({ header: true, columns: ['key', 'is_password'] }),
    'KEY\tIS PASSWORD\nTOKEN\tyes\nGREETING\tno\n',
  ],
  ['--sort', inPipe({ sort: '-key', columns: ['key'] }), 'TOKEN\nGREETING\n'],
  ['--limit keeps the order of the service', inPipe({ limit: 1, columns: ['key'] }), 'TOKEN\n'],
  ['--limit 0', inPipe({ limit: 0 }), ''],
  ['-q', onTerminal({ quiet: true }), 'TOKEN\nGREETING\n'],
  ['-q --columns', inPipe({ quiet: true, columns: ['value', 'key'], sort: '-key' }), '***\na\\tb\\\\c\\nd\n'],
])('%s', async (_, view, out) => {
  expect((await list(view)).out).toBe(out);
});

test('a terminal is told when rows were left out', async () => {
  expect((await list(onTerminal({ limit: 1 }))).err).toBe('1 of 2 environment variables.\n');
  expect((await list(inPipe({ limit: 1 }))).err).toBe('');
});

test.each([
  ['a terminal', onTerminal(), { out: '', err: 'No variants.\n' }],
  ['a pipe', inPipe({ header: true }), { out: '', err: 'No variants.\n' }],
  ['-q', inPipe({ quiet: true }), { out: '', err: '' }],
  ['JSON', inPipe({ format: 'json' }), { out: '[]\n', err: '' }],
])('an empty list: %s', async (_, view, expected) => {
  const presentation: Presentation = { kind: 'table', record: Variant, rows: [] };
  expect(await printed(renderResult({ value: [], reply: rows(Variant), presentation }, view))).toEqual(expected);
});

test('an empty list may have its own sentence', async () => {
  const presentation: Presentation = { kind: 'table', record: Variant, rows: [], empty: 'No variants of shop.' };
  expect((await printed(renderResult({ value: [], presentation }, onTerminal()))).err).toBe('No variants of shop.\n');
});

const deployment = {
  id: 812,
  outcome: { code: 1, meaning: 'success' },
  started_at: '2025-06-01T11:57:00Z',
  finished_at: null,
  git_hash: '9f2c',
  triggered_by: 'ann\x1b[0m',
  triggered_via: { code: 0, meaning: 'web' },
  deploy_type: { code: 2 },
  is_live: true,
  is_head: false,
};

test('one object on a terminal', async () => {
  expect(await shown({ kind: 'detail', record: Deployment, row: deployment }, onTerminal({ colour: true }))).toBe(
    `ID:             812
Outcome:        \x1b[32msuccess\x1b[39m
Started:        3m ago (2025-06-01T11:57:00Z)
Finished:       -
Commit:         9f2c
Triggered by:   ann\\x1b[0m
Triggered via:  web
Deploy type:    code=2
Live:           yes
Head:           no
Deploying:      -
Session:        -
Reverted:       -
Reverted by:    -
Reverted at:    -
Commit URL:     -
`,
  );
});

test('one object in a pipe, found under another name, optional fields only when sent', async () => {
  const row = { key: 'A', value: 'x\ty', is_password: true, created_at_iso: '2025-06-01 11:57:00 UTC' };
  expect(await shown({ kind: 'detail', record: EnvironmentVariable, row }, inPipe())).toBe(
    'Key:\tA\nValue:\t***\nRead-only:\t-\nPassword:\tyes\nGenerated:\t-\nID:\t-\n' +
      'Created:\t2025-06-01T11:57:00Z\nUpdated:\t-\nHistory:\t-\n',
  );
});

test.each<readonly [string, Presentation, View, string]>([
  ['a sentence', { kind: 'done', lines: ['Queued\x1b.', 'Two.'] }, inPipe(), 'Queued\\x1b.\nTwo.\n'],
  ['a sentence with -q', { kind: 'done', lines: ['Queued.'] }, onTerminal({ quiet: true }), ''],
  ['a value on a terminal', { kind: 'value', text: 'a\tb\n\x1b]0;x\x07' }, onTerminal(), 'a\tb\n\\x1b]0;x\\x07\n'],
  ['a value in a pipe', { kind: 'value', text: 'a\x1b\r\n' }, inPipe(), 'a\x1b\r\n\n'],
  ['a value with -q', { kind: 'value', text: 'otp' }, inPipe({ quiet: true }), 'otp\n'],
  ['nothing', { kind: 'nothing' }, onTerminal(), ''],
])('%s', async (_, presentation, view, out) => {
  expect(await shown(presentation, view)).toBe(out);
});

async function json(value: unknown, more: Partial<View> = {}, reply: Reply = page(Deployment)): Promise<string> {
  const view = inPipe({ format: 'json', ...more });
  return (await printed(renderResult({ value, reply, presentation: { kind: 'nothing' } }, view), view.terminal)).out;
}

test('JSON is what the service sent, in one line', async () => {
  const value = { uid: 'a', big: 9007199254740993n, extra: ['\x1b\x9b'], created_at: '2025-06-01 11:57:00 UTC' };
  expect(await json(value)).toBe(
    '{"uid":"a","big":9007199254740993,"extra":["\\u001b\x9b"],"created_at":"2025-06-01 11:57:00 UTC"}\n',
  );
});

test('JSON spells numbers as they came, picked fields too', async () => {
  const rows = await parseStrictJson('[{"id":1.0,"outcome":{"code":1e400},"git_hash":-0}]');
  expect(await json(rows, { fields: ['outcome.code', 'id'] })).toBe('[{"outcome":{"code":1e400},"id":1.0}]\n');
  expect(await json(rows, { format: 'ndjson' })).toBe('{"id":1.0,"outcome":{"code":1e400},"git_hash":-0}\n');
});

test('JSON on a terminal is indented and escapes what would steer it', async () => {
  expect(await json({ a: '\x9b\u202e' }, { terminal: true })).toBe('{\n  "a": "\\u009b\\u202e"\n}\n');
});

test.each<readonly [string, unknown, Partial<View>, string]>([
  [
    'picked fields, in that order',
    [deployment],
    { fields: ['outcome.code', 'id', 'finished_at'] },
    '[{"outcome":{"code":1},"id":812,"finished_at":null}]',
  ],
  ['a picked group', deployment, { fields: ['outcome'] }, '{"outcome":{"code":1,"meaning":"success"}}'],
  [
    'a group, and a part of it',
    deployment,
    { fields: ['outcome.code', 'outcome'] },
    '{"outcome":{"code":1,"meaning":"success"}}',
  ],
  ['a field that was not sent', deployment, { fields: ['commit_url'] }, '{"commit_url":null}'],
  ['the order of the service', [{ id: 1 }, { id: 2 }], {}, '[{"id":1},{"id":2}]'],
  ['--sort', [{ id: 1 }, { id: 2 }], { sort: '-id' }, '[{"id":2},{"id":1}]'],
  ['--limit', [{ id: 1 }, { id: 2 }], { limit: 1 }, '[{"id":1}]'],
  ['-q', [{ id: 1 }], { quiet: true }, '[{"id":1}]'],
])('JSON: %s', async (_, value, more, out) => {
  expect(await json(value, more)).toBe(`${out}\n`);
});

test('JSON of a reply without body says that it went well', async () => {
  expect(await json(undefined, {}, emptyReply)).toBe('{"ok":true}\n');
});

test('what is no list can be neither filtered, sorted nor limited', async () => {
  const sorted = json({ a: 1 }, { sort: 'a' }, opaqueReply);
  await expect(sorted).rejects.toMatchObject({
    kind: 'usage',
    message: 'only a list can be filtered, sorted or limited',
  });
});

test('Ctrl-C ends the writing of a long result', async () => {
  const stop = new AbortController();
  const gate = watchedGate();
  function* pieces() {
    yield 'x'.repeat(70_000);
    stop.abort('SIGINT');
    for (;;) yield 'y';
  }
  await expect(print({ data: pieces() }, { ...gate, signal: stop.signal })).rejects.toThrow('interrupted');
});
