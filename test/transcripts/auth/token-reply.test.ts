import { describe, expect, it } from 'vitest';
import { readTokenReply } from '../../../src/auth/token-reply.ts';

const token = 'T'.repeat(43);

describe('O25 a token', () => {
  it.each([
    ['form', `access_token=${token}&token_type=bearer`, { token }],
    ['form without type', `access_token=${token}`, { token }],
    ['form, escaped', 'access_token=a%2Bb%2Fc%3D&token_type=Bearer', { token: 'a+b/c=' }],
    [
      'form with more',
      `scope=public&access_token=${token}&token_type=bearer&expires_in=60\n`,
      { token, scopes: ['public'], expiresInSeconds: 60 },
    ],
    ['granted scopes, with blanks', `access_token=${token}&scope=public+users`, { token, scopes: ['public', 'users'] }],
    [
      'granted scopes, with commas',
      `{"access_token":"${token}","scope":"public,users"}`,
      { token, scopes: ['public', 'users'] },
    ],
    ['JSON', `{"access_token":"${token}","token_type":"bearer"}`, { token }],
    [
      'JSON with space around',
      `\n {"access_token":"${token}","token_type":"BEARER","expires_in":"3600"}\n`,
      { token, expiresInSeconds: 3600 },
    ],
    ['a token of 4096', `access_token=${'x'.repeat(4096)}`, { token: 'x'.repeat(4096) }],
  ])('as %s', (_name, text, issued) => {
    expect(readTokenReply(200, text, 'comma')).toEqual(issued);
  });
});

describe('no token', () => {
  const nothing = 'the sign-in service returned an unreadable token response; sign in again';
  const unusable = 'the sign-in service returned no usable token; sign in again';
  it.each([
    ['O24 empty', 200, '', nothing],
    ['O24 HTML', 200, '<html>access_token=abc</html>', nothing],
    ['O24 above 64 KiB', 200, `access_token=abc&x=${'x'.repeat(65_536)}`, nothing],
    ['above 64 KiB in bytes, not in characters', 200, `access_token=abc&x=${'ü'.repeat(40_000)}`, nothing],
    ['O24 broken JSON', 200, '{"access_token":"s3cret"', nothing],
    ['O24 a list', 200, '["s3cret"]', nothing],
    ['twice', 200, 'access_token=a&access_token=b', nothing],
    ['O26 missing', 200, 'token_type=bearer', unusable],
    ['O26 empty', 200, 'access_token=&token_type=bearer', unusable],
    ['O26 a number', 200, '{"access_token":12}', unusable],
    ['O26 too long', 200, `access_token=${'x'.repeat(4097)}`, unusable],
    ['O26 with a space', 200, 'access_token=s3+cret', unusable],
    ['O26 with CR LF', 200, 'access_token=s3cret%0d%0aX-Evil%3A1', unusable],
    ['O26 with a control', 200, '{"access_token":"s3\\u0000cret"}', unusable],
    ['O26 not ASCII', 200, 'access_token=s3crét', unusable],
    [
      'O26 another type',
      200,
      'access_token=s3cret&token_type=mac',
      'the sign-in service returned a token that is not a bearer token; sign in again',
    ],
    [
      'O21 form error',
      400,
      'error=invalid_grant&error_description=code+expired',
      'the sign-in service refused the code (400 invalid_grant): code expired',
    ],
    ['O21 JSON error', 401, '{"error":"invalid_client"}', 'the sign-in service refused the code (401 invalid_client)'],
    [
      'O21 error in a 200',
      200,
      'error=bad_verification_code',
      'the sign-in service refused the code (200 bad_verification_code)',
    ],
    [
      'O21 a hostile error',
      400,
      '{"error":"\\u001b[2J","error_description":"a\\u001b]0;x\\u0007b"}',
      'the sign-in service refused the code (400): a\x1b]0;x\x07b',
    ],
    ['O21 plain text', 400, 'no', 'the sign-in service returned 400 instead of a token; sign in again'],
  ])('%s', (_name, status, text, message) => {
    expect(() => readTokenReply(status, text, 'comma')).toThrow(
      expect.objectContaining({ kind: 'unauthenticated', message }),
    );
  });
});
