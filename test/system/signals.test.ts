import { readFileSync, writeFileSync } from 'node:fs';
import type { ServerResponse } from 'node:http';
import { constants } from 'node:os';
import { join } from 'node:path';
import { stripVTControlCharacters as plain } from 'node:util';
import { afterEach, describe, expect, test, vi } from 'vitest';
import { ownEnvironment, preloading, start } from '../support/built.ts';
import { unchanged } from '../support/phrases.ts';
import { startSandbox } from '../support/sandbox.ts';
import { reply, type Seen, startService } from '../support/service.ts';
import { temporaryFolder } from '../support/stackops.ts';
import { ctrlC, openTerminal } from '../support/terminal.ts';

const uid = '5f3c9a1e7b2d4c8f9e0a1b2c3d4e5f60';
const nothingYet = {
  response: [],
  count: 0,
  pagination: { previous: null, next: null, current: 1, per_page: 30, count: 0, pages: 1 },
};
const stack = { uid, name: 'shop', environment: 'production' };
const oneVariable = { ...nothingYet, response: [{ id: 1, key: 'K', value: 'old', readonly: false }], count: 1 };

const closing: (() => Promise<void>)[] = [];
afterEach(async () => {
  for (const close of closing.splice(0)) await close();
});

interface Held {
  readonly env: Readonly<Record<string, string>>;
  readonly seen: readonly Seen[];
  /** Resolves with the answer to be given when the request that is held has arrived. */
  readonly arrived: Promise<ServerResponse>;
}

/** A service that answers everything at once but requests of one method; those it leaves waiting. */
async function hold(method: string, rest: unknown = nothingYet): Promise<Held> {
  let arrive: (response: ServerResponse) => void;
  const arrived = new Promise<ServerResponse>((resolve) => {
    arrive = resolve;
  });
  const service = await startService((seen, response) => {
    if (seen.method === method) arrive(response);
    else if (seen.path.includes(uid) && !seen.path.includes('environments')) reply(response, { response: stack });
    else reply(response, rest);
  });
  closing.push(service.close);
  return { env: ownEnvironment({ STACKOPS_BASE_URL: service.url }), seen: service.seen, arrived };
}

/** A script that would go on if it did not notice that somebody wants to stop. */
const inLoop = (command: string) => `for run in 1 2; do ${command}; echo "went on $run"; done`;
const setVariable = `stackops stack env set K=new -s ${uid}`;

describe('Ctrl-C in a terminal stops the script too', () => {
  test('before a write is sent', async () => {
    const { env, seen, arrived } = await hold('GET');
    const terminal = openTerminal(inLoop(setVariable), env);
    await arrived;
    terminal.type(ctrlC);
    const { code, screen } = await terminal.ended;
    expect(code).toBe(130);
    expect(plain(screen)).toContain('error: interrupted;');
    expect(screen).not.toContain('went on');
    expect(seen.map(({ method }) => method)).toEqual(['GET']);
  });

  test('while a write is under way: its answer is waited for and shown', async () => {
    const { env, seen, arrived } = await hold('POST');
    const terminal = openTerminal(inLoop(setVariable), env);
    const response = await arrived;
    terminal.type(ctrlC);
    await terminal.shows(/interrupted; waiting up to 5 s for the response to the change/);
    reply(response, { response: { id: 1, key: 'K', value: 'new' } });
    const { code, screen } = await terminal.ended;
    expect(code).toBe(130);
    expect(screen).toContain('K created');
    expect(screen).not.toContain('went on');
    expect(seen.map(({ method }) => method)).toEqual(['GET', 'POST']);
  });

  test('the rest of a series is not sent', async () => {
    const { env, seen, arrived } = await hold('POST');
    const terminal = openTerminal(inLoop(`stackops stack env set A=1 B=2 C=3 D=4 E=5 F=6 -s ${uid}`), env, 200);
    const response = await arrived;
    terminal.type(ctrlC);
    await terminal.shows(/waiting up to 5 s/);
    reply(response, { response: { id: 1, key: 'A', value: '1' } });
    const { code, screen } = await terminal.ended;
    expect(code).toBe(130);
    expect(screen).toContain('A created');
    expect(plain(screen)).toMatch(
      /creating B \(outcome unknown\)\r\ncreating C \(outcome unknown\)\r\ncreating D \(outcome unknown\)\r\ncreating E \(not tried\)\r\ncreating F \(not tried\)\r\n/,
    );
    expect(plain(screen)).toContain('A was created. Not tried: E, F.');
    expect(seen.map(({ method }) => method)).toEqual(['GET', 'POST', 'POST', 'POST', 'POST']);
  });

  test('twice: at once, and what is known', async () => {
    const { env, arrived } = await hold('POST');
    const terminal = openTerminal(inLoop(setVariable), env, 200);
    await arrived;
    terminal.type(ctrlC);
    await terminal.shows(/waiting up to 5 s/);
    terminal.type(ctrlC);
    const { code, screen } = await terminal.ended;
    expect(code).toBe(130);
    expect(plain(screen)).toContain(
      'error: outcome unknown; the change may have been applied: interrupted before the response came\r\n' +
        `hint: stackops stack env list -s ${uid}`,
    );
    expect(screen).not.toMatch(/K created|went on/);
  });

  test('while a read is under way, and nothing of the spinner stays', async () => {
    const { env, arrived } = await hold('GET');
    const terminal = openTerminal(inLoop('stackops stack list'), env);
    await arrived;
    await terminal.shows(/ stack list/);
    terminal.type(ctrlC);
    const { code, screen } = await terminal.ended;
    expect(code).toBe(130);
    // The line was cleared and the cursor put at its start before the last words.
    expect(screen).toMatch(/\x1b\[1G\x1b\[0K\x1b\[31merror:\x1b\[39m interrupted;.*\r\n$/);
    // Hidden by nobody, or shown again.
    expect(screen.lastIndexOf('\x1b[?25l')).toBeLessThanOrEqual(screen.lastIndexOf('\x1b[?25h'));
  });

  test('at a question; the terminal is as it was', async () => {
    const { env, seen } = await hold('DELETE', oneVariable);
    const line = `trap : INT; stackops stack env unset K -s ${uid}; echo "code $?"; stty -a`;
    const terminal = openTerminal(line, env);
    await terminal.shows(/\[y\/N\] /);
    terminal.type(ctrlC);
    const { screen } = await terminal.ended;
    expect(plain(screen)).toContain('error: interrupted;');
    expect(screen).toContain('code 130');
    expect(screen).toMatch(/ icanon/);
    expect(screen).toMatch(/ echo /);
    expect(seen.map(({ method }) => method)).not.toContain('DELETE');
  });

  test('at a question it is heard, not raised: a signal that is raised ends a process on Windows at once', async () => {
    const folder = temporaryFolder();
    const [hook, list] = [join(folder, 'hook.cjs'), join(folder, 'raised')];
    writeFileSync(list, '');
    writeFileSync(
      hook,
      `const usual = process.kill; process.kill = (...all) => {
        require('node:fs').appendFileSync(${JSON.stringify(list)}, 'raised\\n');
        return usual.apply(process, all);
      };`,
    );
    const { env } = await hold('DELETE', oneVariable);
    const variables = Object.entries(preloading(hook)).map(([name, value]) => `${name}='${value}'`);
    const line = `export ${variables.join(' ')}; stackops stack env unset K -s ${uid}`;
    const terminal = openTerminal(line, env);
    await terminal.shows(/\[y\/N\] /);
    terminal.type(ctrlC);
    expect((await terminal.ended).code).toBe(130);
    // At its end, for the script that called it.
    expect(readFileSync(list, 'utf8')).toBe('raised\n');
  });

  test('while a value is typed for stdin', async () => {
    const { env, seen } = await hold('POST');
    const terminal = openTerminal(inLoop(`stackops stack env set K --stdin -s ${uid}`), env);
    await terminal.shows(/end with Ctrl-D/);
    terminal.type(ctrlC);
    const { code, screen } = await terminal.ended;
    expect(code).toBe(130);
    expect(screen).not.toContain('went on');
    expect(seen.map(({ method }) => method)).not.toContain('POST');
  });

  test('while a sandbox is served', async () => {
    const terminal = openTerminal(inLoop('stackops sandbox start'), ownEnvironment());
    const [, url = ''] = await terminal.shows(/serving (http:\S+) until Ctrl-C/);
    expect((await fetch(`${url}/api/3/stacks`)).status).toBe(401);
    terminal.type(ctrlC);
    const { code, screen } = await terminal.ended;
    expect(code).toBe(130);
    expect(screen).not.toContain('went on');
    await expect(fetch(url)).rejects.toThrow();
  });
});

/** Whether a process hears a signal itself, as the kernel has it. */
function listensTo(signal: NodeJS.Signals, pid: number | undefined): boolean {
  const [, caught = ''] = /^SigCgt:\s*(\w+)$/m.exec(readFileSync(`/proc/${pid}/status`, 'utf8')) ?? [];
  return ((BigInt(`0x${caught}`) >> BigInt(constants.signals[signal] - 1)) & 1n) === 1n;
}

describe('signals from outside', () => {
  test('SIGTERM while a read is under way', async () => {
    const { env, arrived } = await hold('GET');
    const running = start(['stack', 'list'], { env });
    await arrived;
    running.kill('SIGTERM');
    expect(await running.ended).toEqual({
      code: null,
      signal: 'SIGTERM',
      stdout: '',
      stderr: `error: interrupted${unchanged}\n`,
    });
  });

  test.each([
    ['SIGTERM', 143],
    ['SIGHUP', 129],
    ['SIGINT', 130],
  ] as const)('%s while a write is under way, and no answer: what is known', async (name, exit_code) => {
    const { env, arrived } = await hold('POST');
    const running = start(['stack', 'env', 'set', 'K=new', '-s', uid, '--json'], { env });
    await arrived;
    running.kill(name);
    const { code, signal, stdout, stderr } = await running.ended;
    expect({ code, signal, stdout }).toEqual({ code: null, signal: name, stdout: '' });
    expect(JSON.parse(stderr)).toMatchObject({
      error: {
        exit_code,
        code: 'interrupted',
        message: 'outcome unknown; the change may have been applied: interrupted before the response came',
        hint: `stackops stack env list -s ${uid}`,
        request_sent: true,
        attempts: 1,
        check: `stackops stack env list -s ${uid}`,
      },
    });
    const journal = join(env['XDG_STATE_HOME'] ?? '', 'stackops', 'journal.jsonl');
    expect(JSON.parse(readFileSync(journal, 'utf8').trimEnd().split('\n')[1] ?? '')).toMatchObject({
      event: 'answered',
      outcome: 'interrupted',
      exit_code,
    });
  });

  test.each(['SIGTERM', 'SIGHUP', 'SIGINT'] as const)(
    '%s ends an expression of jq that never comes to an end',
    async (signal) => {
      const { env, arrived } = await hold('GET');
      const running = start(['stack', 'list', '--jq', 'def f: f; f'], { env });
      const response = await arrived;
      expect(listensTo(signal, running.pid)).toBe(true);
      reply(response, nothingYet);
      await vi.waitUntil(() => !listensTo(signal, running.pid), { timeout: 300_000, interval: 5 });
      running.kill(signal);
      expect(await running.ended).toEqual({ code: null, signal, stdout: '', stderr: '' });
    },
  );

  test('a window that is closed takes everything in it along', async () => {
    const { env, arrived } = await hold('GET');
    const codeFile = join(temporaryFolder(), 'code');
    // The outer shell dies of it, as the one of a window does; the inner one lives on to tell.
    const terminal = openTerminal(`(trap : HUP; stackops stack list; echo "$?" > ${codeFile}); :`, env);
    await arrived;
    terminal.close();
    await terminal.left;
    expect(readFileSync(codeFile, 'utf8')).toBe('129\n');
  });

  test('a window that is closed during a question ends the program as a hang-up', async () => {
    const codeFile = join(temporaryFolder(), 'code');
    const env = { STACKOPS_SANDBOX: '1', XDG_STATE_HOME: temporaryFolder() };
    const terminal = openTerminal(`(trap : HUP; stackops redeploy -s shop; echo "$?" > ${codeFile}); :`, env);
    await terminal.shows(/\[y\/N\]/);
    terminal.close();
    await terminal.left;
    expect(readFileSync(codeFile, 'utf8')).toBe('129\n');
  });
});

/** Makes a minute of the program's heartbeat a moment. */
function quickHeartbeat(): ReturnType<typeof preloading> {
  const hook = join(temporaryFolder(), 'hook.cjs');
  writeFileSync(hook, 'const usual = setInterval; globalThis.setInterval = (work, ms) => usual(work, ms / 1000);');
  return preloading(hook);
}

describe('terminals', () => {
  test('--help', async () => {
    const terminal = openTerminal('stackops --help; echo "code $?"', ownEnvironment());
    const { screen } = await terminal.ended;
    expect(screen).toMatch(/^Operate deployed stacks from the command line\.\r\n/);
    expect(screen).toMatch(/\r\ncode 0\r\n$/);
  });

  test('a width of 0 hangs nothing', async () => {
    const { env, arrived } = await hold('GET');
    const terminal = openTerminal('stackops stack list', { ...env, ...quickHeartbeat() }, 0);
    const response = await arrived;
    await terminal.shows(/stack list: 60 s so far/);
    reply(response, nothingYet);
    const { code, screen } = await terminal.ended;
    expect(code).toBe(0);
    expect(screen).toMatch(/^(stack list: \d+ s so far\r\n)+No stacks\.\r\n$/);
  });

  test('one that understands no escape sequences gets none', async () => {
    const { env, arrived } = await hold('GET');
    const terminal = openTerminal('export TERM=dumb; stackops stack list', { ...env, ...quickHeartbeat() });
    const response = await arrived;
    await terminal.shows(/stack list: 60 s so far/);
    reply(response, nothingYet);
    expect((await terminal.ended).screen).not.toContain('\x1b');
  });

  test('and Ctrl-C works there', async () => {
    const { env, arrived } = await hold('GET');
    const terminal = openTerminal(inLoop('stackops stack list'), env, 0);
    await arrived;
    terminal.type(ctrlC);
    expect((await terminal.ended).code).toBe(130);
  });
});

describe('while waiting, a signal stops the waiting only', () => {
  /** A service whose deployments take for ever. */
  async function slowly() {
    const sandbox = await startSandbox({ speed: 0.001 });
    closing.push(sandbox.close);
    const env = ownEnvironment(sandbox.env);
    const sent = () => sandbox.requests.filter(({ method }) => method !== 'GET').map(({ method }) => method);
    return { env, sent };
  }
  const resume = `hint: stackops deployment wait 1042 -s ${uid}`;

  test('Ctrl-C in a terminal, and the script stops too', async () => {
    const { env, sent } = await slowly();
    const terminal = openTerminal(inLoop(`stackops redeploy -y --wait -s ${uid}`), env);
    await terminal.shows(/ deployment 1042: queued, \d+s/);
    terminal.type(ctrlC);
    const { code, screen } = await terminal.ended;
    expect(code).toBe(130);
    expect(plain(screen)).toContain('error: stopped waiting; deployment 1042 continues');
    expect(plain(screen)).toContain(resume);
    expect(screen).not.toContain('went on');
    expect(sent()).toEqual(['POST']);
  });

  test('SIGTERM in a job', async () => {
    const { env, sent } = await slowly();
    const job = start(['redeploy', '-y', '--wait', '-s', uid], { env });
    await job.tells(/deployment 1042: queued\n/);
    job.kill('SIGTERM');
    const { signal, stdout, stderr } = await job.ended;
    expect({ signal, stdout }).toEqual({ signal: 'SIGTERM', stdout: '' });
    expect(stderr).toContain(resume);
    expect(sent()).toEqual(['POST']);
  });
});
