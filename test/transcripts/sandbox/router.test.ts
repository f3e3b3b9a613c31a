import { expect, expectTypeOf, test } from 'vitest';
import { optional, text } from '../../../src/contract/field.ts';
import { operation } from '../../../src/contract/operation.ts';
import { acknowledgedReply, emptyReply } from '../../../src/contract/reply.ts';
import type { Handler, Handlers } from '../../../src/sandbox/context.ts';
import { handlers } from '../../../src/sandbox/handlers/index.ts';
import { findRoutes, pickRoute, type Route } from '../../../src/sandbox/request/router.ts';

const stack = text('Stack.');
const create = operation('POST /stacks/:stack_id/backups', {
  scope: 'admin',
  about: 'Create.',
  params: { stack_id: stack, db_type: optional(text('Type.')) },
  reply: acknowledgedReply,
});
const load = operation('POST /stacks/:stack_id/backups', {
  ...create,
  params: { stack_id: stack, db_type: text('Type.'), remote_url: text('Address.') },
});
const routes: readonly Route[] = [
  { id: 'create', operation: create, pathValues: { stack_id: 's' } },
  { id: 'import', operation: load, pathValues: { stack_id: 's' } },
];

test.each([
  [{ db_type: 'mysql', remote_url: 'https://x' }, 'import'],
  [{ db_type: 'mysql' }, 'create'],
  [{}, 'create'],
  [{ remote_url: 'https://x' }, 'create'],
])('of two operations on one path %j means %s', (given, id) => {
  expect(pickRoute(routes, given)?.id).toBe(id);
  expect(pickRoute(routes.toReversed(), given)?.id).toBe(id);
});

test('when none is complete the least demanding one tells what is missing', () => {
  expect(pickRoute([{ id: 'import', operation: load, pathValues: {} }], {})?.id).toBe('import');
  expect(pickRoute([], {})).toBeUndefined();
});

test.each([
  ['GET', '/stacks', ['stacks.list'], {}],
  ['GET', '/stacks/a%2Fb', ['stacks.get'], { id: 'a/b' }],
  ['POST', '/accounts/otp', ['accounts.otp'], {}],
  ['GET', '/accounts/otp', [], undefined],
  ['DELETE', '/stacks/s/environments/%2E%2E', ['environments.delete'], { stack_id: 's', env_var_key: '..' }],
  ['GET', '/stacks/', [], undefined],
  ['GET', '/stacks/%zz', [], undefined],
  ['GET', '/stacks//environments', [], undefined],
  ['HEAD', '/stacks', [], undefined],
])('%s %s leads to %j', (method, path, ids, values) => {
  const found = findRoutes(method, path);
  expect(found.map(({ id }) => id)).toEqual(ids);
  expect(found[0]?.pathValues).toEqual(values);
});

test('a missing handler and a wrong reply do not compile', () => {
  const { delete: _, ...incomplete } = handlers.variants;
  // @ts-expect-error variants.delete is missing
  const missing: Handlers['variants'] = incomplete;
  // @ts-expect-error an acknowledgement has `ok`
  const wrong: Handler<typeof create> = () => ({ message: 'done' });
  expect([missing, wrong]).toHaveLength(2);
  expectTypeOf<ReturnType<Handler<typeof silent>>>().toEqualTypeOf<undefined>();
});

const silent = operation('DELETE /x', { scope: 'admin', about: 'X.', params: {}, reply: emptyReply });
