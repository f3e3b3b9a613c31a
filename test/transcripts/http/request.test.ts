import { expect, test } from 'vitest';
import { integer, secret, text } from '../../../src/contract/field.ts';
import type { Operation } from '../../../src/contract/operation.ts';
import { emptyReply } from '../../../src/contract/reply.ts';
import { toRequest } from '../../../src/http/request.ts';

const base: Operation = { method: 'GET', path: '/x', scope: 'public', about: 'X.', params: {}, reply: emptyReply };
const words = (operation: Partial<Operation>, input: Readonly<Record<string, unknown>>) => {
  const { method, path, query, body } = toRequest({ ...base, ...operation }, input);
  return `${method} ${path}${query.size > 0 ? `?${query}` : ''}${body === undefined ? '' : ` ${body}`}`;
};

test.each<[Partial<Operation>, Readonly<Record<string, unknown>>, string]>([
  [{}, {}, 'GET /x'],
  [{ path: '/x/:id' }, { id: 'a b/ü' }, 'GET /x/a%20b%2F%C3%BC'],
  [{}, { page: 2, full: true, none: undefined }, 'GET /x?page=2&full=true'],
  [{}, { ids: ['a', 'b c'] }, 'GET /x?ids%5B%5D=a&ids%5B%5D=b+c'],
  [{ method: 'DELETE', path: '/x/:id' }, { id: 7, force: true }, 'DELETE /x/7?force=true'],
  [{ method: 'POST' }, {}, 'POST /x'],
  [{ method: 'POST' }, { none: undefined }, 'POST /x'],
  [{ method: 'PUT', path: '/x/:id' }, { id: 7, value: 'a"b\n', n: 1 }, 'PUT /x/7 {"value":"a\\"b\\n","n":1}'],
  [
    { method: 'PATCH' },
    { big: 9007199254740993n, list: [{ op: 'add' }] },
    'PATCH /x {"big":9007199254740993,"list":[{"op":"add"}]}',
  ],
  [{ method: 'POST', sends: 'query' }, { a: 1 }, 'POST /x?a=1'],
  [{ method: 'DELETE', sends: 'body' }, { a: 1 }, 'DELETE /x {"a":1}'],
])('%o with %o', (operation, input, expected) => {
  expect(words(operation, input)).toBe(expected);
});

test.each(['.', '..', '', '\ud800'])('the id %o never reaches a path', (id) => {
  expect(() => toRequest({ ...base, path: '/x/:id' }, { id })).toThrow(/^(unusable id|invalid value)/);
});

test('secrets stand in the request and not in what is shown of it', () => {
  const params = { id: integer('Id.'), token: secret(text('Token.')), name: text('Name.') };
  const write: Operation = { ...base, method: 'POST', path: '/x/:id', params };
  expect(toRequest(write, { id: 7, token: 'hush', name: 'hush' })).toMatchObject({
    body: '{"token":"hush","name":"hush"}',
    masked: { path: '/x/7', body: '{"token":"***","name":"hush"}' },
    secrets: ['hush'],
  });
  expect(toRequest({ ...write, method: 'DELETE', path: '/x/:token' }, { token: 'a/b' })).toMatchObject({
    path: '/x/a%2Fb',
    masked: { path: '/x/***' },
  });
  expect(toRequest(write, { id: 7, name: 'n', token: undefined })).not.toHaveProperty('shown');
});

test.each([
  ['https://a.example/b.tar?X-Sig=hush&c=1#d', 'https://a.example/b.tar?***', ['X-Sig=hush&c=1#d']],
  ['https://ada:hush@a.example/b@c.tar', 'https://***@a.example/b@c.tar', ['ada:hush', 'hush']],
  ['ftp://ada:hush@a.example/b?e=@f', 'ftp://***@a.example/b?***', ['ada:hush', 'hush', 'e=@f']],
])('of the address %s the signature is not shown', (address, shown, secrets) => {
  const params = { url: text('Address.', { signed: true }) };
  const request = toRequest({ ...base, method: 'POST', params }, { url: address });
  expect(request).toMatchObject({ body: `{"url":"${address}"}`, masked: { body: `{"url":"${shown}"}` }, secrets });
});

test('an address without a signature is no secret', () => {
  const params = { url: text('Address.', { signed: true }) };
  const request = toRequest({ ...base, method: 'POST', params }, { url: 'https://a.example/b@c.tar' });
  expect(request).not.toHaveProperty('secrets');
});
