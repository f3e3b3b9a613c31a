import { execFileSync } from 'node:child_process';
import {
  appendFileSync,
  chmodSync,
  lstatSync,
  mkdirSync,
  readdirSync,
  readFileSync,
  statSync,
  symlinkSync,
  writeFileSync,
} from 'node:fs';
import { join } from 'node:path';
import { beforeEach, describe, expect, it } from 'vitest';
import { appendLine } from '../../../src/files/append-line.ts';
import { readLines } from '../../../src/files/own-file.ts';
import { freshFolder, modeOf } from './folder.ts';

let folder = '';
let file = '';
let warnings: string[] = [];
beforeEach(() => {
  folder = join(freshFolder(), 'stackops');
  file = join(folder, 'journal.jsonl');
  warnings = [];
});
const privacy = { warn: (line: string) => void warnings.push(line) };
const append = (line: string) => appendLine(file, line, privacy);
const read = () => [...readLines(file, privacy)];

describe('appendLine', () => {
  it('makes folder and file for us alone, and adds to what is there', async () => {
    await append('one');
    await append('zwei – 二');
    expect(readFileSync(file, 'utf8')).toBe('one\nzwei – 二\n');
    expect([modeOf(file), modeOf(folder)]).toEqual(['600', '700']);
    expect(readdirSync(folder)).toEqual(['journal.jsonl']);
  });

  it('begins a new line behind one that was torn off', async () => {
    await append('one');
    writeFileSync(file, 'one\ntor');
    await append('two');
    await append('three');
    expect(readFileSync(file, 'utf8')).toBe('one\ntor\ntwo\nthree\n');
  });

  it('adds no empty line while another process writes, of whose line a part is visible', async () => {
    await append('one');
    writeFileSync(file, 'one\nfir');
    const appended = append('two');
    appendFileSync(file, 'st\n');
    await appended;
    expect(readFileSync(file, 'utf8')).toBe('one\nfirst\ntwo\n');
  });

  it('takes the rights of others away, with a warning', async () => {
    await append('one');
    chmodSync(file, 0o644);
    await append('two');
    expect(modeOf(file)).toBe('600');
    expect(warnings).toEqual([`${file} could be read by other users; its permissions are now 0600`]);
  });

  it('puts a file with the same lines in place of a link, where nobody else could have made them', async () => {
    const open = join(freshFolder(), 'open');
    mkdirSync(open);
    mkdirSync(folder);
    writeFileSync(join(open, 'real.jsonl'), 'one\n', { mode: 0o600 });
    symlinkSync(join(open, 'real.jsonl'), file);
    chmodSync(open, 0o777);
    await expect(append('two')).rejects.toThrow(`cannot use ${file}: it is a link to a file that others can write`);
    chmodSync(open, 0o700);
    await append('two');
    expect(readFileSync(join(open, 'real.jsonl'), 'utf8')).toBe('one\n');
    expect(readFileSync(file, 'utf8')).toBe('one\ntwo\n');
    expect(lstatSync(file).isSymbolicLink()).toBe(false);
  });

  it('makes nothing where a link leads to nothing', async () => {
    mkdirSync(folder);
    symlinkSync(join(folder, 'nothing'), file);
    await append('one');
    expect(() => statSync(join(folder, 'nothing'))).toThrow('ENOENT');
    expect(readFileSync(file, 'utf8')).toBe('one\n');
  });

  it('refuses what is no regular file', async () => {
    mkdirSync(folder);
    execFileSync('mkfifo', [file]);
    await expect(append('one')).rejects.toThrow(`cannot use ${file}: it is not a regular file`);
  });
});

describe('readLines', () => {
  it('yields nothing for a file that is not there', () => {
    expect(read()).toEqual([]);
  });

  it('yields every line, also one across chunks and one that was torn off', () => {
    mkdirSync(folder);
    const long = `${'ä'.repeat(200_000)}!`;
    writeFileSync(file, `one\n\n${long}\ntwo\nthr`, { mode: 0o600 });
    expect(read()).toEqual(['one', '', long, 'two', 'thr']);
    expect(warnings).toEqual([]);
  });

  it('passes over the most of a line that is none of ours, and finds its end', () => {
    mkdirSync(folder);
    writeFileSync(file, `one\n${'x'.repeat(3_000_000)}\ntwo\n`, { mode: 0o600 });
    const [one, long, two, ...more] = read();
    expect([one, long?.slice(0, 257), two, more]).toEqual(['one', `${'x'.repeat(256)}\0`, 'two', []]);
    expect(long?.length).toBeLessThan(1_500_000);
  });

  it('takes the rights of others away, with a warning', () => {
    mkdirSync(folder);
    writeFileSync(file, 'one\n');
    chmodSync(file, 0o640);
    expect(read()).toEqual(['one']);
    expect(modeOf(file)).toBe('600');
    expect(warnings).toEqual([`${file} could be read by other users; its permissions are now 0600`]);
  });

  it('refuses what is no regular file', () => {
    mkdirSync(file, { recursive: true });
    expect(() => read()).toThrow(`cannot use ${file}: it is a folder`);
  });
});
