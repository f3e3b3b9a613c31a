import { describe, expect, it } from 'vitest';
import { type Field, flag, integer, oneOf, type TextFormat, text } from '../../../src/contract/field.ts';
import { CliError } from '../../../src/errors/cli-error.ts';
import { readValue } from '../../../src/fields/read-value.ts';
import { settingTable } from '../../../src/settings/table.ts';

/** The value, or the message and the hint of its refusal. */
function read(field: Field, input: string): unknown {
  try {
    return readValue(input, field, '--x');
  } catch (error) {
    if (!(error instanceof CliError)) throw error;
    const { message, details } = error;
    return [message, ...(typeof details.hint === 'string' ? [details.hint] : [])];
  }
}

const inFormat = (format: TextFormat) => text('A text.', { format });
const notDuration = (input: string) => `--x must be a duration such as 90s, 5m, 8h or 7d, not "${input}"`;

describe('duration', () => {
  const field = settingTable.timeout;
  it.each([
    ['90s', 90_000],
    ['1.5m', 90_000],
    ['250ms', 250],
    ['7d', 604_800_000],
    ['90', [notDuration('90'), 'write 90s']],
    ['5 min', [notDuration('5 min'), 'write 5m']],
    ['-1s', [notDuration('-1s')]],
    ['', [notDuration('')]],
    ['0s', ['--x must be between 1ms and 7d, not "0s"']],
    ['169h', ['--x must be between 1ms and 7d, not "169h"']],
  ])('%j is %j', (input, value) => {
    expect(read(field, input)).toEqual(value);
  });

  it('is in the unit of its field, and a bare number has a probable unit only where the field says so', () => {
    expect(read(integer('A time.', { unit: 'seconds' }), '5m')).toBe(300);
    expect(read(integer('A time.', { unit: 'seconds', bareUnit: 'h' }), '8')).toEqual([notDuration('8'), 'write 8h']);
    expect(read(integer('A time.', { unit: 'ms' }), '8')).toEqual([notDuration('8')]);
  });
});

describe('whole number', () => {
  it.each([
    [integer('A number.'), '12', 12],
    [integer('A number.'), 'x', ['--x must be a whole number, not "x"']],
    [integer('A number.', { range: [0, 10] }), '11', ['--x must be between 0 and 10, not "11"']],
    [integer('A number.', { range: [0, 10] }), '1.5', ['--x must be a whole number between 0 and 10, not "1.5"']],
    [settingTable.account, '0', ['--x must be a whole number above 0, not "0"']],
    [settingTable.account, '-1', ['--x must be a whole number above 0, not "-1"']],
  ])('%o of %j', (field, input, value) => {
    expect(read(field, input)).toEqual(value);
  });
});

describe('address', () => {
  const refused = (mustBe: string, input: string) => [`--x must be ${mustBe}, not "${input}"`];
  it.each([
    ['https://host.example/api/3', 'https://host.example/api/3'],
    ['https://HOST.example/api/3//', 'https://host.example/api/3'],
    ['http://127.0.0.1:8080/api/3', 'http://127.0.0.1:8080/api/3'],
    [
      'http://host.example/api/3',
      refused('an https:// address (http:// only for this machine)', 'http://host.example/api/3'),
    ],
    ['ftp://127.0.0.1/', refused('an https:// address (http:// only for this machine)', 'ftp://127.0.0.1/')],
    ['https://ann:pw@host.example', refused('an address without user and password', 'https://***@host.example')],
    ['https://host.example/?a=1', refused('an address without "?" and "#"', 'https://host.example/?***')],
    ['https://host.example/#a', refused('an address without "?" and "#"', 'https://host.example/#***')],
    ['host.example', refused('an address such as https://host/api/3', 'host.example')],
    ['', refused('an address such as https://host/api/3', '')],
  ])('%j', (input, value) => {
    expect(read(inFormat('address'), input)).toEqual(value);
  });
});

describe('words', () => {
  it.each([
    [flag('A switch.'), '1', true],
    [flag('A switch.'), 'no', false],
    [flag('A switch.'), 'maybe', ['--x must be true or false, not "maybe"']],
    [oneOf(['comma', 'space'], 'A sign.'), 'dot', ['--x must be one of comma, space, not "dot"']],
    [inFormat('scopes'), 'public redeploy,public', 'public,redeploy'],
    [inFormat('scopes'), 'Public', ['--x must be scopes such as public,redeploy, not "Public"']],
    [inFormat('scopes'), ' , ', ['--x must be scopes such as public,redeploy, not " , "']],
    [inFormat('profile'), 'work-2.eu', 'work-2.eu'],
    [inFormat('profile'), '__proto__', ['--x must be up to 64 letters, digits, ".", "_" and "-", not "__proto__"']],
  ])('%o of %j', (field, input, value) => {
    expect(read(field, input)).toEqual(value);
  });
});
