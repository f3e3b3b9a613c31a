import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { expect, test } from 'vitest';
import { sandboxCommands } from '../../../src/commands/sandbox/index.ts';
import type { Context } from '../../../src/contract/command.ts';
import type { CommandHost } from '../../../src/contract/host.ts';
import { runsOf } from '../../support/does.ts';
import { transcriptFile } from '../../support/transcript.ts';
import { freshFolder } from '../files/folder.ts';

interface SandboxRun {
  readonly folder: string;
  readonly notes: readonly string[];
  readonly exitCodes: readonly number[];
  /** The first text on stdout. */
  readonly printed: Promise<string>;
  stop(signal: 'SIGINT' | 'SIGTERM'): void;
  run(words: string, input?: Readonly<Record<string, unknown>>): Promise<unknown>;
}

function runner(print?: CommandHost['print']): SandboxRun {
  const folder = freshFolder();
  const stopping = new AbortController();
  const { promise: printed, resolve } = withResolvers<string>();
  const exitCodes: number[] = [];
  const notes: string[] = [];
  const host = {
    programs: {
      env: { PATH: process.env['PATH'], STACKOPS_SANDBOX: '1' },
      platform: process.platform,
      sharesTerminal: false,
      withSignalHandler: async (take: (signal: NodeJS.Signals) => void, work: () => Promise<unknown>) => {
        stopping.signal.addEventListener('abort', () => take(stopping.signal.reason), { once: true });
        return work();
      },
      setExitCode: (code: number) => exitCodes.push(code),
    },
    folders: () => ({ config: folder, state: folder, cache: folder }),
    signal: stopping.signal,
    print: print ?? (async (text: string) => resolve(text)),
  };
  const now = () => new Date('2027-05-04T12:00:00Z');
  const context = { note: (line: string) => notes.push(line), now, host } as unknown as Context;
  return {
    folder,
    notes,
    exitCodes,
    printed,
    stop: (signal) => stopping.abort(signal),
    run: async (words, input = {}) => runsOf(sandboxCommands[words]).run(context, input),
  };
}

function withResolvers<T>() {
  let resolve: (value: T) => void = () => {};
  const promise = new Promise<T>((settle) => {
    resolve = settle;
  });
  return { promise, resolve };
}

function node(code: string): readonly string[] {
  return [process.execPath, '-e', code];
}

test('start prints the variables, serves until it is stopped and then is gone', async () => {
  const { run, printed, notes, stop } = runner();
  const serving = run('sandbox start', { fail: ['GET /accounts=503'], latency: 1 });
  const text = await printed;
  const base = /^export STACKOPS_BASE_URL=(\S+)$/m.exec(text)?.[1] ?? '';
  const { origin } = new URL(base);
  const [, token = ''] = /^export STACKOPS_TOKEN=(sandbox_[\w-]{32})$/m.exec(text) ?? [];
  const [, secret = ''] = /^export STACKOPS_CLIENT_SECRET=([\w-]{32})$/m.exec(text) ?? [];
  expect(text).toBe(
    [
      `export STACKOPS_BASE_URL=${origin}/api/3`,
      `export STACKOPS_AUTH_URL=${origin}`,
      `export STACKOPS_TOKEN=${token}`,
      'export STACKOPS_CLIENT_ID=sandbox-client',
      `export STACKOPS_CLIENT_SECRET=${secret}`,
      '',
    ].join('\n'),
  );
  const headers = { authorization: `Bearer ${token}` };
  expect((await fetch(`${base}/stacks`, { headers })).status).toBe(200);
  expect((await fetch(`${base}/accounts`, { headers })).status).toBe(503);
  stop('SIGTERM');
  await serving;
  expect(notes).toEqual([`sandbox: serving ${origin} until Ctrl-C; nothing here is real`]);
  await expect(fetch(base)).rejects.toThrow();
});

test('start ends its application, too, when nobody reads what it prints', async () => {
  const { run, notes } = runner(() => Promise.reject(new Error('closed')));
  await expect(run('sandbox start', { health: 0 })).rejects.toThrow('closed');
  const url = notes.join().split(' ').at(-1) ?? '';
  await expect(fetch(url)).rejects.toThrow('fetch failed');
});

test.each([[{ fail: ['x'] }, '--fail must be METHOD /PATH=STATUS (400 to 599, reset or throttled), not "x"']])(
  'start refuses %j before it serves',
  async (input, message) => {
    await expect(runner().run('sandbox start', input)).rejects.toMatchObject({ kind: 'usage', message });
  },
);

test('reset leaves a fresh state', async () => {
  const { run, folder } = runner();
  await run('sandbox reset');
  const state = JSON.parse(readFileSync(join(folder, 'sandbox.json'), 'utf8'));
  expect(state).toMatchObject({ format: 4, next: { action: 812 } });
  expect(state.stacks[0].row.last_activity).toBe('2027-04-14T09:34:10Z');
});

test('reset ends the history of the sandbox', transcriptFile);

test('reset and run begin with a scenario', async () => {
  const { run, folder, exitCodes } = runner();
  await run('sandbox reset', { scenario: 'incident' });
  const state = JSON.parse(readFileSync(join(folder, 'sandbox.json'), 'utf8'));
  expect(state.next).toMatchObject({ deployment: 1044 });
  const code = `
    const { STACKOPS_BASE_URL: base, STACKOPS_TOKEN: token } = process.env;
    const path = '/stacks/5f3c9a1e7b2d4c8f9e0a1b2c3d4e5f60/deployments/1043';
    fetch(base + path, { headers: { authorization: 'Bearer ' + token } }).then((answer) => {
      process.exitCode = answer.status === 200 ? 17 : 1;
    });
  `;
  await run('sandbox run', { command: node(code), scenario: 'incident' });
  expect(exitCodes).toEqual([17]);
});

test('run leads the program to a sandbox of its own and passes its exit code on', async () => {
  const { run, exitCodes } = runner();
  const code = `
    const { STACKOPS_BASE_URL: base, STACKOPS_TOKEN: token, STACKOPS_SANDBOX: local, STACKOPS_PROFILE: profile } = process.env;
    fetch(base + '/stacks', { headers: { authorization: 'Bearer ' + token } }).then((answer) => {
      process.exitCode = answer.status === 200 && local === undefined && profile === 'sandbox' ? 17 : 1;
    });
  `;
  await run('sandbox run', { command: node(code) });
  expect(exitCodes).toEqual([17]);
});

test('run takes how the sandbox behaves', async () => {
  const { run, exitCodes } = runner();
  const code = `
    const { STACKOPS_BASE_URL: base, STACKOPS_TOKEN: token } = process.env;
    const ask = (path) => fetch(base + path, { headers: { authorization: 'Bearer ' + token } });
    Promise.all(['/stacks/5f3c9a1e7b2d4c8f9e0a1b2c3d4e5f60/application_variants', '/users', '/stacks.json'].map(ask)).then(async (answers) => {
      const { response } = await answers[0].json();
      process.exitCode = 'type' in response[0] && answers.map(({ status }) => status).join() === '200,403,404' ? 0 : 1;
    });
  `;
  await run('sandbox run', { command: node(code), scope: ['redeploy'], replies: 'actions', strict: true });
  expect(exitCodes).toEqual([0]);
});

test('run passes the words on without a shell', async () => {
  const { run, exitCodes } = runner();
  await run('sandbox run', {
    command: [...node("process.exitCode = process.argv[1] === '$HOME; exit 3' ? 0 : 1"), '$HOME; exit 3'],
  });
  expect(exitCodes).toEqual([0]);
});

test('run hands a signal to the program and waits for its end', async () => {
  const { run, exitCodes, stop, folder } = runner();
  const ready = join(folder, 'ready');
  const code = `
    process.on('SIGTERM', () => process.exit(5));
    setInterval(() => {}, 1000);
    require('node:fs').writeFileSync(${JSON.stringify(ready)}, '');
  `;
  const running = run('sandbox run', { command: node(code) });
  await expect.poll(() => readFileSync(ready, 'utf8'), { timeout: 300_000 }).toBe('');
  stop('SIGTERM');
  await running;
  expect(exitCodes).toEqual([5]);
});

test('run tells a program that is not there', async () => {
  await expect(runner().run('sandbox run', { command: ['/nowhere/program'] })).rejects.toMatchObject({
    kind: 'usage',
    message: 'cannot run "/nowhere/program": program not found',
    details: { exitCode: 127 },
  });
});
