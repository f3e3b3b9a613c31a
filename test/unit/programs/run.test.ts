import { ChildProcess } from 'node:child_process';
import { existsSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { expect, test, vi } from 'vitest';
import { type ForegroundHost, runProgram } from '../../../src/programs/run.ts';
import { temporaryFolder } from '../../support/stackops.ts';

test('a program that may not be signalled, such as sudo, is waited for all the same', async () => {
  const folder = temporaryFolder();
  const [begun, go] = [join(folder, 'begun'), join(folder, 'go')];
  let hear: (signal: NodeJS.Signals) => void = () => undefined;
  const { PATH } = process.env;
  const services: ForegroundHost = {
    env: { PATH },
    platform: 'linux',
    sharesTerminal: false,
    withSignalHandler: (take, work) => {
      hear = take;
      return work();
    },
    setExitCode: () => undefined,
  };
  const kill = vi.spyOn(ChildProcess.prototype, 'kill').mockImplementation(function (this: ChildProcess) {
    // As Node does where the system says EPERM.
    this.emit('error', Object.assign(new Error('kill EPERM'), { code: 'EPERM' }));
    return false;
  });
  const script = `: > ${begun}; while [ ! -e ${go} ]; do sleep 0.01; done; exit 3`;
  const running = runProgram({ commandLine: ['sh', '-c', script], env: { PATH } }, services);
  const code = running.catch((error: unknown) => error);
  await expect.poll(() => existsSync(begun)).toBe(true);
  for (const signal of ['SIGTERM', 'SIGTERM'] as const) hear(signal);
  writeFileSync(go, '');
  expect([await code, kill.mock.calls.length]).toEqual([3, 2]);
});
