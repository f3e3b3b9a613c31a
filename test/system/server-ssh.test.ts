import { chmodSync, readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { stripVTControlCharacters as plain } from 'node:util';
import { describe, expect, test } from 'vitest';
import { preloading, runBuilt, start } from '../support/built.ts';
import { mark, unsent } from '../support/phrases.ts';
import { behind, gateway, recorded, recorder, serverRow, sshMachine } from '../support/ssh.ts';
import { run } from '../support/stackops.ts';
import { ctrlC, openTerminal } from '../support/terminal.ts';

const userConfig = 'Match all\n  Include ~/.ssh/config /etc/ssh/ssh_config\n';
const direct = 'Host shop-web-1\n  HostName 192.0.2.1\n  User deploy\n';
const jumped = 'Host shop-db-1\n  HostName 10.0.0.1\n  ProxyJump jump@203.0.113.9\n  User deploy\n';
const open = { ...gateway, ttl: '2035-01-01T00:00:00Z' };
const dbBehind = serverRow('db-1', behind);

describe('ssh', () => {
  test('is started on a private configuration that ends with that of the operator, and is gone afterwards', async () => {
    const { env, folder, provide, left, service } = await sshMachine();
    provide('ssh', recorder());
    expect(await runBuilt(['server', 'ssh', 'web-1'], { env })).toMatchObject({ code: 0, stdout: '', stderr: '' });
    expect(recorded(folder)).toEqual({
      words: ['-F', 'CONFIG', '--', 'shop-web-1'],
      config: direct + userConfig,
      rights: '600\n700\n',
    });
    expect(left()).toEqual([]);
    expect(service.seen.filter(({ path }) => path.includes('gateways'))).toEqual([]);
  });

  test('jumps over an open gateway, to the private address', async () => {
    const { env, folder, provide } = await sshMachine({ servers: [dbBehind], gateways: [open] });
    provide('ssh', recorder());
    expect(await run(['server', 'ssh', 'uid-of-db-1'], { env })).toMatchObject({ code: 0, stderr: '' });
    expect(recorded(folder).config).toBe(jumped + userConfig);
  });

  test('is handed the words of a command as they are', async () => {
    const { env, folder, provide } = await sshMachine();
    provide('ssh', recorder());
    const words = ['-l', 'root', '--', 'a b', '', '$HOME;*', 'x=y', '-oProxyCommand=x'];
    expect((await run(['server', 'ssh', 'web-1', '--', ...words], { env })).code).toBe(0);
    expect(recorded(folder).words).toEqual(['-F', 'CONFIG', '--', 'shop-web-1', ...words]);
  });

  test('has our streams and says how we end, with nothing of ours beside it', async () => {
    const { env, provide } = await sshMachine();
    provide('ssh', recorder('cat; echo talk >&2; exit 17'));
    expect(await runBuilt(['server', 'ssh', 'web-1', '--json', '--', 'cat'], { env, stdin: 'half a line' })).toEqual({
      code: 17,
      signal: null,
      stdout: 'half a line',
      stderr: 'talk\n',
    });
    provide('ssh', recorder('exit 255'));
    expect(await runBuilt(['server', 'ssh', 'web-1'], { env })).toMatchObject({ code: 255, stderr: '' });
    provide('ssh', recorder('kill -KILL $$'));
    expect(await runBuilt(['server', 'ssh', 'web-1'], { env })).toMatchObject({ code: 137, stderr: '' });
  });

  test('that is not installed is 127', async () => {
    const { env, left } = await sshMachine({ env: { PATH: '/nowhere' } });
    expect(await run(['server', 'ssh', 'web-1'], { env })).toMatchObject({
      code: 127,
      stderr: 'error: cannot run "ssh": program not found\n',
    });
    expect(left()).toEqual([]);
  });

  test.each(['TERM', 'HUP', 'INT', 'USR1'] as const)('SIG%s that reaches only us is passed on', async (name) => {
    const { env, provide, left } = await sshMachine();
    provide('ssh', recorder(`trap 'echo got ${name}; exit 5' ${name}; echo ready; while :; do sleep 0.05; done`));
    const running = start(['server', 'ssh', 'web-1'], { env });
    await running.shows(/ready/);
    expect(left()).toHaveLength(1);
    running.kill(`SIG${name}`);
    expect(await running.ended).toMatchObject({ code: 5, stdout: `ready\ngot ${name}\n` });
    expect(left()).toEqual([]);
  });

  test('that ends by a signal takes us along', async () => {
    const { env, provide, left } = await sshMachine();
    provide('ssh', recorder('echo ready; exec sleep 60'));
    const running = start(['server', 'ssh', 'web-1'], { env });
    await running.shows(/ready/);
    running.kill('SIGTERM');
    expect(await running.ended).toMatchObject({ code: null, signal: 'SIGTERM', stderr: '' });
    expect(left()).toEqual([]);
  });

  test('kill -9 leaves a folder that the next run sweeps', async () => {
    const { env, provide, left } = await sshMachine();
    provide('ssh', recorder('echo ready $$; exec sleep 60'));
    const running = start(['server', 'ssh', 'web-1'], { env });
    const [, pid] = await running.shows(/ready (\d+)/);
    running.kill('SIGKILL');
    process.kill(Number(pid), 'SIGKILL');
    await running.ended;
    expect(left()).toHaveLength(1);
    provide('ssh', recorder());
    expect((await runBuilt(['server', 'ssh', 'web-1'], { env })).code).toBe(0);
    expect(left()).toEqual([]);
  });

  test('has the terminal, and Ctrl-C once', async () => {
    const { env, folder, provide } = await sshMachine();
    provide('ssh', recorder(`trap 'echo got it' INT; tty; echo ready; read line; echo "read $line"; exit 3`));
    const terminal = openTerminal('stackops server ssh web-1 -- top; echo "code $?"', env);
    await terminal.shows(/\/dev\/pts\/\d+\s+ready/);
    terminal.type(ctrlC);
    await terminal.shows(/got it/);
    terminal.type('words\r');
    const { screen } = await terminal.ended;
    expect(plain(screen)).toMatch(/code 3\r\n$/);
    expect(plain(screen).match(/got it/g)).toHaveLength(1);
    expect(recorded(folder).config).toBe(`${direct}${userConfig}  RequestTTY yes\n`);
  });

  test('that took Ctrl-C for something else says how we end, also where we are told of the key after its end', async () => {
    const { env, folder, provide } = await sshMachine();
    provide('ssh', recorder('exit 3'));
    const late = join(folder, 'late.cjs');
    const hook = `const programs = require('node:child_process');
      const { spawn } = programs;
      const tell = () => process.emit('SIGINT', 'SIGINT');
      programs.spawn = (...words) => spawn(...words).once('exit', () => setImmediate(tell));`;
    writeFileSync(late, hook);
    const ended = await runBuilt(['server', 'ssh', 'web-1'], { env: { ...env, ...preloading(late) } });
    expect(ended).toMatchObject({ code: 3, signal: null, stderr: '' });
  });
});

describe('scp', () => {
  test.each([
    [
      ['web-1:/var/log/a b', '.'],
      ['shop-web-1:/var/log/a b', '.'],
    ],
    [
      ['-x', './a:b', 'web-1:'],
      ['-x', './a:b', 'shop-web-1:'],
    ],
    [
      ['uid-of-web-1:a', 'uid-of-web-1:b', '/tmp'],
      ['shop-web-1:a', 'shop-web-1:b', '/tmp'],
    ],
  ])('%j becomes %j', async (typed, words) => {
    const { env, folder, provide, left } = await sshMachine();
    provide('scp', recorder('exit 4'));
    expect(await run(['server', 'cp', '--', ...typed], { env })).toMatchObject({
      code: 4,
      stdout: '',
      stderr: '',
    });
    expect(recorded(folder)).toEqual({
      words: ['-r', '-F', 'CONFIG', '--', ...words],
      config: direct + userConfig,
      rights: '600\n700\n',
    });
    expect(left()).toEqual([]);
  });

  test.each([
    [['a', 'b']],
    [['web-1:a']],
    [['web-1:a', 'web-1:b']],
    [['web-1:a', 'b', 'c']],
    [['web-1:a', 'db-1:b', 'c']],
    [['./web-1:a', 'c']],
  ])('%j is 2 before anything is asked', async (typed) => {
    const { env, service } = await sshMachine();
    const { code, stderr } = await run(['server', 'cp', ...typed], {
      env: { ...env, STACKOPS_STACK: 'a'.repeat(32) },
    });
    expect({ code, stderr }).toEqual({
      code: 2,
      stderr: 'error: one side must be SERVER:PATH, of one server\nhint: stackops server cp --help\n',
    });
    expect(service.seen.filter(({ path }) => path.endsWith('/servers'))).toEqual([]);
  });

  test('an unknown server is 3', async () => {
    const { env } = await sshMachine();
    expect(await run(['server', 'cp', 'web-2:a', '.'], { env })).toMatchObject({
      code: 3,
      stderr: 'error: server "web-2" not found; did you mean "web-1"?\nhint: stackops server list -s shop\n',
    });
  });
});

describe('a closed gateway', () => {
  const closedError = 'error: cannot reach db-1: gateway bastion-1 is closed\nhint: stackops gateway update --help\n';

  test.each([[['ssh', 'db-1']], [['cp', 'db-1:a', '.']]])(
    '%j is 6 with the help of the command that opens it',
    async (words) => {
      const { env, left } = await sshMachine({ servers: [dbBehind], gateways: [gateway] });
      expect(await run(['server', ...words], { env })).toMatchObject({ code: 6, stdout: '', stderr: closedError });
      expect(await run(['server', ...words, '-y'], { env })).toMatchObject({ code: 6, stderr: closedError });
      expect(left()).toEqual([]);
    },
  );

  test('that no server needs, or that cannot be read, stops nobody', async () => {
    const unneeded = await sshMachine({ gateways: [gateway] });
    unneeded.provide('ssh', recorder());
    expect(await run(['server', 'ssh', 'web-1'], unneeded)).toMatchObject({ code: 0, stderr: '' });
    const unread = await sshMachine({ servers: [dbBehind], env: { STACKOPS_ACCOUNT: '' } });
    unread.provide('ssh', recorder());
    const { code, stderr } = await run(['server', 'ssh', 'db-1'], unread);
    expect(code).toBe(0);
    expect(stderr).toMatch(/^warning: the gateways could not be read: /);
  });

  test('whose name steers a terminal is shown without that, and no line is printed that would not be it', async () => {
    const name = 'b\x1b[2J\u202e;touch x\n';
    const { env } = await sshMachine({ servers: [dbBehind], gateways: [{ ...gateway, name }] });
    const set = ['profile', 'set', 'gateway_key=/bastion.pem'];
    expect((await run(set, { env })).code).toBe(0);
    const { code, stderr } = await run(['server', 'ssh', 'db-1'], { env });
    expect(code).toBe(6);
    expect(stderr).not.toMatch(/[^ -~\n]|hint:/);
    const quoted = await sshMachine({ servers: [dbBehind], gateways: [{ ...gateway, name: '-x; touch y' }] });
    await run(set, quoted);
    expect((await run(['server', 'ssh', 'db-1'], quoted)).stderr).toMatch(
      /^hint: stackops gateway update --key-file \/bastion.pem --ttl 1h -- '-x; touch y'$/m,
    );
  });

  async function withKey() {
    const machine = await sshMachine({ servers: [dbBehind], gateways: [gateway] });
    machine.provide('ssh', recorder('echo inside'));
    const file = join(machine.env['HOME'] ?? '', 'bastion.pem');
    writeFileSync(file, 'made-up key');
    const set = ['profile', 'set', 'gateway_key=~/bastion.pem'];
    expect((await run(set, { env: machine.env })).code).toBe(0);
    return { ...machine, file, sent: () => machine.service.seen.filter(({ method }) => method === 'PUT') };
  }

  test('is opened from a terminal with the key of the profile, which says until when', async () => {
    const { env, file, sent } = await withKey();
    const terminal = openTerminal('stackops server ssh db-1 -- cat /run/secret; echo "code $?"', env, 200);
    await terminal.shows(/\[y\/N\] /);
    terminal.type('y\r');
    const { screen } = await terminal.ended;
    expect(plain(screen)).toContain(`Gateway bastion-1 is closed. Open it until `);
    expect(plain(screen)).toMatch(
      /Open it until \d\d:\d\d UTC \(1h\) \(key \S+bastion\.pem, at http:\S+, account 42\)\? \[y\/N\] y\r+\n/,
    );
    expect(plain(screen)).toMatch(/inside\r\ncode 0\r\n$/);
    expect(plain(screen)).toContain(file);
    expect(sent()).toMatchObject([{ path: '/accounts/42/gateways/5', body: { content: 'made-up key', ttl: 3600 } }]);
    const journal = readFileSync(join(env['XDG_STATE_HOME'] ?? '', 'stackops/journal.jsonl'), 'utf8');
    expect(journal).toContain('"command":["server","ssh","db-1","--","cat"]');
    expect(journal).not.toMatch(/secret|made-up/);
  });

  test('is opened only when approve_command of the profile agrees, which sees no key', async () => {
    const { env, sent, provide, folder } = await withKey();
    provide('approve', `#!/bin/sh\ncat >"${folder}/asked"; echo "not at night"; exit 1\n`);
    expect((await run(['profile', 'set', 'approve_command=approve'], { env })).code).toBe(0);
    const terminal = openTerminal('stackops server ssh db-1; echo "code $?"', env, 200);
    await terminal.shows(/\[y\/N\] /);
    terminal.type('y\r');
    const { screen } = await terminal.ended;
    expect(plain(screen)).toMatch(/error: not approved: not at night;.*\r\n(.*\r\n)?code 5\r\n$/);
    expect(sent()).toEqual([]);
    const { changes } = JSON.parse(readFileSync(join(folder, 'asked'), 'utf8'));
    expect(changes).toMatchObject([{ method: 'PUT', body: { content: '***', ttl: 3600 } }]);
  });

  test('stays closed where the answer is no, and nothing is started', async () => {
    const { env, sent } = await withKey();
    const terminal = openTerminal('stackops server ssh db-1; echo "code $?"', env, 200);
    await terminal.shows(/\[y\/N\] /);
    terminal.type('n\r');
    const { screen } = await terminal.ended;
    expect(plain(screen)).toMatch(/error: cancelled;.*\r\ncode 1\r\n$/);
    expect(sent()).toEqual([]);
  });

  test('is 6 without a terminal, also with a key, whose path the hint has', async () => {
    const { env, file, sent } = await withKey();
    expect(await run(['server', 'ssh', 'db-1', '-y'], { env })).toMatchObject({
      code: 6,
      stderr: `error: cannot reach db-1: gateway bastion-1 is closed\nhint: stackops gateway update bastion-1 --key-file ${file} --ttl 1h\n`,
    });
    expect(sent()).toEqual([]);
  });

  test('the key is sent to the address it was set for alone', async () => {
    const { env, service, sent } = await withKey();
    const other = await sshMachine({ servers: [dbBehind], gateways: [gateway] });
    const line = `stackops server ssh db-1 --base-url ${other.service.url}; echo "code $?"`;
    const { screen } = await openTerminal(line, env, 200).ended;
    const [own, theirs] = [service, other.service].map(({ url }) => new URL(url).origin);
    expect(plain(screen)).toContain(
      `error: cannot reach db-1: gateway bastion-1 is closed; gateway_key is for ${own}, not for ${theirs}`,
    );
    expect(plain(screen)).toMatch(/hint: stackops gateway update --help .*code 6\r\n$/s);
    expect([sent(), other.service.seen.filter(({ method }) => method === 'PUT')]).toEqual([[], []]);
  });

  test('a key that others could have named is sent nowhere', async () => {
    const { env, sent } = await withKey();
    chmodSync(join(env['STACKOPS_CONFIG_DIR'] ?? '', 'config.json'), 0o666);
    await run(['profile', 'list'], { env });
    const { screen } = await openTerminal('stackops server ssh db-1; echo "code $?"', env, 200).ended;
    expect(plain(screen)).toContain('gateway bastion-1 is closed; gateway_key is bound to no address');
    expect(sent()).toEqual([]);
  });

  test('the key is a whole path', async () => {
    const { env } = await sshMachine();
    expect(await run(['profile', 'set', 'gateway_key=bastion.pem'], { env })).toMatchObject({ code: 2 });
  });
});

test.each([
  ['name', { name: '-oProxyCommand=x', uid: 'plain' }],
  ['name', { name: 'a b', uid: 'plain' }],
  ['name', { name: '%h', uid: 'plain' }],
  ['name', { name: 'x\nProxyCommand y', uid: 'plain' }],
  ['HostName', { address: '-oProxyCommand=x' }],
  ['HostName', { address: '%h' }],
  ['HostName', { address: 'a\nProxyCommand y' }],
  ['HostName', { address: 'a b' }],
  ['User', { user_name: '-x' }],
  ['User', { user_name: "a'b" }],
  ['User', { user_name: '%r' }],
  ['ProxyJump', { ...behind, deploy_gateway_address: 'none', deploy_gateway_user_name: null }],
  ['ProxyJump', { ...behind, deploy_gateway_address: '203.0.113.9:22 -oX' }],
  ['ProxyJump', { ...behind, deploy_gateway_user_name: 'a,b' }],
])('a %s of the service that ssh could misread is refused: %j', async (key, more) => {
  const row = serverRow('web-1', more);
  const { env, folder, provide } = await sshMachine({ servers: [row] });
  provide('ssh', recorder());
  const { code, stderr } = await run(['server', 'ssh', row.uid], { env });
  expect(code).toBe(6);
  expect(stderr).toMatch(
    new RegExp(`^error: server .* cannot be reached: its ${key} has characters that ssh could misread\n$`),
  );
  expect(recorded(folder).words).toEqual([]);
});

test('a server without an address is refused', async () => {
  const { env } = await sshMachine({ servers: [serverRow('web-1', { address: null })] });
  expect(await run(['server', 'ssh', 'web-1'], { env })).toMatchObject({
    code: 6,
    stderr: 'error: server web-1 cannot be reached: it has no address\n',
  });
});

test('names with dots and low lines are reached, and a name that two have is not', async () => {
  const servers = [serverRow('db_1.internal'), serverRow('web-1'), serverRow('web-1', { uid: 'other' })];
  const { env, folder, provide } = await sshMachine({ servers });
  provide('ssh', recorder());
  expect((await run(['server', 'ssh', 'db_1.internal'], { env })).code).toBe(0);
  expect(recorded(folder).words.at(-1)).toBe('shop-db_1.internal');
  expect((await run(['server', 'ssh', 'web-1'], { env })).code).toBe(3);
});

test('read-only refuses before anything is asked; a dry run prints lines that can be pasted', async () => {
  const { env, service, folder, provide, left } = await sshMachine({ servers: [dbBehind], gateways: [gateway] });
  provide('ssh', recorder());
  for (const words of [
    ['ssh', 'db-1'],
    ['cp', 'db-1:a', '.'],
  ]) {
    const { code, stderr } = await run(['server', ...words, '--read-only'], { env });
    expect({ code, stderr }).toEqual({
      code: 5,
      stderr: `error: "server ${words[0]}" changes the service, and only reads are allowed (flag --read-only)${unsent}\n`,
    });
  }
  expect(service.seen).toEqual([]);
  const settings = '-o HostName=10.0.0.1 -o ProxyJump=jump@203.0.113.9 -o User=deploy';
  expect(await run(['server', 'ssh', 'db-1', '-n', '--', 'ls', '*'], { env })).toMatchObject({
    code: 0,
    stdout: `ssh ${settings} -- shop-db-1 ls '*'\n`,
    stderr: 'warning: gateway bastion-1 is closed\n',
  });
  expect(await run(['server', 'cp', 'a b', 'db-1:', '-n', '--json'], { env })).toMatchObject({
    code: 0,
    stdout: `["scp -r ${settings} -- 'a b' shop-db-1:"]\n`,
  });
  expect(recorded(folder).words).toEqual([]);
  expect(left()).toEqual([]);
});

test('a protected profile wants the name of the server', async () => {
  const { env, folder, provide } = await sshMachine();
  provide('ssh', recorder());
  await run(['profile', 'set', 'protected=true'], { env });
  expect((await run(['server', 'ssh', 'web-1', '-y'], { env })).code).toBe(2);
  expect(recorded(folder).words).toEqual([]);
  expect((await run(['server', 'ssh', 'web-1', '--confirm', 'web-1'], { env })).code).toBe(0);
});

test('the sandbox has no machines', async () => {
  const { env } = await sshMachine();
  for (const words of ['ssh shop-web-1', 'cp shop-web-1:a .', 'run -y -- true']) {
    const lines = words.startsWith('cp') ? 'scp' : 'ssh';
    const error = `error: the sandbox has no machines; -n prints the ${lines} lines\n`;
    const given = ['server', ...words.split(' ')];
    expect(await run(['--sandbox', ...given], { env })).toMatchObject({
      code: 6,
      stderr: `${mark}${error}`,
    });
    const served = { ...env, STACKOPS_TOKEN: 'sandbox_all' };
    expect(await run(given, { env: served })).toMatchObject({ code: 6, stderr: error });
  }
  expect(await run(['server', 'ssh', 'shop-web-1', '--sandbox', '-n'], { env })).toMatchObject({
    code: 0,
    stdout: 'ssh -o HostName=203.0.113.11 -o User=root -- shop-shop-web-1\n',
  });
});
