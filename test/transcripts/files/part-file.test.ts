import { mkdirSync, readdirSync, readFileSync, statSync, symlinkSync, writeFileSync } from 'node:fs';
import { hostname } from 'node:os';
import { join } from 'node:path';
import { describe, expect, test } from 'vitest';
import { openPart } from '../../../src/files/part-file.ts';
import { checkTargetFile } from '../../../src/files/publish-part.ts';
import { freshFolder } from './folder.ts';

const apart = { force: false };
const forced = { force: true };
const bytes = Buffer.from('new');

describe('a file in the making', () => {
  test('has its name only when it is complete, and is ours alone', async () => {
    const folder = freshFolder();
    const part = await openPart(join(folder, 'x.tar'), apart);
    part.write(Buffer.from('hello, '));
    part.write(Buffer.from('world'));
    expect(readdirSync(folder)).toEqual([expect.stringMatching(/^\.stackops-.*\.lock$/), 'x.tar.part']);
    expect(statSync(join(folder, 'x.tar.part')).mode & 0o777).toBe(0o600);
    await part.finish();
    await part.discard();
    expect(readdirSync(folder)).toEqual(['x.tar']);
    expect(readFileSync(join(folder, 'x.tar'), 'utf8')).toBe('hello, world');
    expect(statSync(join(folder, 'x.tar')).mode & 0o777).toBe(0o600);
  });

  test('leaves nothing when it is given up', async () => {
    const folder = freshFolder();
    const part = await openPart(join(folder, 'x'), apart);
    part.write(bytes);
    await part.discard();
    expect(readdirSync(folder)).toEqual([]);
  });

  test('does not replace what came meanwhile', async () => {
    const folder = freshFolder();
    const target = join(folder, 'x');
    const part = await openPart(target, apart);
    writeFileSync(target, 'theirs');
    await expect(part.finish()).rejects.toThrow(`cannot write ${target}: it already exists`);
    await part.discard();
    expect(readdirSync(folder)).toEqual(['x']);
    expect(readFileSync(target, 'utf8')).toBe('theirs');
  });

  test('replaces a regular file when forced, and never a link', async () => {
    const folder = freshFolder();
    const target = join(folder, 'x');
    writeFileSync(target, 'old');
    const part = await openPart(target, forced);
    part.write(bytes);
    await part.finish();
    expect(readFileSync(target, 'utf8')).toBe('new');

    const link = join(folder, 'link');
    const other = await openPart(link, forced);
    symlinkSync(target, link);
    await expect(other.finish()).rejects.toThrow('it exists and is not a regular file');
    await other.discard();
    expect(readdirSync(folder)).toEqual(['link', 'x']);
  });

  test('is never written through something that is there', async () => {
    const folder = freshFolder();
    writeFileSync(join(folder, 'victim'), 'theirs');
    symlinkSync(join(folder, 'victim'), join(folder, 'x.part'));
    const problem = await openPart(join(folder, 'x'), forced).catch((error: unknown) => error);
    expect(problem).toMatchObject({
      kind: 'internal',
      message: `cannot write ${folder}/x.part: it already exists; another download is running or was interrupted`,
      details: { hint: `if no other download is running: rm ${folder}/x.part` },
    });
    expect(readFileSync(join(folder, 'victim'), 'utf8')).toBe('theirs');
  });

  test('replaces what was cut off, and by force any file of ours', async () => {
    const folder = freshFolder();
    const target = join(folder, 'x');
    const cut = await openPart(target, apart);
    cut.write(Buffer.from('old and long'));
    await expect(openPart(target, forced)).rejects.toMatchObject({
      kind: 'internal',
      message: `cannot write ${target}.part: another download of it is running (process ${process.pid} on ${hostname()})`,
    });
    cut.keep();
    const part = await openPart(target, apart);
    part.write(bytes);
    await part.finish();
    expect(readFileSync(target, 'utf8')).toBe('new');

    writeFileSync(`${target}.part`, 'whose?');
    await expect(openPart(target, apart)).rejects.toThrow(
      `cannot write ${target}.part: it already exists; another download`,
    );
    const other = await openPart(target, forced);
    await other.discard();
    expect(readdirSync(folder)).toEqual(['x']);
  });

  test('is kept where its verification is interrupted', async () => {
    const folder = freshFolder();
    const target = join(folder, 'x');
    const cut = await openPart(target, apart);
    cut.begin(9, { size: 9, validator: '"a1"' });
    cut.write(bytes);
    cut.keep();
    await expect(openPart(target, { ...apart, resume: true, signal: AbortSignal.abort() })).rejects.toMatchObject({
      kind: 'interrupted',
    });
    const part = await openPart(target, { ...apart, resume: true });
    expect(part.start).toMatchObject({ bytes: 3, size: 9, validator: '"a1"' });
    await part.discard();
    expect(readdirSync(folder)).toEqual([]);
  });

  test('begins only where there is room for it', async () => {
    const folder = freshFolder();
    const part = await openPart(join(folder, 'x'), apart);
    expect(() => part.begin(2 ** 60, undefined)).toThrow(
      new RegExp(`^cannot write ${folder}/x.part: it needs ${2 ** 60} bytes, but only \\d+ are free$`),
    );
    await part.discard();
  });

  test('tells why nothing can be written', async () => {
    const folder = freshFolder();
    const part = await openPart(join(folder, 'x'), apart);
    await part.discard();
    expect(() => part.write(bytes)).toThrow(`cannot write ${folder}/x.part: `);
  });
});

describe('a place for a file', () => {
  test('is free, or not', async () => {
    const folder = freshFolder();
    const at = (name: string) => join(folder, name);
    writeFileSync(at('file'), 'x');
    mkdirSync(at('folder'));
    symlinkSync(at('nowhere'), at('link'));
    await checkTargetFile(at('free'), apart);
    await checkTargetFile(at('file'), forced);
    const refusals = [
      ['file', apart, `cannot write ${at('file')}: it already exists`],
      ['folder', apart, `cannot write ${at('folder')}: it exists and is not a regular file`],
      ['folder', forced, `cannot write ${at('folder')}: it exists and is not a regular file`],
      ['link', apart, `cannot write ${at('link')}: it exists and is not a regular file`],
      ['link', forced, `cannot write ${at('link')}: it exists and is not a regular file`],
      ['missing/x', apart, `cannot write ${at('missing')}: the folder does not exist`],
      ['file/x', apart, `cannot write ${at('file')}: it is not a folder`],
    ] as const;
    for (const [name, replacing, message] of refusals) {
      await expect(checkTargetFile(at(name), replacing), name).rejects.toThrow(message);
    }
  });
});
