import { execFileSync } from 'node:child_process';
import {
  chmodSync,
  existsSync,
  lstatSync,
  mkdirSync,
  readdirSync,
  readFileSync,
  symlinkSync,
  writeFileSync,
} from 'node:fs';
import { join } from 'node:path';
import { beforeEach, describe, expect, it } from 'vitest';
import { readJsonFile, updateJsonFile } from '../../../src/files/json-file.ts';
import { freshFolder, modeOf, quiet } from './folder.ts';

let folder = '';
let file = '';
beforeEach(() => {
  folder = join(freshFolder(), 'stackops');
  mkdirSync(folder, { mode: 0o700 });
  file = join(folder, 'credentials.json');
});

describe('readJsonFile', () => {
  it('yields undefined for a file or folder that is not there', () => {
    expect(readJsonFile(file, quiet)).toBeUndefined();
    expect(readJsonFile(join(folder, 'a', 'b', 'c.json'), quiet)).toBeUndefined();
  });

  it('takes a byte-order mark for what it is', () => {
    writeFileSync(file, '\uFEFF{"a":1}');
    expect(readJsonFile(file, quiet)).toEqual({ a: 1 });
  });

  it.each([
    ['{\n  "token": "s3cret-token-value",,\n}', 'invalid JSON at line 2, column 33'],
    ['s3cret', 'invalid JSON at line 1, column 1'],
    ['', 'invalid JSON at line 1, column 1'],
    ['null', 'it is not a JSON object'],
    ['["s3cret"]', 'it is not a JSON object'],
    ['"s3cret"', 'it is not a JSON object'],
  ])('refuses %j with its place, never its content, and leaves it', async (text, reason) => {
    writeFileSync(file, text);
    const error = expect.objectContaining({ kind: 'usage', message: `cannot use ${file}: ${reason}` });
    expect(() => readJsonFile(file, quiet)).toThrow(error);
    await expect(updateJsonFile(file, () => ({ a: 1 }), quiet)).rejects.toThrow(error);
    expect(readFileSync(file, 'utf8')).toBe(text);
  });

  it('refuses what is no regular file', () => {
    mkdirSync(file);
    expect(() => readJsonFile(file, quiet)).toThrow(`cannot use ${file}: it is a folder`);
    const pipe = join(folder, 'pipe.json');
    execFileSync('mkfifo', [pipe]);
    expect(() => readJsonFile(pipe, quiet)).toThrow(`cannot use ${pipe}: it is not a regular file`);
  });

  it('takes the rights of others away from secrets, with a warning', () => {
    writeFileSync(file, '{"a":1}');
    chmodSync(file, 0o644);
    const warnings: string[] = [];
    expect(readJsonFile(file, { warn: (line) => warnings.push(line) })).toEqual({ a: 1 });
    expect(modeOf(file)).toBe('600');
    expect(warnings).toEqual([`${file} could be read by other users; its permissions are now 0600`]);
    readJsonFile(file, { warn: (line) => warnings.push(line) });
    expect(warnings).toHaveLength(1);
  });

  it('follows a link into a folder of ours, not into one that others can write', () => {
    const open = join(freshFolder(), 'open');
    mkdirSync(open);
    writeFileSync(join(open, 'real.json'), '{"a":1}');
    symlinkSync(join(open, 'real.json'), file);
    expect(readJsonFile(file, quiet)).toEqual({ a: 1 });
    chmodSync(open, 0o777);
    expect(() => readJsonFile(file, quiet)).toThrow(`cannot use ${file}: it is a link to a file that others can write`);
  });

  it('yields undefined for a link to nothing', () => {
    symlinkSync(join(folder, 'nothing'), file);
    expect(readJsonFile(file, quiet)).toBeUndefined();
  });
});

describe('updateJsonFile', () => {
  it('makes folder and file for us alone', async () => {
    const deep = join(folder, 'a', 'b', 'config.json');
    await updateJsonFile(deep, () => ({ token: 'x' }), quiet);
    expect(readFileSync(deep, 'utf8')).toBe('{\n  "token": "x"\n}\n');
    expect([modeOf(deep), modeOf(join(folder, 'a', 'b')), modeOf(join(folder, 'a'))]).toEqual(['600', '700', '700']);
    expect(readdirSync(join(folder, 'a', 'b'))).toEqual(['config.json']);
  });

  it('closes a folder that was open', async () => {
    chmodSync(folder, 0o755);
    await updateJsonFile(file, () => ({ a: 1 }), quiet);
    expect(modeOf(folder)).toBe('700');
  });

  it('leaves a folder that is shared on purpose as it is', async () => {
    chmodSync(folder, 0o1777);
    await updateJsonFile(file, () => ({ a: 1 }), quiet);
    expect(modeOf(folder)).toBe('777');
    expect(modeOf(file)).toBe('600');
  });

  it('gives the old object to the change and keeps what it keeps', async () => {
    writeFileSync(file, '{"kept":{"deep":[1]},"gone":true}');
    await updateJsonFile(file, ({ gone: _gone, ...rest }) => ({ ...rest, 'dotted.key': 1 }), quiet);
    expect(readJsonFile(file, quiet)).toEqual({ kept: { deep: [1] }, 'dotted.key': 1 });
  });

  it('writes nothing when nothing changes', async () => {
    await updateJsonFile(file, (old) => old, quiet);
    expect(existsSync(file)).toBe(false);
  });

  it('puts a file in place of a link, and never writes to what the link leads to', async () => {
    const real = join(freshFolder(), 'real.json');
    writeFileSync(real, '{"b":2}');
    symlinkSync(real, file);
    await updateJsonFile(file, (old) => ({ ...old, a: 1 }), quiet);
    expect(readFileSync(real, 'utf8')).toBe('{"b":2}');
    expect(lstatSync(file).isSymbolicLink()).toBe(false);
    expect(readJsonFile(file, quiet)).toEqual({ a: 1, b: 2 });
    expect(readdirSync(folder)).toEqual(['credentials.json']);
  });

  it('sweeps what killed writes left behind, and nothing else', async () => {
    const left = ['credentials.json.tmp-1234567890abcdef', 'credentials.json.tmp-0000000000ffffff'];
    const others = ['credentials.json.bad', 'config.json.tmp-1234567890abcdef'];
    for (const name of [...left, ...others]) writeFileSync(join(folder, name), '{"token":"s3cret"}');
    await updateJsonFile(file, () => ({ a: 1 }), quiet);
    expect(readdirSync(folder).sort()).toEqual([...others, 'credentials.json'].sort());
  });

  it('names the folder that cannot be one', async () => {
    writeFileSync(file, '{}');
    const below = join(file, 'deeper', 'config.json');
    await expect(updateJsonFile(below, () => ({ a: 1 }), quiet)).rejects.toThrow(
      expect.objectContaining({
        kind: 'internal',
        message: `cannot write ${join(file, 'deeper')}: a part of the path is not a folder (ENOTDIR)`,
      }),
    );
  });

  it('refuses to write over what is no JSON object', async () => {
    mkdirSync(file);
    await expect(updateJsonFile(file, () => ({ a: 1 }), quiet)).rejects.toThrow(`cannot use ${file}: it is a folder`);
  });
});
