import { execFileSync, spawn } from 'node:child_process';
import { once } from 'node:events';
import {
  existsSync,
  mkdirSync,
  readdirSync,
  readFileSync,
  rmSync,
  symlinkSync,
  utimesSync,
  writeFileSync,
} from 'node:fs';
import { hostname } from 'node:os';
import { dirname, join } from 'node:path';
import type { Readable, Writable } from 'node:stream';
import { beforeEach, describe, expect, it } from 'vitest';
import { startTimeOf } from '../../../src/files/identity.ts';
import { withLock } from '../../../src/files/lock.ts';
import { freshFolder, quiet } from './folder.ts';

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

/** Waits for nobody who keeps a lock. */
const shortLimits = { ...quiet, limits: { silentMs: 1000, timeoutMs: 60, localTimeoutMs: 60 } };
const otherPid = process.ppid;
const startOfOther = startTimeOf(otherPid) ?? '';
let file = '';
beforeEach(() => {
  file = join(freshFolder(), 'config.json');
});
const filesBeside = () => readdirSync(dirname(file));

describe('withLock', () => {
  it('returns what the work returns and leaves nothing', async () => {
    const pidInLock = () => readFileSync(`${file}.lock`, 'utf8').split(' ')[0];
    expect(await withLock(file, pidInLock, quiet)).toBe(String(process.pid));
    expect(filesBeside()).toEqual([]);
  });

  it('leaves nothing when the work fails', async () => {
    await expect(withLock(file, () => Promise.reject(new Error('broken')), quiet)).rejects.toThrow('broken');
    expect(filesBeside()).toEqual([]);
  });

  it('appears complete', async () => {
    const whole = /^\d+ \S+ (\d+ )?[\da-f-]{36}\n$/;
    await withLock(file, () => expect(readFileSync(`${file}.lock`, 'utf8')).toMatch(whole), quiet);
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
    await Promise.all(Array.from({ length: 20 }, () => withLock(file, work, quiet)));
    expect(most).toBe(1);
    expect(filesBeside()).toEqual([]);
  });
});

it.skipIf(process.platform === 'win32')('a named pipe in place of a lock is said, not waited for', async () => {
  execFileSync('mkfifo', [`${file}.lock`]);
  await expect(withLock(file, () => 'done', shortLimits)).rejects.toThrow(
    expect.objectContaining({
      message: `cannot use ${file}.lock: not a regular file`,
      details: { hint: `rm ${file}.lock` },
    }),
  );
});

describe('a lock that nobody will give back', () => {
  it.each([
    ['a process that is gone', async () => `${await deadPid()} ${hostname()} 5 x\n`, 0],
    ['a process that is gone, of which no start is known', async () => `${await deadPid()} ${hostname()} x\n`, 0],
    ['a process whose number another one has got', async () => `${otherPid} ${hostname()} 5 x\n`, 0],
    ['another machine, from before the clock was set back', async () => '1 elsewhere x\n', -3600],
    [
      'this process, which does not hold it',
      async () => `${process.pid} ${hostname()} ${startTimeOf(process.pid)} x\n`,
      0,
    ],
    ['nobody: it is empty', async () => '', 2],
    ['another machine, for too long', async () => '1 elsewhere x\n', 601],
    ['nobody knows whom, for too long', async () => 'x', 601],
  ])('is broken: that of %s', async (_name, content, ageSeconds) => {
    plantLock(file, await content(), ageSeconds);
    expect(await withLock(file, () => 'done', shortLimits)).toBe('done');
    expect(filesBeside()).toEqual([]);
  });

  it('is broken after ten minutes when this machine has another name since', async () => {
    const content = `${await deadPid()} Anns-Mac.local x\n`;
    plantLock(file, content, 599);
    await expect(withLock(file, () => 'done', shortLimits)).rejects.toThrow('on Anns-Mac.local); waited 0.06 s');
    plantLock(file, content, 601);
    expect(await withLock(file, () => 'done', shortLimits)).toBe('done');
  });

  it.skipIf(process.platform !== 'linux')(
    'is broken when its process has ended and only its parent has not looked',
    async () => {
      const script = 'cat <&3 & echo $!; exec sleep 60 3<&-';
      const parent = spawn('sh', ['-c', script], { stdio: ['ignore', 'pipe', 'ignore', 'pipe'] });
      const [line] = await once(parent.stdout as Readable, 'data');
      const pid = Number(String(line));
      // Until it is another program, the shell itself would notice the end of its child.
      const isShell = () => readFileSync(`/proc/${parent.pid}/comm`, 'utf8') !== 'sleep\n';
      while (isShell()) await new Promise(setImmediate);
      (parent.stdio[3] as Writable).end();
      while (!/\) Z /.test(readFileSync(`/proc/${pid}/stat`, 'utf8'))) await new Promise(setImmediate);
      plantLock(file, `${pid} ${hostname()} ${startTimeOf(pid)} x\n`, 0);
      expect(await withLock(file, () => 'done', shortLimits)).toBe('done');
      parent.kill('SIGKILL');
      await once(parent, 'close');
    },
  );

  it('is broken once, however many find it', async () => {
    plantLock(file, `${await deadPid()} ${hostname()} 5 x\n`, 0);
    let inside = 0;
    const work = async () => {
      inside += 1;
      expect(inside).toBe(1);
      await new Promise(setImmediate);
      inside -= 1;
    };
    await Promise.all(Array.from({ length: 20 }, () => withLock(file, work, quiet)));
    expect(filesBeside()).toEqual([]);
  });

  it('is broken although whoever broke it was killed', async () => {
    plantLock(file, `${await deadPid()} ${hostname()} 5 x\n`, 0);
    writeFileSync(`${file}.lock.break`, '');
    const then = Date.now() / 1000 - 3;
    utimesSync(`${file}.lock.break`, then, then);
    expect(await withLock(file, () => 'done', shortLimits)).toBe('done');
    expect(filesBeside()).toEqual([]);
  });
});

describe('a lock that is held', () => {
  it.each([
    ['a process that lives, for long', `${otherPid} ${hostname()} ${startOfOther} x\n`, startOfOther ? 3600 : 0],
    ['another machine', '1 elsewhere x\n', 599],
  ])('is waited for, then left: that of %s', async (_name, mark, ageSeconds) => {
    plantLock(file, mark, ageSeconds);
    const [pid, host] = mark.split(' ');
    await expect(withLock(file, () => 'done', shortLimits)).rejects.toThrow(
      expect.objectContaining({
        kind: 'internal',
        message: `${file}.lock is held by another stackops (process ${pid} on ${host}); waited 0.06 s`,
        details: { hint: `if no other stackops is running: rm ${file}.lock` },
      }),
    );
    expect(readFileSync(`${file}.lock`, 'utf8')).toBe(mark);
    expect(filesBeside()).toEqual(['config.json.lock']);
  });

  it('is reported once, by name, when the wait is long', async () => {
    plantLock(file, '1 elsewhere x\n', 0);
    const lines: string[] = [];
    const options = {
      warn: (line: string) => void lines.push(line),
      limits: { silentMs: 0, timeoutMs: 60, localTimeoutMs: 60 },
    };
    await expect(withLock(file, () => 'done', options)).rejects.toThrow('waited');
    expect(lines).toEqual([`waiting for another stackops (process 1 on elsewhere), which holds ${file}.lock`]);
  });

  it('is waited for however many go first, as long as it moves', async () => {
    const work = () => new Promise((resolve) => setTimeout(resolve, 20));
    await Promise.all(Array.from({ length: 10 }, () => withLock(file, work, shortLimits)));
  });
});

describe('a lock that cannot be', () => {
  it('is not waited for when something else has its name', async () => {
    mkdirSync(`${file}.lock`);
    await expect(withLock(file, () => 'done', shortLimits)).rejects.toThrow(
      expect.objectContaining({ kind: 'internal', message: `cannot write ${file}.lock: it is a folder (EISDIR)` }),
    );
    rmSync(`${file}.lock`, { recursive: true });
    symlinkSync('nowhere', `${file}.lock`);
    await expect(withLock(file, () => 'done', shortLimits)).rejects.toThrow('is held by another stackops; waited');
    expect(filesBeside()).toEqual(['config.json.lock']);
  });

  it('is a warning, and no failure, when it cannot be read or removed at the end', async () => {
    const lines: string[] = [];
    const work = () => {
      rmSync(`${file}.lock`);
      mkdirSync(`${file}.lock`);
      return 'stored';
    };
    expect(await withLock(file, work, { warn: (line) => void lines.push(line) })).toBe('stored');
    expect(lines).toEqual([`cannot remove ${file}.lock: it is a folder (EISDIR)`]);
    expect(existsSync(file)).toBe(false);
  });
});
