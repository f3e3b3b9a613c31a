import type { ServerResponse } from 'node:http';
import { expect, test } from 'vitest';
import { reply, startService } from '../support/service.ts';
import { type RunOptions, run, temporaryFolder } from '../support/stackops.ts';
import { transcriptFile } from '../support/transcript.ts';

test('what happened in a stack is one list, newest first', transcriptFile);
test('how far back: a time, a day, or a moment', transcriptFile);
test('rows are chosen, sorted and printed as those of every list', transcriptFile);
test('values that may be secret are masked, in JSON too', transcriptFile);
test('several stacks', transcriptFile);
test('an action that failed is none of a deployment that succeeded', transcriptFile);

test('a type that cannot be read says why, and the others stand', (context) =>
  transcriptFile(context, { env: { STACKOPS_TOKEN: 'sandbox_public' } }));

const uid = '5f3c9a1e7b2d4c8f9e0a1b2c3d4e5f60';
const now = Date.parse('2026-05-04T12:00:00Z');
const minutesAgo = (minutes: number) => new Date(now - minutes * 60_000).toISOString().replace('.000Z', 'Z');

/** Replies by the last part of the path: rows, or a function that takes over the response. */
type Replies = Readonly<Record<string, readonly object[] | ((response: ServerResponse) => void)>>;

const perPage = 30;

/** A service whose lists are empty but for these. */
async function serviceWith(replies: Replies) {
  const service = await startService(({ path, query }, response) => {
    const found = replies[path.slice(path.lastIndexOf('/') + 1)] ?? [];
    if (typeof found === 'function') return found(response);
    const current = Number(new URLSearchParams(query).get('page') ?? 1);
    const rows = found.slice((current - 1) * perPage, current * perPage);
    const pages = Math.max(1, Math.ceil(found.length / perPage));
    reply(response, {
      response: rows,
      pagination: {
        current,
        pages,
        next: current < pages ? current + 1 : null,
      },
    });
  });
  const { env } = service;
  const activity = (flags: readonly string[], options: RunOptions = {}) =>
    run(['activity', '-s', uid, ...flags], {
      env: { ...env, NO_COLOR: '1' },
      ...options,
    });
  return { service, activity };
}

const deployment = (id: number, minutes: number) => ({
  id,
  outcome: { code: 1, meaning: 'success' },
  started_at: minutesAgo(minutes + 1),
  finished_at: minutesAgo(minutes),
});
const hourly = Array.from({ length: 70 }, (_, at) => deployment(100 - at, at * 60));

test('without actions the list is complete, and a note says so', transcriptFile);
test('what is queued has no time, and comes first', transcriptFile);

test('a list that comes newest first is read as far as it is wanted, any other to its end', async () => {
  const newestFirst = await serviceWith({ deployments: hourly });
  const { stdout } = await newestFirst.activity(['--type', 'deployment']);
  expect([stdout.trimEnd().split('\n').length, newestFirst.service.seen.length]).toEqual([25, 1]);
  const all = await newestFirst.activity(['--type', 'deployment', '--since', '3d']);
  expect([all.stdout.trimEnd().split('\n').length, newestFirst.service.seen.length]).toEqual([70, 1 + 4]);
  const oldestFirst = await serviceWith({ deployments: hourly.toReversed() });
  expect(await oldestFirst.activity(['--type', 'deployment'])).toMatchObject({
    stdout,
  });
  expect(oldestFirst.service.seen.length).toBe(4);
});

test('of variables and settings all pages are read', transcriptFile);
test('the values of a variable are told apart by what is known of them', transcriptFile);
test('a history that is no list is none, and a backup without an ID has a dash', transcriptFile);

test('only what was done at this service counts as done from here', async () => {
  const [here, elsewhere] = [await serviceWith({}), await serviceWith({})];
  const state = { XDG_STATE_HOME: temporaryFolder() };
  const at = ({ service }: typeof here) => ({
    ...state,
    ...service.env,
  });
  await run(['stack', 'env', 'set', 'A=1', '-s', uid], { env: at(here) });
  await run(['stack', 'env', 'set', 'B=1', '-s', uid], { env: at(elsewhere) });
  await run(['stack', 'env', 'set', 'C=1', '-s', uid.replace(/^5/, '6')], {
    env: at(here),
  });
  const { stdout } = await run(['activity', '-s', uid, '--fields', 'type,name,event'], { env: at(here) });
  expect(stdout).toBe(`local\t1\tstack env set A=<value> -s ${uid}: unknown\n`);
});

test('when the time is up, all reads end', async () => {
  const late = new AbortController();
  const service = await startService(() => {
    if (service.seen.length === 5) late.abort();
  });
  const { env } = service;
  const { code, stderr } = await run(['activity', '-s', uid], {
    env,
    deadline: late.signal,
  });
  expect([code, stderr, service.seen.length]).toEqual([7, 'error: no response within 10 s\n', 5]);
});
