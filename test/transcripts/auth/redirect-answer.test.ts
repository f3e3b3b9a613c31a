import { describe, expect, it } from 'vitest';
import { codeInPastedLine } from '../../../src/auth/redirect-listener.ts';

const expected = { state: 'S'.repeat(43), issuer: new URL('https://sign.example'), scopeSeparator: 'comma' as const };

describe('O19 a pasted line', () => {
  it.each([
    [`http://127.0.0.1:34543/callback?code=abc&state=${expected.state}`, 'abc'],
    [`  http://127.0.0.1:34543/callback?state=${expected.state}&code=a%2Bb#_=_ \n`, 'a+b'],
    [`?code=abc&state=${expected.state}`, 'abc'],
    [`code=abc&state=${expected.state}`, 'abc'],
    ['abc', 'abc'],
    ['YWJj==', 'YWJj=='],
  ])('%j yields the code', (line, code) => {
    expect(codeInPastedLine(line, expected)).toBe(code);
  });

  it.each([
    ['http://127.0.0.1:34543/callback?code=abc&state=wrong', 'returned the wrong state'],
    ['http://127.0.0.1:34543/callback?code=abc', 'returned the wrong state'],
    ['code=abc', 'returned the wrong state'],
    ['two words', 'what was pasted is neither the address of the redirect nor a code'],
    [`?error=access_denied&state=${expected.state}`, 'sign-in was denied in the browser'],
    ['http://127.0.0.1:34543/callback', 'what was pasted is neither'],
  ])('%j is refused', (line, message) => {
    expect(() => codeInPastedLine(line, expected)).toThrow(message);
  });
});
