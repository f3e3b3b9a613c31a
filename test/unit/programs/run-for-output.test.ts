import { execFileSync } from 'node:child_process';
import { once } from 'node:events';
import { createReadStream } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, test } from 'vitest';
import { tokenCommandRules } from '../../../src/app/session.ts';
import { type ProgramHost, runForOutput } from '../../../src/programs/capture.ts';
import { temporaryFolder } from '../../support/stackops.ts';

const never = () => new AbortController().signal;
const signalGroup = (leader: number, signal: NodeJS.Signals) => void process.kill(-leader, signal);

/** Runs a line of sh, which says on descriptor 3 that it has begun. `end` resolves when all that hold it have ended. */
function play(line: string, host: Partial<ProgramHost>) {
  const folder = temporaryFolder();
  const fifo = join(folder, 'alive');
  execFileSync('mkfifo', [fifo]);
  const alive = createReadStream(fifo);
  const machine = { env: process.env, platform: process.platform, signalGroup: undefined };
  const own = { ...machine, folder, signal: never(), deadline: never, ...host };
  return {
    printed: runForOutput(own, tokenCommandRules, ['sh', '-c', `exec 3>alive; ${line}`], 'token_command (sh)'),
    begun: once(alive, 'data'),
    end: once(alive, 'end'),
  };
}

test.skipIf(process.platform === 'win32')(
  'a token is printed though something goes on and holds the output',
  async () => {
    const { printed, begun, end } = play('echo token; sleep 60 & echo $! >&3', {});
    const [pid] = await begun;
    expect(await printed).toBe('token\n');
    process.kill(Number(pid));
    await end;
  },
);

describe.skipIf(process.platform === 'win32')('a token command that takes too long', () => {
  const unmoved = "trap '' TERM; (echo begun >&3; sleep 60) & wait";

  test('is ended with all that it started, also what ignores SIGTERM', async () => {
    const time = new AbortController();
    const limits: number[] = [];
    const deadline = (ms: number) => {
      limits.push(ms);
      return time.signal;
    };
    const { printed, begun, end } = play(unmoved, { deadline, signalGroup });
    await begun;
    time.abort();
    await expect(printed).rejects.toThrow(
      expect.objectContaining({
        kind: 'unauthenticated',
        message: 'token_command (sh) printed no token within 3 s',
        details: { hint: { path: 'config get', operands: ['token_command'] } },
      }),
    );
    await end;
    expect(limits).toEqual([3000]);
  });

  test('is ended without a group of its own, and may leave the terminal in order', async () => {
    const time = new AbortController();
    const { printed, begun, end } = play("trap 'echo in order >&3; exit' TERM; echo begun >&3; sleep 60 3>&- & wait", {
      deadline: () => time.signal,
    });
    await begun;
    time.abort();
    await expect(printed).rejects.toThrow('printed no token within 3 s');
    await end;
  });

  test('is not waited for after Ctrl-C', async () => {
    const stop = new AbortController();
    const { printed, begun, end } = play(unmoved, { signal: stop.signal, signalGroup });
    await begun;
    stop.abort('SIGINT');
    await expect(printed).rejects.toThrow(expect.objectContaining({ kind: 'interrupted' }));
    await end;
  });

  test('is not waited for when its end comes, but not that of its output', async () => {
    const time = new AbortController();
    const { printed, begun, end } = play('(echo begun >&3; sleep 60) &', { deadline: () => time.signal, signalGroup });
    await begun;
    time.abort();
    await expect(printed).rejects.toThrow('printed no token within 3 s');
    await end;
  });
});

test('nothing is run after Ctrl-C', async () => {
  const signal = AbortSignal.abort('SIGINT');
  const own = { env: {}, platform: 'linux', folder: '/', signal, deadline: never, signalGroup: undefined };
  await expect(runForOutput(own, tokenCommandRules, ['false'], 'token_command (false)')).rejects.toThrow(
    expect.objectContaining({ kind: 'interrupted' }),
  );
});
