import { expect, test } from 'vitest';
import { at, freshSandbox, response, rows, shop, webServer } from './fresh-sandbox.ts';

const variables = `/stacks/${shop}/environments`;
const variants = `/stacks/${shop}/application_variants`;
const tags = `/tags/server/${webServer}`;

test('a new variable is neither read-only nor generated and has no past', async () => {
  const { ask } = await freshSandbox();
  expect(response(await ask(`POST ${variables}`, { key: 'A', value: "x 'y' = \n" }))).toEqual({
    id: 600,
    key: 'A',
    value: "x 'y' = \n",
    readonly: false,
    is_password: false,
    is_generated: false,
    created_at: '2026-04-16T08:00:00Z',
    updated_at: '2026-04-16T08:00:00Z',
    history: [],
  });
});

test('a change of a variable keeps the earlier value; the same value changes nothing', async () => {
  const { ask, pass } = await freshSandbox();
  pass(60);
  await ask(`PUT ${variables}/CURRENCY`, { value: 'EUR' });
  const changed = await ask(`PUT ${variables}/CURRENCY`, { value: 'USD' });
  expect(response(changed)).toMatchObject({
    value: 'USD',
    updated_at: '2026-04-16T08:01:00Z',
    history: [{ key: 1, value: 'EUR', created_at: '2025-11-03T10:00:00Z', updated_at: '2026-04-16T08:01:00Z' }],
  });
  expect(response(await ask(`GET ${variables}/509`))).toEqual(response(changed));
});

test('a name that needs encoding is one segment', async () => {
  const { ask } = await freshSandbox();
  await ask(`POST ${variables}`, { key: 'a/b c%', value: '1' });
  expect(response(await ask(`DELETE ${variables}/a%2Fb%20c%25`))).toEqual({
    ok: true,
    message: 'Environment variable a/b c% deleted.',
  });
});

test('a committed canary becomes the active version and the active one goes', async () => {
  const { ask } = await freshSandbox();
  await ask(`PUT ${variants}/va-canary`, { operation: 'commit' });
  const left = rows(await ask(`GET ${variants}`));
  expect(left.map(({ uid, variant_type, percentage }) => [uid, variant_type, percentage])).toEqual([
    ['va-canary', 'active', 100],
    ['va-preview', 'preview', 0],
  ]);
});

test('a deleted preview is gone', async () => {
  const { ask } = await freshSandbox();
  await ask(`DELETE ${variants}/va-preview`);
  expect(rows(await ask(`GET ${variants}`)).map(({ uid }) => uid)).toEqual(['va-active', 'va-canary']);
});

test('tags are deleted before they are added, whatever the order, and absent ones are ignored', async () => {
  const { ask } = await freshSandbox();
  const answer = await ask(`PATCH ${tags}`, {
    operations: [
      { op: 'add', tags: ['eu', 'new', 'new'] },
      { op: 'delete', tags: ['eu', 'nightly', 'absent'] },
    ],
  });
  expect(rows(answer)).toEqual([
    {
      entity_type: 'server',
      entity_id: webServer,
      tags: [
        { value: 'role:web', reserved: true },
        { value: 'eu', reserved: false },
        { value: 'new', reserved: false },
      ],
      created_at_iso: '2024-02-06T08:30:00+0000',
      updated_at_iso: '2026-04-16T08:00:00+0000',
    },
  ]);
  expect(at(answer.body, 'count')).toBe(1);
});

test('tags can be replaced and cleared', async () => {
  const { ask } = await freshSandbox();
  expect(rows(await ask(`POST ${tags}`, { tags: ['a'] }))[0]?.['tags']).toEqual([{ value: 'a', reserved: false }]);
  expect(rows(await ask(`DELETE ${tags}`))[0]?.['tags']).toEqual([]);
});

test('reference data is filtered by cloud and kind', async () => {
  const { ask } = await freshSandbox();
  const clouds = async (query: string) => response(await ask(`GET /reference/clouds?${query}`, undefined, null));
  expect(await clouds('cloud=hetzner')).toEqual({
    sizes: { cx22: '2 vCPU, 4 GB RAM', cx32: '4 vCPU, 8 GB RAM' },
    regions: { fsn1: 'Falkenstein', hel1: 'Helsinki' },
  });
  expect(await clouds('filter=clouds')).toEqual([
    'aws',
    'azure_rm',
    'digitalocean',
    'googlecloud',
    'hetzner',
    'linode',
    'ovh',
    'vultr',
  ]);
  expect(await clouds('cloud=hetzner&filter=clouds_full')).toEqual({ hetzner: 'Hetzner Cloud' });
  expect(await clouds('cloud=hetzner&filter=regions')).toEqual(['fsn1', 'hel1']);
  expect(await clouds('cloud=hetzner&filter=regions_full')).toEqual({ fsn1: 'Falkenstein', hel1: 'Helsinki' });
  expect(at(await clouds('filter=sizes'), 'ovh')).toEqual(['b3-8', 'd2-4']);
  expect(at(await clouds('filter=sizes_full'), 'ovh')).toEqual({
    'b3-8': '2 vCPU, 8 GB RAM',
    'd2-4': '2 vCPU, 4 GB RAM',
  });
});
