import { parse as parseDotenv } from 'dotenv';
import { describe, expect, it } from 'vitest';
import { envFileText, formatOf, readVariables, updatedFileText } from '../../../src/env-file/formats.ts';

const source = '.env';
const read = async (text: string, format: Parameters<typeof readVariables>[1] = 'dotenv') =>
  (await readVariables({ text, source }, format)).map(({ key, value }) => [key, value]);
const fault = async (text: string, format?: Parameters<typeof readVariables>[1]) =>
  read(text, format).then(
    () => 'no fault',
    (error: Error) => error.message,
  );

describe('dotenv', () => {
  it.each([
    ['A=1', '1'],
    ['export A=1', '1'],
    ['  A = 1  ', '1'],
    ['A=', ''],
    ['A= # nothing', ''],
    ['A=a b # comment', 'a b'],
    ['A=a#b', 'a#b'],
    ['A=#b', '#b'],
    ['A=a"b\'c', 'a"b\'c'],
    ["A='a # b'  # comment", 'a # b'],
    ["A='\\n $B'", '\\n $B'],
    ['A="\\n\\r\\t\\"\\\\\\$\\x"', '\n\r\t"\\$\\x'],
    ['A="$B $(C)"', '$B $(C)'],
    ["A='one\ntwo'", 'one\ntwo'],
    ['A="one\r\ntwo"\r\n', 'one\r\ntwo'],
    ['A=one\r\n', 'one'],
    ['\ufeffA=1', '1'],
    ['A=a=b', 'a=b'],
  ])('reads %j as %j', async (text, value) => {
    expect(await read(text)).toEqual([['A', value]]);
  });

  it.each([
    ['A=1\nB\n', '.env line 2: expected KEY=VALUE'],
    ['=1', '.env line 1: expected KEY=VALUE'],
    ['# c\r\n\r\nA="x\ny', '.env line 3: this quote is never closed'],
    ["A='x\ny\n\nB=1", '.env line 1: this quote is never closed'],
    ["A='x\ny'\nA=2", '.env line 3: A is already set on line 1'],
    ["A='x' y", '.env line 1: unexpected text after the value'],
    ["A='x'#y", '.env line 1: unexpected text after the value'],
  ])('refuses %j: %s', async (text, message) => {
    expect(await fault(text)).toBe(message);
  });

  it('means the same to a well-known reader where values stand in single quotes', async () => {
    const values = new Map([
      ['A', 'x y # "z" \\n $B'],
      ['B', 'one\ntwo\n'],
      ['C', ''],
    ]);
    expect(parseDotenv(envFileText(values, 'dotenv'))).toEqual(Object.fromEntries(values));
  });

  it('changes values in place and keeps comments, other keys, quotes and line ends', async () => {
    const text = '# ours\r\nexport A="1" # one\r\n\r\nLOCAL=mine\r\nB=2';
    const values = new Map([
      ['A', '1'],
      ['B', 'x y'],
      ['C', "it's"],
    ]);
    expect(await updatedFileText({ text, source }, 'dotenv', values)).toBe(
      '# ours\r\nexport A="1" # one\r\n\r\nLOCAL=mine\r\nB=\'x y\'\r\nC="it\'s"\r\n',
    );
  });
});

describe('other formats', () => {
  it('writes lines for a shell, and refuses what is no name there', async () => {
    expect(envFileText(new Map([['A', "it's $B"]]), 'shell')).toBe("export A='it'\\''s $B'\n");
    expect(() => envFileText(new Map([['A-B', '1']]), 'shell')).toThrow('a shell variable cannot be called "A-B"');
    expect(await fault('export A=$(id)', 'shell')).toBe('.env line 1: unexpected text after the value');
  });

  it('takes numbers and switches of JSON and YAML as they are spelled', async () => {
    expect(await read('{"A": 1.0, "B": true, "C": "x"}', 'json')).toEqual([
      ['A', '1.0'],
      ['B', 'true'],
      ['C', 'x'],
    ]);
    expect(await read('A: 0x10\nB: no\nC: |\n  x\n', 'yaml')).toEqual([
      ['A', '0x10'],
      ['B', 'no'],
      ['C', 'x\n'],
    ]);
  });

  it.each([
    ['json', '[1]', '.env: expected one JSON object of keys and values'],
    ['json', '{"A": null}', '.env: the value of A must be text'],
    ['json', '{"A": 1,\n"A": 2}', '.env: JSON with a repeated key at position 9'],
    ['yaml', 'A: 1\nB:\n', '.env line 2: the value of B must be text'],
    ['yaml', 'A: 1\nA: 2\n', '.env line 2: A is already set on line 1'],
    ['yaml', 'A: [1', '.env line 1: not valid YAML (BAD_INDENT)'],
    ['yaml', '- A', '.env line 1: expected one mapping of keys to values'],
  ] as const)('%s refuses %j', async (format, text, message) => {
    expect(await fault(text, format)).toBe(message);
  });

  it('keeps the comments of YAML and the other keys of JSON', async () => {
    const values = new Map([['A', '2']]);
    expect(await updatedFileText({ text: '# ours\nA: "1" # one\nLOCAL: x\n', source }, 'yaml', values)).toBe(
      '# ours\nA: "2" # one\nLOCAL: x\n',
    );
    expect(await updatedFileText({ text: '{"LOCAL":"x","A":"1"}', source }, 'json', values)).toBe(
      '{\n  "LOCAL": "x",\n  "A": "2"\n}\n',
    );
  });

  it('finds keys of YAML as they are spelled, and keeps the spelling of the others', async () => {
    const text = "8080: x # port\n0x0F: 1e3\n'q': 0x0F\nB: 1.10\nC: |\n  a  \n   b\n";
    const values = new Map([
      ['8080', 'y'],
      ['B', '1.10'],
      ['no', '~'],
    ]);
    expect(await updatedFileText({ text, source }, 'yaml', values)).toBe(
      '8080: "y" # port\n0x0F: 1e3\n\'q\': 0x0F\nB: 1.10\nC: |\n  a  \n   b\n"no": "~"\n',
    );
  });

  it('keeps the other keys of JSON as they are spelled, and those that have the value', async () => {
    const text = '{"A": 1.10, "B": true, "C": 8080, "D": 12345678901234567890, "E": 1e3, "__proto__": "x"}';
    const values = new Map([
      ['C', '8080'],
      ['E', '2'],
      ['F', '3'],
    ]);
    expect(await updatedFileText({ text, source }, 'json', values)).toBe(
      `${[
        '{',
        '  "A": 1.10,',
        '  "B": true,',
        '  "C": 8080,',
        '  "D": 12345678901234567890,',
        '  "E": "2",',
        '  "__proto__": "x",',
        '  "F": "3"',
        '}',
      ].join('\n')}\n`,
    );
  });

  it('is told by the name of the file', () => {
    expect(['.env', 'a.JSON', 'a.yml', 'a.sh', '-'].map(formatOf)).toEqual([
      'dotenv',
      'json',
      'yaml',
      'shell',
      'dotenv',
    ]);
  });
});
