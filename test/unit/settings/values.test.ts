import { describe, expect, it } from 'vitest';
import { duration, onOrOff, profileName, scopeList, serviceAddress } from '../../../src/settings/values.ts';

describe('duration', () => {
  it.each([
    ['90s', { value: '90s' }],
    ['1.5m', { value: '1.5m' }],
    ['250ms', { value: '250ms' }],
    ['7d', { value: '7d' }],
    ['90', { mustBe: 'a duration such as 90s, 5m or 2h', hint: 'write 90s' }],
    ['5 min', { mustBe: 'a duration such as 90s, 5m or 2h', hint: 'write 5m' }],
    ['0s', { mustBe: 'a duration such as 90s, 5m or 2h' }],
    ['-1s', { mustBe: 'a duration such as 90s, 5m or 2h' }],
    ['169h', { mustBe: 'a duration such as 90s, 5m or 2h' }],
    ['', { mustBe: 'a duration such as 90s, 5m or 2h' }],
  ])('%j is %j', (text, checked) => {
    expect(duration(text)).toEqual(checked);
  });
});

describe('serviceAddress', () => {
  it.each([
    ['https://host.example/api/3', { value: 'https://host.example/api/3' }],
    ['https://HOST.example/api/3//', { value: 'https://host.example/api/3' }],
    ['http://127.0.0.1:8080/api/3', { value: 'http://127.0.0.1:8080/api/3' }],
    ['http://host.example/api/3', { mustBe: 'an https:// address (http:// only for this machine)' }],
    ['ftp://127.0.0.1/', { mustBe: 'an https:// address (http:// only for this machine)' }],
    ['https://ann:pw@host.example', { mustBe: 'an address without user and password' }],
    ['https://host.example/?a=1', { mustBe: 'an address without "?" and "#"' }],
    ['https://host.example/#a', { mustBe: 'an address without "?" and "#"' }],
    ['host.example', { mustBe: 'an address such as https://host/api/3' }],
    ['', { mustBe: 'an address such as https://host/api/3' }],
  ])('%j', (text, checked) => {
    expect(serviceAddress(text)).toEqual(checked);
  });
});

describe('words', () => {
  it.each([
    [onOrOff, '1', { value: 'true' }],
    [onOrOff, 'no', { value: 'false' }],
    [onOrOff, 'maybe', { mustBe: 'true or false' }],
    [scopeList, 'public redeploy,public', { value: 'public,redeploy' }],
    [scopeList, 'Public', { mustBe: 'scopes such as public,redeploy' }],
    [scopeList, ' , ', { mustBe: 'scopes such as public,redeploy' }],
    [profileName, 'work-2.eu', { value: 'work-2.eu' }],
    [profileName, '__proto__', { mustBe: 'up to 64 letters, digits, ".", "_" and "-"' }],
  ])('%o of %j', (check, text, checked) => {
    expect(check(text)).toEqual(checked);
  });
});
