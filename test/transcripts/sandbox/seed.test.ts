import { expect, test } from 'vitest';
import { seedMoment, seedState } from '../../../src/sandbox/seed/seed.ts';

test('is the same on every call, and plain JSON', () => {
  expect(seedState(seedMoment)).toEqual(seedState(seedMoment));
  expect(JSON.parse(JSON.stringify(seedState(seedMoment)))).toEqual(seedState(seedMoment));
});

test('addresses every stack and server by 32 hex digits of its own', () => {
  const { stacks } = seedState(seedMoment);
  const uids = stacks.flatMap(({ row, servers }) => [row.uid, ...servers.map((server) => server.row.uid)]);
  expect(uids.filter((uid) => !/^[0-9a-f]{32}$/.test(uid))).toEqual([]);
  expect(new Set(uids).size).toBe(uids.length);
});

test('holds what the examples of the help pages name', () => {
  const [shop, staging, production] = seedState(seedMoment).stacks;
  expect([shop, staging, production].map((stack) => `${stack?.row.name}/${stack?.row.environment}`)).toEqual([
    'shop/production',
    'blog/staging',
    'blog/production',
  ]);
  expect(shop?.variants.map(({ uid, variant_type }) => [uid, variant_type])).toEqual([
    ['va-active', 'active'],
    ['va-canary', 'canary'],
    ['va-preview', 'preview'],
  ]);
  expect(shop?.groups.map(({ row, databases, users }) => [row.id, databases[0]?.uid, users[0]?.uid])).toEqual([
    [21, 'db5a1', 'du7c2'],
  ]);
  expect(shop?.deployments.at(-1)?.row).toMatchObject({ id: 1041, outcome: { code: 1 }, is_live: true, is_head: true });
  expect(seedState(seedMoment).next).toMatchObject({ action: 812, deployment: 1042 });
  expect(shop?.variables.length).toBeGreaterThan(30);
});

test('names every server once, and numbers what is asked for by number once', () => {
  const { stacks, clusters, users, accounts } = seedState(seedMoment);
  const servers = stacks.flatMap((stack) => stack.servers);
  const settings = [...stacks, ...servers].flatMap((holder) => holder.settings);
  const numbers: readonly (readonly unknown[])[] = [
    servers.map(({ row }) => row.name),
    settings.map(({ id }) => id),
    stacks.flatMap(({ backups }) => backups.map(({ row }) => row.id)),
    users.map(({ row }) => row.id),
    users.map(({ row }) => row.email),
    clusters.map(({ row }) => row.uid),
    accounts.flatMap(({ gateways }) => gateways.map(({ name }) => name)),
  ];
  expect(numbers.filter((list) => new Set(list).size !== list.length)).toEqual([]);
  expect(clusters.map(({ row }) => row.uid).filter((uid) => !/^[0-9a-f]{32}$/.test(uid))).toEqual([]);
});

test('numbers its variables without repeating one', () => {
  const ids = seedState(seedMoment).stacks.flatMap(({ variables }) => variables.map(({ id }) => id));
  expect(new Set(ids).size).toBe(ids.length);
  expect(Math.max(...ids)).toBeLessThan(seedState(seedMoment).next.variable);
});
