import { expect, test } from 'vitest';
import { startSandbox } from '../../support/sandbox.ts';
import { run, temporaryFolder } from '../../support/stackops.ts';
import { transcriptFile } from '../../support/transcript.ts';

test('what was rehearsed is compared with the service', transcriptFile);
test('what only the copy has names the change that made it', transcriptFile);
test('without a copy or with another stack there is nothing to verify', transcriptFile);
test('what cannot be read or changed any more is not possible', transcriptFile);

test('verify sends GET only, and nothing without changes', async () => {
  const { env: served, requests } = await startSandbox();
  const env = { ...served, XDG_STATE_HOME: temporaryFolder() };
  await run(['sandbox', 'clone', '-s', 'shop'], { env });
  const read = requests.length;
  expect(await run(['sandbox', 'verify'], { env })).toMatchObject({ code: 0, stdout: '' });
  expect(requests.length).toBe(read);
  await run(['env', 'set', 'LOG_LEVEL=debug', '-s', 'shop', '--sandbox'], { env });
  expect(await run(['sandbox', 'verify'], { env })).toMatchObject({ code: 0 });
  expect(requests.length).toBeGreaterThan(read);
  expect(new Set(requests.map(({ method }) => method))).toEqual(new Set(['GET']));
});

test('a secret is compared by its time, and is in no line', async () => {
  let nowMs = Date.parse('2026-05-04T12:00:00Z');
  const { env: served } = await startSandbox({
    now: () => {
      nowMs += 1000;
      return new Date(nowMs);
    },
  });
  const env = { ...served, XDG_STATE_HOME: temporaryFolder() };
  const set = (key: string, value: string, ...more: readonly string[]) =>
    run(['env', 'set', key, '--stdin', '-s', 'shop', ...more], { env, stdin: value });
  await set('SMTP_PASSWORD', 'first-secret');
  await set('API_TOKEN', 'second-secret');
  await run(['sandbox', 'clone', '-s', 'shop'], { env });
  await set('SMTP_PASSWORD', 'rehearsed-secret', '--sandbox');
  await set('API_TOKEN', 'rehearsed-secret', '--sandbox');
  const now = () => new Date('2027-01-01T00:00:00Z');
  const valid = await run(['sandbox', 'verify', '--json'], { env, now });
  expect(JSON.parse(valid.stdout)).toMatchObject([
    { name: 'SMTP_PASSWORD', state: 'valid', before: '***', after: '***', now: '***' },
    { name: 'API_TOKEN', state: 'valid', command: 'stackops stack env set API_TOKEN --stdin -s shop/production' },
  ]);
  await set('API_TOKEN', 'changed-secret');
  await set('SMTP_PASSWORD', 'rehearsed-secret');
  const later = await run(['sandbox', 'verify', '--json'], { env, now });
  expect(JSON.parse(later.stdout).map(({ state }: { readonly state: string }) => state)).toEqual([
    'already',
    'changed',
  ]);
  expect(later.code).toBe(10);
  expect(JSON.stringify([valid, later])).not.toMatch(/-secret/);
  await run(['sandbox', 'clone', '-s', 'shop', '--replace'], { env });
  await run(['env', 'rollback', 'API_TOKEN', '-y', '-s', 'shop', '--sandbox'], { env });
  const rolledBack = await run(['sandbox', 'verify', '--json'], { env, now });
  expect(JSON.parse(rolledBack.stdout)).toMatchObject([{ name: 'API_TOKEN', state: 'not_possible', command: null }]);
});

test('a secret that was changed in the second of its last change is seen by its history', async () => {
  const { env: served } = await startSandbox({ now: () => new Date('2026-05-04T12:00:00Z') });
  const env = { ...served, XDG_STATE_HOME: temporaryFolder() };
  const set = (key: string, value: string, ...more: readonly string[]) =>
    run(['env', 'set', key, '--stdin', '-s', 'shop', ...more], { env, stdin: value });
  for (const key of ['SMTP_PASSWORD', 'API_TOKEN']) await set(key, 'first-secret');
  await run(['sandbox', 'clone', '-s', 'shop'], { env });
  for (const key of ['SMTP_PASSWORD', 'API_TOKEN']) await set(key, 'rehearsed-secret', '--sandbox');
  await set('API_TOKEN', 'changed-secret');
  const { stdout } = await run(['sandbox', 'verify', '--json', '--fields', 'name,state'], { env });
  expect(JSON.parse(stdout)).toEqual([
    { name: 'SMTP_PASSWORD', state: 'valid' },
    { name: 'API_TOKEN', state: 'changed' },
  ]);
});
