import { expect, test } from 'vitest';
import { seedState } from '../../../src/sandbox/seed/seed.ts';
import type { TestSandboxOptions } from '../../support/sandbox.ts';
import { at, freshSandbox, response, rows, shop } from './fresh-sandbox.ts';

const now = new Date('2026-04-16T08:00:00Z');
const stack = `/stacks/${shop}`;

const incident = (options: TestSandboxOptions = {}) => freshSandbox({ state: seedState(now, 'incident'), ...options });

test('is the same on every call, and changes nothing of a quiet day', () => {
  expect(seedState(now, 'incident')).toEqual(seedState(now, 'incident'));
  expect(JSON.parse(JSON.stringify(seedState(now, 'incident')))).toEqual(seedState(now, 'incident'));
  expect(seedState(now)).not.toHaveProperty('autoscaler');
  expect(seedState(now).stacks[0]?.deployments.at(-1)?.row).toMatchObject({ id: 1041, is_live: true });
});

test('holds a busy stack, a deployment that failed, a canary, a changed variable and a failed backup', async () => {
  const { ask } = await incident();
  expect(response(await ask(`GET ${stack}`))).toMatchObject({ is_busy: true, status: 6 });
  const deployments = rows(await ask(`GET ${stack}/deployments`));
  const [canary] = rows(await ask(`GET ${stack}/application_variants`)).filter(({ percentage }) => percentage === 25);
  expect(canary).toMatchObject({ variant_type: 'canary', created_at: '2026-04-16T07:28:00Z' });
  expect(
    deployments
      .slice(0, 3)
      .map(({ id, git_hash, outcome }) => [id, git_hash === canary?.['git_hash'], at(outcome, 'meaning')]),
  ).toEqual([
    [1043, true, 'pending'],
    [1042, true, 'failed'],
    [1041, false, 'success'],
  ]);
  const { variables = [] } = seedState(now, 'incident').stacks[0] ?? {};
  expect(variables.filter(({ updated_at }) => updated_at > '2026-04-16')).toMatchObject([
    { key: 'SEARCH_INDEX', value: 'books_v8', history: [{ value: 'books_v7' }], updated_at: '2026-04-16T07:40:00Z' },
  ]);
  expect(rows(await ask(`GET ${stack}/backups`)).slice(0, 2)).toMatchObject([
    { id: 908, database_name: 'shop_prod', backup_status: 1, backup_date_iso: '2026-04-16T07:15:00Z' },
    { id: 907, database_name: 'shop_events', backup_status: 0 },
  ]);
});

test('the deployment in progress fails a minute later, and the next numbers are free', async () => {
  const { ask, pass } = await incident();
  pass(59);
  expect(response(await ask(`GET ${stack}`))).toMatchObject({ is_busy: true });
  pass(1);
  expect(response(await ask(`GET ${stack}`))).toMatchObject({ is_busy: false, status: 2 });
  expect(response(await ask(`GET ${stack}/actions/812`))).toMatchObject({ finished_success: false });
  expect(at((await ask(`POST ${stack}/deployments`)).body, 'response.id')).toBe(1044);
  pass(60);
  expect(rows(await ask(`GET ${stack}/actions`))[0]).toMatchObject({ id: 813, finished_success: true });
});

test.each([
  [1, 120],
  [10, 12],
])('at speed %i somebody else changes the stack every %i seconds, for thirty times', async (speed, seconds) => {
  const { ask, pass } = await incident({ speed });
  const servers = async () => rows(await ask(`GET ${stack}/servers`)).map(({ name }) => name);
  const variable = async () => response(await ask(`GET ${stack}/environments/513`));
  const few = await servers();
  pass(seconds - 1);
  expect(await servers()).toEqual(few);
  pass(1);
  expect(await servers()).toEqual([...few, 'shop-web-3']);
  expect(await variable()).toMatchObject({ key: 'WEB_CONCURRENCY', value: '3', history: [{ value: '4' }] });
  pass(seconds);
  expect(await servers()).toEqual(few);
  expect(await variable()).toMatchObject({ value: '4', history: [{ value: '4' }, { value: '3' }] });
  pass(seconds * 100);
  expect(await servers()).toEqual(few);
  expect(at(await variable(), 'history.length')).toBe(30);
});

test('a variable that was deleted stays deleted', async () => {
  const { ask, pass } = await incident();
  await ask(`DELETE ${stack}/environments/WEB_CONCURRENCY`);
  pass(120);
  expect(await ask(`GET ${stack}/environments/513`)).toMatchObject({ status: 404 });
});
