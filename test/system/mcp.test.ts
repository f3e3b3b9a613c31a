import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { existsSync, readdirSync, readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { Client } from '@modelcontextprotocol/client';
import { StdioClientTransport } from '@modelcontextprotocol/client/stdio';
import { expect, onTestFinished, test, vi } from 'vitest';
import { type Environment, ownEnvironment, program, runBuilt, watchText } from '../support/built.ts';
import { wordsOf } from '../support/examples.ts';
import { freshState, startSandbox, type TestSandboxOptions } from '../support/sandbox.ts';
import { startService } from '../support/service.ts';

const folder = join(import.meta.dirname, 'mcp');
const [command = '', ...bin] = program;

async function connect(args: readonly string[] = [], options: TestSandboxOptions = {}, mode = 'legacy') {
  const sandbox = await startSandbox(options);
  const env = ownEnvironment(sandbox.env);
  const client = new Client(
    { name: 'test', version: '1' },
    { versionNegotiation: { mode: mode === 'legacy' ? mode : { pin: mode } } },
  );
  const transport = new StdioClientTransport({ command, args: [...bin, 'mcp', ...args], env, stderr: 'ignore' });
  await client.connect(transport);
  onTestFinished(() => client.close());
  const call = async (tool: string, input: object = {}, more: Parameters<typeof client.callTool>[1] = {}) =>
    client.callTool({ name: tool, arguments: { ...input } }, more);
  return { client, transport, sandbox, env, call };
}

/**
 * Plays a session of tool calls, each with its answer below:
 *
 *     % --allow-writes -s shop             flags of the server
 *     $ env set A=1 -s shop                a command that a person runs meanwhile
 *     read variant list -s shop            a tool and its words; `| NAME` behind them is typed as `confirm`
 *     > PUT /stacks/…                      a change that reached the service
 */
test.each(readdirSync(folder))('the session %s', async (file) => {
  const path = join(folder, file);
  const lines = readFileSync(path, 'utf8')
    .split('\n')
    .filter((line) => /^(%|\$|commands|read|plan|change)( |$)/.test(line));
  const server = await connect(wordsOf(`stackops ${lines[0]?.slice(2)}`));
  const played: string[] = [];
  for (const line of lines) played.push(line, ...(await playLine(line, server)));
  const text = `${played.join('\n')}\n`;
  if (process.env['STACKOPS_UPDATE']) writeFileSync(path, text);
  else expect(text).toBe(readFileSync(path, 'utf8'));
});

async function playLine(line: string, { sandbox, env, call }: Awaited<ReturnType<typeof connect>>) {
  if (line.startsWith('%')) return [];
  const sent = () =>
    sandbox.requests.filter(({ method }) => method !== 'GET').map(({ method, path }) => `> ${method} ${path}`);
  const before = sent().length;
  const [words = '', confirm] = line.split(' | ');
  const [tool = '', ...argv] = wordsOf(`stackops ${words}`);
  if (tool === '$') {
    expect(await runBuilt(argv, { env })).toMatchObject({ code: 0 });
    return [''];
  }
  const input = tool === 'commands' ? { words: argv } : { argv, ...(confirm !== undefined && { confirm }) };
  const { structuredContent, content, isError } = await call(tool, input);
  const shown = JSON.stringify(structuredContent ?? content).replaceAll(sandbox.url.origin, 'SERVICE');
  const answer = shown
    .replaceAll(/stackops-[0-9a-f-]{36}/g, 'REFERENCE')
    .replaceAll(/"\d{4}-\d\d-\d\dT[^"]*"/g, '"TIME"');
  return [...sent().slice(before), `${isError ? 'error ' : ''}${answer}`, ''];
}

test.each(['legacy', '2026-07-28'])('a client of %s finds four tools, the help and the skill', async (mode) => {
  const { client, call } = await connect(['--allow-writes'], {}, mode);
  const { tools } = await client.listTools();
  expect(tools.map(({ name }) => name)).toEqual(['commands', 'read', 'plan', 'change']);
  expect(JSON.stringify(tools).length).toBeLessThan(3000);
  const { resources } = await client.listResources();
  expect(resources.map(({ uri }) => uri)).toEqual([
    'stackops://help/agents',
    'stackops://help/exit-codes',
    'skill://stackops/SKILL.md',
  ]);
  for (const { uri } of resources)
    expect(await client.readResource({ uri })).toMatchObject({ contents: [{ uri, text: /./ }] });
  expect(await call('read', { argv: ['variant', 'list', '-s', 'shop'] })).toMatchObject({
    structuredContent: { exit_code: 0 },
  });
});

test('without --allow-writes there is no tool that changes', async () => {
  const { client, call } = await connect();
  expect((await client.listTools()).tools.map(({ name }) => name)).toEqual(['commands', 'read', 'plan']);
  await expect(call('change', { argv: ['redeploy', '-s', 'shop'] })).rejects.toThrow(/change/);
});

test('the instructions say whether the server works with the sandbox', async () => {
  const [{ client }, { client: practising }] = [await connect(), await connect(['--sandbox'])];
  expect(client.getInstructions()).not.toContain('sandbox');
  expect(practising.getInstructions()).toMatch(
    /^This server works with the sandbox, a practice service: nothing in it is real[.]\n/,
  );
});

test('ten calls at once are answered', async () => {
  const { call } = await connect();
  const calls = Array.from({ length: 10 }, () => call('read', { argv: ['stack', 'list', '--fields', 'name'] }));
  expect((await Promise.all(calls)).filter(({ isError }) => isError)).toEqual([]);
});

/** The built server behind raw lines. */
async function raw(args: readonly string[], options: TestSandboxOptions = {}, env: Environment = {}) {
  const sandbox = await startSandbox(options);
  const child = spawn(command, [...bin, 'mcp', ...args], { env: ownEnvironment({ ...sandbox.env, ...env }) });
  onTestFinished(() => void child.kill('SIGKILL'));
  const stdout = watchText(child.stdout);
  const send = (...messages: readonly unknown[]) =>
    messages.map((one) =>
      child.stdin.write(`${typeof one === 'string' ? one : JSON.stringify({ jsonrpc: '2.0', ...(one as object) })}\n`),
    );
  send({
    id: 0,
    method: 'initialize',
    params: { protocolVersion: '2025-11-25', capabilities: {}, clientInfo: { name: 'test', version: '1' } },
  });
  await stdout.shows(/"id":0/);
  const ended = once(child, 'close').then(([code, signal]) => ({ code, signal }));
  return { child, stdout, send, sandbox, ended };
}

const calling = (id: number, name: string, argv: readonly unknown[]) => ({
  id,
  method: 'tools/call',
  params: { name, arguments: { argv } },
});

test.each([
  ['{"jsonrpc":', /-32700/],
  ['[]', /-32600/],
  ['{"id":7,"method":3}', /-32600.*|"id":7/],
  [`"${'x'.repeat(1100 * 1024)}"`, /1024 KiB/],
  [{ id: 7, method: 'nope' }, /"id":7.*-32601|-32601.*"id":7/],
  [calling(7, 'nope', ['stack', 'list']), /nope/],
  [calling(7, 'read', [1]), /"isError":true/],
  [
    calling(
      7,
      'read',
      Array.from({ length: 41 }, () => 'x'),
    ),
    /"isError":true/,
  ],
])('line %# that is wrong gets an error, and the server goes on', async (line, error) => {
  const { stdout, send } = await raw([]);
  send(line);
  await stdout.shows(error);
  send({ id: 9, method: 'ping' });
  await stdout.shows(/"id":9/);
});

test.each(['SIGTERM', 'end of input'])(
  '%s during a call ends the server with 0, and the call within two seconds',
  async (how) => {
    const { child, send, sandbox, ended } = await raw([], { latencyMs: 30_000 });
    send(calling(1, 'read', ['stack', 'list']));
    await vi.waitUntil(() => sandbox.requests.length > 0, { timeout: 60_000 });
    const since = Date.now();
    if (how === 'SIGTERM') child.kill(how);
    else child.stdin.end();
    expect(await ended).toEqual({ code: 0, signal: null });
    expect(Date.now() - since).toBeLessThan(3000);
  },
);

test('a cancelled call ends, and what it said before was progress', async () => {
  const { client, transport, call } = await connect(['--allow-writes'], { speed: 0.01 });
  const argv = ['redeploy', '-s', 'shop'];
  await call('plan', { argv });
  const stop = new AbortController();
  const lines: unknown[] = [];
  const onprogress = ({ message }: { message?: string | undefined }) => {
    lines.push(message);
    stop.abort();
  };
  await expect(call('change', { argv }, { signal: stop.signal, onprogress })).rejects.toThrow();
  expect(lines[0]).toMatch(/^deployment 1042: /);
  const children = () => readFileSync(`/proc/${transport.pid}/task/${transport.pid}/children`, 'utf8').trim();
  if (existsSync('/proc/self/task')) await vi.waitUntil(() => children() === '', { timeout: 60_000 });
  expect((await client.listTools()).tools).toHaveLength(4);
});

test('an answer that is too long has no data, and says how to shorten it', async () => {
  const state = freshState();
  const [variable] = state.stacks[0]?.variables ?? [];
  for (let id = 9000; id < 9300; id += 1) {
    state.stacks[0]?.variables.push({
      ...(variable as NonNullable<typeof variable>),
      id,
      key: `K${id}`,
      value: 'x'.repeat(1000),
    });
  }
  const { call } = await connect([], { state });
  expect((await call('read', { argv: ['env', 'list', '-s', 'shop'] })).structuredContent).toEqual({
    exit_code: 0,
    truncated: true,
    notes: [expect.stringMatching(/--fields.*--where.*--limit/)],
  });
});

test('controls of a service stay escapes, large numbers keep their digits, and logins in addresses are masked', async () => {
  const row = String.raw`"name":"a\u202eb\u001b[2J","git":"https://***@git.example/a@b","size":9007199254740993`;
  const service = await startService((_, response) =>
    response
      .writeHead(200, { 'content-type': 'application/json' })
      .end(`{"response":[{"uid":"5f3c",${row.replace('***', String.raw`deploy:pass\"word`)}}],"count":1}`),
  );
  const { stdout, send } = await raw([], {}, { STACKOPS_BASE_URL: service.url });
  send(calling(1, 'read', ['stack', 'list']));
  const [line] = await stdout.shows(/^.*"id":1.*$/m);
  expect(line).toContain(row);
});

/** Time of the processor in ticks, and memory in KiB: neither depends on what else runs. */
function usedBy(pid: number | undefined) {
  const [user = 0, system = 0] = readFileSync(`/proc/${pid}/stat`, 'utf8')
    .replace(/^.*\) /, '')
    .split(' ')
    .slice(11, 13)
    .map(Number);
  const [, memory] = /VmRSS:\s+(\d+)/.exec(readFileSync(`/proc/${pid}/status`, 'utf8')) ?? [];
  return { ticks: user + system, memory: Number(memory ?? 0) };
}

test.runIf(existsSync('/proc/self/stat'))('the server idles below 90 MB', async () => {
  const { child: server } = await raw([]);
  const { ticks, memory } = usedBy(server.pid);
  expect(memory).toBeLessThan(90 * 1024);
  await new Promise((resolve) => setTimeout(resolve, 500));
  expect(usedBy(server.pid).ticks - ticks).toBeLessThan(5);
});
