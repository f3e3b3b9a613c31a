import { describe, expect, test } from 'vitest';
import { hintText } from '../../../src/contract/command-line.ts';
import { TransportFailure } from '../../../src/contract/exchange.ts';
import type { Operation } from '../../../src/contract/operation.ts';
import type { CallParts } from '../../../src/http/call-error.ts';
import { responseError, transportError } from '../../../src/http/response-error.ts';
import { unsent as nothingSent } from '../../support/phrases.ts';
import { answerOf, callOf } from './calls.ts';

async function said(
  status: number,
  body: unknown = {},
  more: { operation?: Partial<Operation>; call?: Partial<CallParts>; headers?: Record<string, string> } = {},
) {
  const { kind, message, details } = await responseError(
    callOf(more.operation, more.call),
    answerOf(body, status, more.headers),
  );
  return [kind, message, details.hint && hintText(details.hint)];
}

describe('status', () => {
  test.each<[number, unknown, readonly unknown[]]>([
    [
      400,
      { error: 'bad_request', error_description: 'No key.' },
      ['rejected', 'the service refused the request (400): No key.', undefined],
    ],
    [401, {}, ['unauthenticated', 'the service rejected the token (401)', 'stackops auth login']],
    [402, { error: 'trial_expired' }, ['rejected', 'the service refused the request (402): trial_expired', undefined]],
    [404, {}, ['not_found', 'not found: /things (404)', undefined]],
    [409, { details: 'Busy.' }, ['rejected', 'the service refused the request (409): Busy.', undefined]],
    [422, { message: 'Too long.' }, ['rejected', 'the service refused the request (422): Too long.', undefined]],
    [429, {}, ['unavailable', 'rate limit reached (429)', 'retry in a minute']],
    [500, '', ['unavailable', 'the service failed (500)', undefined]],
    [
      501,
      { message: 'Later.' },
      ['unavailable', 'the service does not support this operation (501): Later.', undefined],
    ],
    [
      503,
      { error: 'not_implemented', details: 'Later.' },
      ['unavailable', 'the service does not support this operation (503): Later.', undefined],
    ],
    [
      503,
      { error: 'throttled' },
      ['unavailable', 'limit of 3,000 requests an hour reached until 04:00 UTC (503)', 'retry after 04:00 UTC'],
    ],
    [408, {}, ['unavailable', 'the service timed out (408)', undefined]],
  ])('%i %o', async (status, body, expected) => {
    expect(await said(status, body)).toEqual(expected);
  });

  test.each([408, 500, 502, 503, 504, 301, 307])('%i to a write leaves the outcome unknown', async (status) => {
    expect((await said(status, {}, { operation: { method: 'POST' } }))[0]).toBe('outcome_unknown');
  });

  test.each([429, 501, 400])('%i to a write is definite', async (status) => {
    expect((await said(status, {}, { operation: { method: 'POST' } }))[0]).not.toBe('outcome_unknown');
  });

  test('a redirect names the origin and no more', async () => {
    const headers = { location: 'https://user:pw@login.example/path?token=x' };
    const [kind, message] = await said(302, '', { headers });
    expect([kind, message]).toEqual([
      'unavailable',
      'the service redirects to https://login.example (302), and redirects are not followed',
    ]);
    expect((await said(302, '', { headers: { location: '/login' } }))[1]).toContain('redirects to another path (302)');
  });

  test('forbidden names the scope needed and the scopes asked for', async () => {
    expect(
      await said(403, { details: 'Ask an admin.' }, { call: { loginScopes: () => ['public', 'redeploy'] } }),
    ).toEqual([
      'forbidden',
      'access denied (403): the command needs the admin scope (login requested "public", "redeploy"): Ask an admin.',
      'stackops auth login --scope public,redeploy,admin',
    ]);
    expect(await said(403)).toEqual([
      'forbidden',
      'access denied (403): the command needs the admin scope',
      'stackops auth login --scope admin',
    ]);
  });

  test('what is outside the description may not be offered', async () => {
    const list = { outside: true } as const;
    expect((await said(404, {}, { operation: list }))[1]).toBe('this service does not offer "GET /things" (404)');
    expect((await said(404, {}, { operation: { ...list, path: '/things/:id' } }))[1]).toBe(
      '/things/7 not found, or this service does not offer "GET /things/:id" (404)',
    );
  });
});

describe("the service's own words", () => {
  const words = async (body: unknown, headers = {}) => {
    const [, message] = await said(400, body, { headers });
    return String(message).replace(/^the service refused the request \(400\):? ?/, '');
  };
  test.each<[unknown, string]>([
    [{ error: 'x', error_description: 'B.', details: 'A.', message: 'C.' }, 'A.'],
    [{ error: 'x', error_description: 'B.', message: 'C.' }, 'B.'],
    [{ error: 'x', message: 'C.' }, 'C.'],
    [{ response: { ok: false, message: 'D.' } }, 'D.'],
    [{ error: 'x' }, 'x'],
    [{ details: ['A.', 'B.'] }, 'A.; B.'],
    [{ details: { deep: 1 }, message: 'C.' }, 'C.'],
    ['  plain\n  text ', 'plain text'],
    ['"quoted"', 'quoted'],
    ['<html><head><title>502 Bad\nGateway</title>', 'an HTML page titled "502 Bad Gateway"'],
    ['<!doctype html><p>Hi', 'an HTML page'],
    ['', ''],
    [null, 'null'],
    [{ message: 'the token the-token is bad' }, 'the token *** is bad'],
    ['x'.repeat(600), `${'x'.repeat(499)}…`],
  ])('%o', async (body, expected) => {
    expect(await words(body)).toBe(expected);
  });

  test('a page is known by its content type too', async () => {
    expect(await words('Sorry', { 'content-type': 'text/html; charset=utf-8' })).toBe('an HTML page');
  });
});

describe('no complete answer', () => {
  const lost = new TransportFailure('reset', 'the line broke', { sent: true, repeats: 'always', status: 200 });
  const unsent = new TransportFailure('certificate', 'the certificate is bad', { sent: false, repeats: 'never' });

  test('a read is unavailable', () => {
    expect(transportError(callOf({}, { attempts: 4 }), lost)).toMatchObject({
      kind: 'unavailable',
      message: 'the line broke (4 attempts)',
      details: { status: 200 },
    });
  });

  test('a write that was sent is unknown, one that was not is only unavailable', () => {
    const write = callOf({ method: 'PUT' });
    expect(transportError(write, lost)).toMatchObject({
      kind: 'outcome_unknown',
      details: { status: 200, extra: { method: 'PUT' } },
    });
    expect(transportError(write, unsent)).toMatchObject({
      kind: 'unavailable',
      message: `the certificate is bad${nothingSent}`,
      details: {
        hint: 'set NODE_EXTRA_CA_CERTS to the CA certificate file; or, from Node 22.19, set NODE_USE_SYSTEM_CA=1 to use the system store',
      },
    });
  });

  test.each(['dns', 'refused', 'connect_timeout', 'tls', 'proxy'] as const)('after %s doctor tells more', (reason) => {
    const failure = new TransportFailure(reason, 'no way', { sent: false, repeats: 'always' });
    expect(transportError(callOf(), failure).details.hint).toEqual({ path: 'doctor' });
  });
});

test.each(['9'.repeat(300), '9'.repeat(400)])('a time to wait of %s seconds is told in words', async (told) => {
  const error = await responseError(callOf(), answerOf({}, 429, { 'retry-after': told }));
  expect(error.message).toBe('rate limit reached (429); the service asks to wait more than a week');
  expect(error.details.hint).toBeUndefined();
});
