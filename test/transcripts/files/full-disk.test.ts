import { readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { beforeEach, expect, test, vi } from 'vitest';
import { appendLine } from '../../../src/files/append-line.ts';
import { withLock } from '../../../src/files/lock.ts';
import { freshFolder, quiet } from './folder.ts';

const disk = vi.hoisted(() => ({ isFull: false, cutsLines: false }));
vi.mock('node:fs', async (original) => {
  const real = await original<typeof import('node:fs')>();
  const failed = (code: string) => Object.assign(new Error(code), { code });
  return {
    ...real,
    writeFileSync: (...given: Parameters<typeof real.writeFileSync>) => {
      if (disk.isFull && typeof given[0] === 'number') throw failed('ENOSPC');
      real.writeFileSync(...given);
    },
    writeSync: (handle: number, bytes: Uint8Array) =>
      real.writeSync(handle, bytes, 0, disk.cutsLines ? 3 : bytes.length),
  };
});

let folder = '';
let file = '';
beforeEach(() => {
  disk.isFull = false;
  disk.cutsLines = false;
  folder = freshFolder();
  file = join(folder, 'journal.jsonl');
});

test('a full disk leaves no lock, and nobody waits for one later', async () => {
  disk.isFull = true;
  await expect(withLock(file, () => 'done', quiet)).rejects.toThrow(
    expect.objectContaining({
      kind: 'internal',
      message: `cannot write ${file}.lock: no space is left on the device (ENOSPC)`,
    }),
  );
  expect(readdirSync(folder)).toEqual([]);
  disk.isFull = false;
  expect(await withLock(file, () => 'done', quiet)).toBe('done');
});

test('of a line that does not fit nothing stays', async () => {
  await appendLine(file, 'one', quiet);
  disk.cutsLines = true;
  await expect(appendLine(file, 'two', quiet)).rejects.toThrow(
    `cannot write ${file}: no space is left on the device (ENOSPC)`,
  );
  disk.cutsLines = false;
  await appendLine(file, 'three', quiet);
  expect(readFileSync(file, 'utf8')).toBe('one\nthree\n');
  expect(readdirSync(folder)).toEqual(['journal.jsonl']);
});
