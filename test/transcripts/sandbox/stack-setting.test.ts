import { expect, test } from 'vitest';
import { freshSandbox, refusal, response, rows, shop } from './fresh-sandbox.ts';

const settings = `/stacks/${shop}/settings`;

test('values are text, numbers, yes or no, or nothing', async () => {
  const { ask } = await freshSandbox();
  const all = rows(await ask(`GET ${settings}`));
  const settingValue = (key: string) => all.find((setting) => setting['key'] === key)?.['value'];
  expect(['git.branch', 'db.check.backup.size', 'maintenance.mode', 'asset.prefix'].map(settingValue)).toEqual([
    'main',
    10,
    false,
    null,
  ]);
  expect(all[2]).toEqual({
    id: 1203,
    key: 'git.branch',
    value: 'main',
    readonly: false,
    created_at: '2024-02-06T08:15:00Z',
    updated_at: '2026-01-19T11:42:00Z',
  });
});

test.each(['1203', 'git-branch'])('one is found as %s', async (id) => {
  const { ask } = await freshSandbox();
  expect(response(await ask(`GET ${settings}/${id}`))).toEqual({ key: 'git.branch', value: 'main' });
});

test('a change takes three seconds and shows at the stack', async () => {
  const { ask, pass } = await freshSandbox();
  const answer = response(await ask(`PUT ${settings}/git-branch`, { value: 'release' }));
  expect(answer).toMatchObject({ id: 812, action: 'stack-set: git.branch', resource_type: 'stack', finished_at: null });
  await ask(`PUT ${settings}/1209`, { value: 'true' });
  pass(2);
  expect(response(await ask(`GET ${settings}/git-branch`))).toEqual({ key: 'git.branch', value: 'main' });
  expect(response(await ask(`GET /stacks/${shop}`))).toMatchObject({ git_branch: 'main', is_busy: true });
  pass(1);
  expect(response(await ask(`GET ${settings}/maintenance-mode`))).toEqual({ key: 'maintenance.mode', value: true });
  expect(rows(await ask(`GET ${settings}`))[2]).toMatchObject({ value: 'release', updated_at: '2026-04-16T08:00:03Z' });
  expect(response(await ask(`GET /stacks/${shop}`))).toMatchObject({
    git_branch: 'release',
    maintenance_mode: true,
    is_busy: false,
  });
});

test.each<readonly [id: string, body: unknown, status: number, details: string]>([
  ['stack-name', { value: 'x' }, 400, 'setting "stack.name" is read-only'],
  ['git.branch', { value: 'x' }, 404, 'setting "git.branch" not found'],
  ['7', { value: 'x' }, 404, 'setting "7" not found'],
  ['git-branch', { value: true }, 400, 'parameter "value" must be a string'],
  ['maintenance-mode', { value: 'maybe' }, 400, 'setting "maintenance.mode" takes true or false; got "maybe"'],
  ['db-check-backup-size', { value: '-1' }, 400, 'setting "db.check.backup.size" takes a whole number; got "-1"'],
])('refuses to change %s to %j', async (id, body, status, details) => {
  const { ask } = await freshSandbox();
  expect(refusal(await ask(`PUT ${settings}/${id}`, body))).toEqual([status, details]);
});
