import { readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { expect, test } from 'vitest';
import { programCheck } from '../../../src/commands/variant/ramp/checks.ts';
import type { Context } from '../../../src/contract/command.ts';
import type { CommandHost } from '../../../src/contract/host.ts';
import { temporaryFolder } from '../../support/stackops.ts';

const contextWith = (signalGroup: CommandHost['signalGroup']) =>
  ({
    host: { programs: { env: { PATH: process.env['PATH'], STACKOPS_SHARE: 'ours' } }, platform: 'linux', signalGroup },
    deadline: (ms: number) => AbortSignal.timeout(ms),
  }) as unknown as Context;
const context = contextWith((leader, signal) => void process.kill(-leader, signal));

const check = (script: string, timeoutMs = 10_000) =>
  programCheck(['sh', '-c', script], { text: 'sh', timeoutMs }, context).run(
    { share: 5, env: { STACKOPS_SHARE: '5' } },
    new AbortController().signal,
  );

test('a program is good, failed or held by its exit code', async () => {
  expect(await check('exit 0')).toMatchObject({ result: 'good', reason: 'exit code 0' });
  expect(await check('exit 75')).toMatchObject({ result: 'held', reason: 'exit code 75' });
  expect(await check('exit 1')).toMatchObject({ result: 'failed', reason: 'exit code 1' });
  expect(await check('kill -9 $$')).toMatchObject({ result: 'failed', reason: 'SIGKILL' });
  expect(await check('exit $STACKOPS_SHARE')).toMatchObject({ reason: 'exit code 5' });
});

test.each(['INT', 'QUIT', 'HUP'])(
  'one that a terminal ended with SIG%s while it was started runs again',
  async (name) => {
    const again = join(temporaryFolder(), 'again');
    const inTurn = (then: string) =>
      `if test -e ${again}; then rm ${again}; ${then}; fi; : > ${again}; echo cut; kill -${name} $$`;
    expect(await check(inTurn('echo whole; exit 0'))).toMatchObject({ result: 'good', log: 'whole\n' });
    expect(await check(inTurn('exit 1'))).toMatchObject({ result: 'failed', reason: 'exit code 1' });
    expect(await check(`kill -${name} $$`)).toMatchObject({ result: 'held', reason: `SIG${name}` });
  },
);

test('one that was stopped does not run again, however it ended', async () => {
  const stopped = new Set<number>();
  const signalGroup = (leader: number) => {
    stopped.add(leader);
    process.kill(-leader, 'SIGINT');
  };
  const limits = { text: 'check', timeoutMs: 10_000 };
  const slow = programCheck(['sleep', '60'], limits, contextWith(signalGroup));
  await slow.run({ share: 5, env: {} }, AbortSignal.abort());
  expect(stopped.size).toBe(1);
});

test('the last five lines of both streams are kept, and 64 KiB for the log', async () => {
  const { reason, output, log } = await check(
    'for i in 1 2 3 4 5 6; do echo $i; done; sleep 0.05; echo bad >&2; exit 1',
  );
  expect([reason, output]).toEqual(['exit code 1', ['3', '4', '5', '6', 'bad']]);
  expect(log).toBe('1\n2\n3\n4\n5\n6\nbad\n');
  const long = await check('yes | head -c 200000');
  expect(long.log).toHaveLength(64 * 1024);
});

test('one that takes too long is ended with all that it started, and may be our network', async () => {
  expect(await check('sleep 60 & wait', 100)).toMatchObject({
    result: 'failed',
    isNetwork: true,
    reason: 'no end within 0.1 s',
  });
});

test('one that may not be ended, as what sudo runs, is not waited for', async () => {
  const folder = temporaryFolder();
  const go = join(folder, 'go');
  const signalGroup = () => {
    throw Object.assign(new Error('kill EPERM'), { code: 'EPERM' });
  };
  // It ends with the folder, too, which goes with the test.
  const script = `while [ -d ${folder} ] && [ ! -e ${go} ]; do sleep 0.05; done`;
  const endless = programCheck(['sh', '-c', script], { text: 'sh', timeoutMs: 100 }, contextWith(signalGroup));
  const place = { share: 5, env: {} };
  expect(await endless.run(place, new AbortController().signal)).toMatchObject({ reason: 'no end within 0.1 s' });
  writeFileSync(go, '');
});

test.each([0, 1])('what it leaves running ends with it (exit %i)', async (code) => {
  const pid = join(temporaryFolder(), 'pid');
  const script = `sleep 60 >/dev/null 2>&1 & echo $! > ${pid}; exit ${code}`;
  expect(await check(script)).toMatchObject({ reason: `exit code ${code}` });
  await expect.poll(() => isAlive(Number(readFileSync(pid, 'utf8')))).toBe(false);
});

/** A zombie is not alive. */
function isAlive(pid: number): boolean {
  try {
    return !/^State:\s+Z/m.test(readFileSync(`/proc/${pid}/status`, 'utf8'));
  } catch {
    return false;
  }
}

test('one that cannot be started holds', async () => {
  const missing = programCheck(['/no/such'], { text: '', timeoutMs: 10 }, context);
  expect(await missing.run({ share: 5, env: {} }, new AbortController().signal)).toEqual({
    result: 'held',
    reason: 'cannot run "/no/such": program not found',
    isUnstartable: true,
  });
});
