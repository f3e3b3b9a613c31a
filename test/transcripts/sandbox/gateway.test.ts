import { expect, test } from 'vitest';
import { freshSandbox, refusal, response, rows } from './fresh-sandbox.ts';

const gateways = '/accounts/42/gateways';

test('seconds go in, a moment and a mark in place of the key come out', async () => {
  const { ask } = await freshSandbox();
  const wish = { name: 'bastion-3', username: 'ops', address: '203.0.113.9', content: 'a private key', ttl: 28_800 };
  expect(response(await ask(`POST ${gateways}`, wish))).toEqual({ ok: true });
  const answer = await ask(`GET ${gateways}`);
  expect(rows(answer).map(({ id, name }) => [id, name])).toEqual([
    [5, 'bastion-1'],
    [6, 'bastion-2'],
    [9, 'bastion-3'],
  ]);
  expect(rows(answer)[2]).toEqual({
    id: 9,
    name: 'bastion-3',
    username: 'ops',
    address: '203.0.113.9',
    private_ip: '',
    ttl: '2026-04-16T16:00:00Z',
    content: '[key stored]',
    created_by: 'ada@harbour.example',
    updated_by: 'ada@harbour.example',
    created_at_iso: '2026-04-16T08:00:00Z',
    updated_at_iso: '2026-04-16T08:00:00Z',
  });
});

test('an update changes what it names; no time to live closes the gateway', async () => {
  const { ask, pass } = await freshSandbox();
  pass(60);
  await ask(`PUT ${gateways}/5`, { ttl: 0 });
  await ask(`PUT ${gateways}/6`, { content: 'a private key', ttl: '60' });
  expect(rows(await ask(`GET ${gateways}`))).toMatchObject([
    { id: 5, name: 'bastion-1', ttl: null, content: '', updated_at_iso: '2026-04-16T08:01:00Z' },
    { id: 6, name: 'bastion-2', ttl: '2026-04-16T08:02:00Z', content: '[key stored]' },
  ]);
});

test('a deleted gateway is gone, without a word', async () => {
  const { ask } = await freshSandbox();
  expect(await ask(`DELETE ${gateways}/5`)).toMatchObject({ status: 200, body: undefined });
  expect(rows(await ask(`GET ${gateways}`)).map(({ id }) => id)).toEqual([6]);
  expect(refusal(await ask(`DELETE ${gateways}/5`))).toEqual([404, 'gateway 5 not found']);
});

test.each<readonly [line: string, body: unknown, status: number, details: string]>([
  ['GET /accounts/61/gateways', undefined, 400, 'account 61 is restricted'],
  ['GET /accounts/73/gateways', undefined, 403, 'you have no access to account 73'],
  ['GET /accounts/1/gateways', undefined, 404, 'account 1 not found'],
  [`POST ${gateways}`, { address: '203.0.113.9' }, 400, 'parameter "name" is missing'],
  [`POST ${gateways}`, { name: ' ' }, 400, 'the name of a gateway cannot be empty'],
  [`POST ${gateways}`, { name: 'x', ttl: '8h' }, 400, 'parameter "ttl" must be an integer'],
  [`PUT ${gateways}/1`, { name: 'x' }, 404, 'gateway 1 not found'],
])('refuses %s %j', async (line, body, status, details) => {
  const { ask } = await freshSandbox();
  expect(refusal(await ask(line, body))).toEqual([status, details]);
});
