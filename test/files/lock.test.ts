import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { existsSync, readFileSync, utimesSync, writeFileSync } from 'node:fs';
import { hostname } from 'node:os';
import { join } from 'node:path';
import { beforeEach, describe, expect, it } from 'vitest';
import { withLock } from '../../src/files/lock.ts';
import { freshFolder } from './folder.ts';

/** A process that is certainly gone. */
async function deadPid(): Promise<number> {
  const child = spawn(process.execPath, ['--version'], { stdio: 'ignore' });
  await once(child, 'close');
  return child.pid ?? 0;
}

function plantLock(file: string, content: string, ageSeconds: number): void {
  writeFileSync(`${file}.lock`, content);
  const then = Date.now() / 1000 - ageSeconds;
  utimesSync(`${file}.lock`, then, then);
}

const impatient = { waitMs: 60, staleMs: 30_000 };
let file = '';
beforeEach(() => {
  file = join(freshFolder(), 'config.json');
});

describe('withLock', () => {
  it('returns what the work returns and leaves no lock', async () => {
    expect(await withLock(file, () => readFileSync(`${file}.lock`, 'utf8').split(' ')[0])).toBe(String(process.pid));
    expect(existsSync(`${file}.lock`)).toBe(false);
  });

  it('leaves no lock when the work fails', async () => {
    await expect(withLock(file, () => Promise.reject(new Error('broken')))).rejects.toThrow('broken');
    expect(existsSync(`${file}.lock`)).toBe(false);
  });

  it('lets one in at a time', async () => {
    let inside = 0;
    let most = 0;
    const work = async () => {
      inside += 1;
      most = Math.max(most, inside);
      await new Promise(setImmediate);
      inside -= 1;
    };
    await Promise.all(Array.from({ length: 20 }, () => withLock(file, work)));
    expect(most).toBe(1);
  });

  it('breaks an old lock whose holder is gone', async () => {
    plantLock(file, `${await deadPid()} ${hostname()} x\n`, 31);
    expect(await withLock(file, () => 'done', impatient)).toBe('done');
  });

  it('breaks an old lock that nobody finished writing', async () => {
    plantLock(file, '', 31);
    expect(await withLock(file, () => 'done', impatient)).toBe('done');
  });

  it('breaks an old lock once, however many find it', async () => {
    plantLock(file, `${await deadPid()} ${hostname()} x\n`, 31);
    let inside = 0;
    const work = async () => {
      inside += 1;
      expect(inside).toBe(1);
      await new Promise(setImmediate);
      inside -= 1;
    };
    await Promise.all(Array.from({ length: 20 }, () => withLock(file, work)));
  });

  it.each([
    ['a young lock of a process that is gone', async () => `${await deadPid()} ${hostname()} x\n`, 5],
    ['an old lock of a process that lives', async () => `${process.pid} ${hostname()} x\n`, 3600],
    ['an old lock of another machine', async () => `1 elsewhere x\n`, 3600],
  ])('waits for %s, then gives up and leaves it', async (_name, content, ageSeconds) => {
    const mark = await content();
    plantLock(file, mark, ageSeconds);
    const [pid, host] = mark.split(' ');
    await expect(withLock(file, () => 'done', impatient)).rejects.toThrow(
      expect.objectContaining({
        kind: 'internal',
        message: `${file}.lock is held by another stackops (process ${pid} on ${host}); waited 0.06 s`,
        details: { hint: `when no other stackops is running: rm ${file}.lock` },
      }),
    );
    expect(readFileSync(`${file}.lock`, 'utf8')).toBe(mark);
  });
});
