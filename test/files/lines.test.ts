import { execFileSync } from 'node:child_process';
import { chmodSync, mkdirSync, readFileSync, statSync, symlinkSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { beforeEach, describe, expect, it } from 'vitest';
import { appendLine } from '../../src/files/append-line.ts';
import { readLines } from '../../src/files/read-lines.ts';
import { freshFolder } from './folder.ts';

let folder = '';
let file = '';
let warnings: string[] = [];
beforeEach(() => {
  folder = join(freshFolder(), 'stackops');
  file = join(folder, 'journal.jsonl');
  warnings = [];
});
const modeOf = (path: string) => (statSync(path).mode & 0o777).toString(8);
const secrecy = { warn: (line: string) => void warnings.push(line) };
const append = (line: string) => appendLine(file, line, secrecy);
const read = () => [...readLines(file, secrecy)];

describe('appendLine', () => {
  it('makes folder and file for us alone, and adds to what is there', () => {
    append('one');
    append('zwei – 二');
    expect(readFileSync(file, 'utf8')).toBe('one\nzwei – 二\n');
    expect([modeOf(file), modeOf(folder)]).toEqual(['600', '700']);
  });

  it('begins a new line behind one that was torn off', () => {
    append('one');
    writeFileSync(file, 'one\ntor');
    append('two');
    append('three');
    expect(readFileSync(file, 'utf8')).toBe('one\ntor\ntwo\nthree\n');
  });

  it('takes the rights of others away, with a warning', () => {
    append('one');
    chmodSync(file, 0o644);
    append('two');
    expect(modeOf(file)).toBe('600');
    expect(warnings).toEqual([`${file} could be read by other users; its rights are now 0600`]);
  });

  it('follows a link into a folder of ours, and no other', () => {
    const open = join(freshFolder(), 'open');
    mkdirSync(open);
    mkdirSync(folder);
    writeFileSync(join(open, 'real.jsonl'), 'one\n');
    symlinkSync(join(open, 'real.jsonl'), file);
    append('two');
    expect(readFileSync(join(open, 'real.jsonl'), 'utf8')).toBe('one\ntwo\n');
    chmodSync(open, 0o777);
    expect(() => append('three')).toThrow(`cannot use ${file}: it is a link to a place that others can write`);
    expect(readFileSync(join(open, 'real.jsonl'), 'utf8')).toBe('one\ntwo\n');
  });

  it('makes nothing where a link leads to nothing', () => {
    mkdirSync(folder);
    symlinkSync(join(folder, 'nothing'), file);
    expect(() => append('one')).toThrow(expect.objectContaining({ kind: 'internal' }));
    expect(() => statSync(join(folder, 'nothing'))).toThrow('ENOENT');
  });

  it('refuses what is no regular file', () => {
    mkdirSync(folder);
    execFileSync('mkfifo', [file]);
    expect(() => append('one')).toThrow(`cannot use ${file}: it is not a regular file`);
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
    expect([one, long?.slice(0, 2), two, more]).toEqual(['one', '!x', 'two', []]);
    expect(long?.length).toBeLessThan(1_500_000);
  });

  it('takes the rights of others away, with a warning', () => {
    mkdirSync(folder);
    writeFileSync(file, 'one\n');
    chmodSync(file, 0o640);
    expect(read()).toEqual(['one']);
    expect(modeOf(file)).toBe('600');
    expect(warnings).toEqual([`${file} could be read by other users; its rights are now 0600`]);
  });

  it('refuses what is no regular file', () => {
    mkdirSync(file, { recursive: true });
    expect(() => read()).toThrow(`cannot use ${file}: it is a folder`);
  });
});
