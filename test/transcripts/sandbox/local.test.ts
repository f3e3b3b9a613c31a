import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { readdirSync, readFileSync, statSync, writeFileSync } from 'node:fs';
import { dirname, join, resolve } from 'node:path';
import { rolldown } from 'rolldown';
import { expect, test } from 'vitest';
import type { Method } from '../../../src/contract/operation.ts';
import { withLock } from '../../../src/files/lock.ts';
import { createLocalTransport } from '../../../src/sandbox/local.ts';
import { resetStoredState } from '../../../src/sandbox/stored-state.ts';
import { ownBehaviour } from '../../support/sandbox.ts';
import { freshFolder, quiet } from '../files/folder.ts';
import { at, shop } from './fresh-sandbox.ts';

const writers = 12;
const added = Array.from({ length: writers }, (_, n) => `NEW_${n}`);
const databases = `/stacks/${shop}/server_groups/21/databases`;

function freshFile(): string {
  return join(freshFolder(), 'state', 'sandbox.json');
}

/** One request to the sandbox of a file, so many seconds after eight o'clock. */
async function ask(file: string, line: string, { body, seconds = 0 }: { body?: unknown; seconds?: number } = {}) {
  const [method = '', path = '', query = ''] = line.split(/[ ?]/);
  const transport = createLocalTransport({
    ...quiet,
    ...ownBehaviour,
    file,
    now: () => new Date(Date.parse('2026-04-16T08:00:00Z') + seconds * 1000),
  });
  const text = body === undefined ? undefined : JSON.stringify(body);
  const request = { method: method as Method, path, query: new URLSearchParams(query), body: text };
  const answer = await transport(request, 'sandbox_all', new AbortController().signal);
  return { status: answer.status, response: at(JSON.parse(answer.text), 'response') };
}

async function newKeys(file: string): Promise<readonly unknown[]> {
  const { response } = await ask(file, `GET /stacks/${shop}/environments?page=2`);
  const keys = (response as readonly { readonly key: string }[]).map(({ key }) => key);
  return keys.filter((key) => key.startsWith('NEW_')).toSorted();
}

test('keeps its state between calls, and time goes on in between', async () => {
  const file = freshFile();
  await ask(file, `POST ${databases}`, { body: { database_name: 'reports' } });
  expect((await ask(file, `GET ${databases}`)).response).toHaveLength(2);
  expect((await ask(file, `GET ${databases}`, { seconds: 3 })).response).toHaveLength(3);
});

test('keeps its state for us alone and leaves nothing else behind', async () => {
  const file = freshFile();
  await ask(file, 'GET /stacks');
  expect(statSync(file).mode & 0o777).toBe(0o600);
  expect(statSync(dirname(file)).mode & 0o777).toBe(0o700);
  expect(readdirSync(dirname(file))).toEqual(['sandbox.json']);
});

test('does not write when nothing changed', async () => {
  const file = freshFile();
  await ask(file, 'GET /stacks');
  const before = statSync(file);
  await ask(file, 'GET /stacks', { seconds: 60 });
  expect(statSync(file).ino).toBe(before.ino);
});

test('what time has done shows to every read alike before it is stored', async () => {
  const file = freshFile();
  await ask(file, `POST ${databases}`, { body: { database_name: 'reports' } });
  const stored = readFileSync(file, 'utf8');
  const seen = [
    await ask(file, `GET ${databases}`, { seconds: 9 }),
    await ask(file, `GET ${databases}`, { seconds: 9 }),
  ];
  expect(seen[0]?.response).toHaveLength(3);
  expect(seen[0]).toEqual(seen[1]);
  expect(readFileSync(file, 'utf8')).toBe(stored);
});

test('dates are as long ago as in the seed at the first use, and stay', async () => {
  const file = freshFile();
  const year = 365 * 24 * 3600;
  const activity = async (seconds: number) =>
    at((await ask(file, 'GET /stacks', { seconds })).response, '0.last_activity');
  expect(await activity(year)).toBe('2027-03-27T05:34:10Z');
  expect(await activity(2 * year)).toBe('2027-03-27T05:34:10Z');
});

test('what is under way ends although the clock was set back', async () => {
  const file = freshFile();
  const day = 24 * 3600;
  await ask(file, `POST ${databases}`, { body: { database_name: 'reports' }, seconds: day });
  await ask(file, `POST /stacks/${shop}/deployments`, { body: {}, seconds: day });
  const seen = async (seconds: number) => [
    at((await ask(file, `GET ${databases}`, { seconds })).response, 'length'),
    at((await ask(file, `GET /stacks/${shop}/deployments`, { seconds })).response, '0.outcome.meaning'),
  ];
  expect(await seen(0)).toEqual([2, 'pending']);
  expect(await seen(2)).toEqual([2, 'pending']);
  expect(await seen(5)).toEqual([3, 'success']);
});

test('a write clears away what killed writers left', async () => {
  const file = freshFile();
  await ask(file, 'GET /stacks');
  for (const name of ['sandbox.json.tmp-1', 'sandbox.json.tmp-2', 'other.json.tmp-1']) {
    writeFileSync(join(dirname(file), name), '{');
  }
  await ask(file, `POST ${databases}`, { body: { database_name: 'reports' } });
  expect(readdirSync(dirname(file)).toSorted()).toEqual(['other.json.tmp-1', 'sandbox.json']);
});

test('a dozen writers at once lose nothing', async () => {
  const file = freshFile();
  const writes = added.map((key) => ask(file, `POST /stacks/${shop}/environments`, { body: { key, value: '' } }));
  expect((await Promise.all(writes)).map(({ status }) => status)).toEqual(Array(writers).fill(200));
  expect(await newKeys(file)).toEqual(added.toSorted());
});

test('a dozen processes at once lose nothing', async () => {
  const file = freshFile();
  const program = await buildWriter(dirname(dirname(file)));
  const codes = added.map(async (key) => {
    const child = spawn(process.execPath, [program, file, key], { stdio: ['ignore', 'ignore', 'inherit'] });
    const [code]: unknown[] = await once(child, 'close');
    return code;
  });
  expect(await Promise.all(codes)).toEqual(Array(writers).fill(0));
  expect(await newKeys(file)).toEqual(added.toSorted());
});

test.each(['', '{', '[]', 'null', '{"format":2}', '{"format":1,"accounts":[],"stacks":[],"oauth":{},"next":{}}'])(
  'refuses the state %j, keeps it and names the way out',
  async (text) => {
    const file = freshFile();
    await resetStoredState({ file, now: () => new Date('2026-04-16T08:00:00Z'), ...quiet });
    writeFileSync(file, text);
    await expect(ask(file, 'GET /stacks')).rejects.toMatchObject({
      kind: 'usage',
      message: `the sandbox state in ${file} is damaged or from another version`,
      details: { hint: { path: 'sandbox reset' } },
    });
    expect(readFileSync(file, 'utf8')).toBe(text);
    await resetStoredState({ file, now: () => new Date('2026-04-16T08:00:00Z'), ...quiet });
    expect((await ask(file, 'GET /stacks')).status).toBe(200);
  },
);

/** A program that adds one variable: `node writer.mjs FILE KEY`. */
async function buildWriter(folder: string): Promise<string> {
  const code = `
    import { createLocalTransport } from ${JSON.stringify(resolve(import.meta.dirname, '../../../src/sandbox/local.ts'))};
    const [file, key] = process.argv.slice(2);
    const transport = createLocalTransport({ file, now: () => new Date('2026-04-16T08:00:00Z'), warn: () => undefined });
    const body = JSON.stringify({ key, value: '' });
    const request = { method: 'POST', path: '/stacks/${shop}/environments', query: new URLSearchParams(), body };
    const answer = await transport(request, 'sandbox_all', new AbortController().signal);
    process.exitCode = answer.status === 200 ? 0 : 1;
  `;
  const entry = 'virtual:writer';
  const plugin = {
    name: 'writer',
    resolveId: (id: string) => (id === entry ? id : undefined),
    load: (id: string) => (id === entry ? code : undefined),
  };
  const bundle = await rolldown({ input: entry, platform: 'node', plugins: [plugin] });
  const file = join(folder, 'writer.mjs');
  await bundle.write({ file, format: 'esm', codeSplitting: false });
  await bundle.close();
  return file;
}

test('reads do not wait for anybody', async () => {
  const file = freshFile();
  await ask(file, `GET /stacks/${shop}/environments`);
  const reading = withLock(file, () => ask(file, `GET /stacks/${shop}/environments`), quiet);
  expect((await reading).status).toBe(200);
});
