import { existsSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { stripVTControlCharacters as plain } from 'node:util';
import { describe, expect, test } from 'vitest';
import { runBuilt, runShell, start } from '../support/built.ts';
import { mark, unchanged } from '../support/phrases.ts';
import { behind, gateway, serverRow, sshMachine } from '../support/ssh.ts';
import { run } from '../support/stackops.ts';
import { ctrlC, openTerminal } from '../support/terminal.ts';

/** A machine whose ssh does this for a server, which is `$1`; the words of its command follow. */
async function fleet(names: readonly string[], script: string, more: Parameters<typeof sshMachine>[0] = {}) {
  const machine = await sshMachine({ servers: names.map((name) => serverRow(name)), ...more });
  const words = 'echo "$*" >>"$FOLDER/words"';
  const shift = `while [ "$1" != -- ]; do shift; done; shift; host=\${1#shop-}; shift`;
  machine.provide('ssh', `#!/bin/bash\n${words}\n${shift}\nset -- "$host" "$@"\n${script}\n`);
  const ranBuilt = (...given: readonly string[]) => runBuilt(['server', 'run', ...given], { env: machine.env });
  // In this process, for what is about the servers and what is told of them.
  const ran = (...given: readonly string[]) => run(['server', 'run', ...given], { env: machine.env });
  const words_ = () =>
    readFileSync(join(machine.folder, 'words'), 'utf8')
      .replaceAll(/-F \S+/g, '-F CONFIG')
      .trimEnd()
      .split('\n');
  return { ...machine, ran, ranBuilt, started: () => words_().toSorted() };
}

const three = ['web-1', 'web-2', 'db-1'];
const refused = 'echo "ssh: connect to host 192.0.2.1 port 22: Connection refused" >&2; exit 255';

describe('lines', () => {
  test('come with the name of their server, stderr to stderr, and a last half line whole', async () => {
    const { ranBuilt, started, left } = await fleet(three, 'printf "one $1\\nhalf"; printf "talk\\n" >&2');
    const { code, stdout, stderr } = await ranBuilt('-y', '--', 'uptime', '-p');
    expect(code).toBe(0);
    expect(stdout.split('\n').toSorted()).toEqual(
      ['', ...three.flatMap((name) => [`${name} | half`, `${name} | one ${name}`])].toSorted(),
    );
    expect(stderr.split('\n').toSorted()).toEqual(
      ['', '3 servers: 3 ok', ...three.map((name) => `${name} | talk`)].toSorted(),
    );
    expect(started()).toEqual(
      three.map((name) => `-o BatchMode=yes -o ControlMaster=no -F CONFIG -- shop-${name} uptime -p`).toSorted(),
    );
    expect(left()).toEqual([]);
  });

  test('come as they are written', async () => {
    const { env } = await fleet(['web-1'], 'echo ready; read x <"$FOLDER/go"; echo done');
    const running = start(['server', 'run', '--', 'x'], { env });
    await runShell('mkfifo "$FOLDER/go"', env);
    await running.shows(/^web-1 \| ready\n$/);
    await runShell('echo >"$FOLDER/go"', env);
    expect(await running.ended).toMatchObject({ code: 0, stdout: 'web-1 | ready\nweb-1 | done\n', stderr: '' });
  });

  test('of a mebibyte on each of two servers lose no byte, into a slow pipe too', async () => {
    const { env } = await fleet(['web-1', 'web-2'], 'yes 0123456789abcde | head -c 1048576');
    const { code, stdout } = await runShell(
      `stackops server run -y -- x 2>/dev/null | (sleep 0.3; cat) | sort | uniq -c | sed 's/^ *//'`,
      env,
    );
    expect({ code, stdout }).toEqual({
      code: 0,
      stdout: '65536 web-1 | 0123456789abcde\n65536 web-2 | 0123456789abcde\n',
    });
  });

  test('are raw in a pipe', async () => {
    const { env } = await fleet(['web-1'], `printf '\\377\\033[31m\\rdb-1 | x\\n'`);
    const { stdout } = await runShell('stackops server run -- x | base64', env);
    expect(Buffer.from(stdout, 'base64').toString('latin1')).toBe('web-1 | \xff\x1b[31m\rdb-1 | x\n');
  });

  test('cannot steer a terminal, or pass for those of another server', async () => {
    const { env } = await fleet(['web-1'], `printf 'a\\tb\\r\\n\\033[31mred\\rdb-1 | x\\n日\\tb\\n'`);
    const { screen } = await openTerminal('stackops server run --color always -- x', env).ended;
    expect(screen).toContain('\x1b[36mweb-1 |\x1b[39m a       b\r\n');
    expect(screen).toContain('\x1b[36mweb-1 |\x1b[39m \\x1b[31mred\\rdb-1 | x\r\n');
    expect(screen).toContain('\x1b[36mweb-1 |\x1b[39m 日      b\r\n');
    expect(plain((await openTerminal('NO_COLOR=1 stackops server run -- x', env).ended).screen)).toContain(
      'web-1 | a       b\r\n',
    );
  });

  test('that nobody reads any more end it, with 0', async () => {
    const { env } = await fleet(['web-1', 'web-2'], 'exec yes');
    const { code, stdout, stderr } = await runShell('set -o pipefail; stackops server run -y -- x | head -n 1', env);
    expect({ code, stderr }).toEqual({ code: 0, stderr: '' });
    expect(stdout).toMatch(/^web-[12] \| y\n$/);
  });
});

describe('its end', () => {
  test.each([
    ['exit 0', 0, ''],
    ['exit 3', 3, ''],
    ['exit 255', 255, ''],
    ['exit 7', 7, ''],
    ['kill -TERM $$', 143, ''],
    [
      refused,
      7,
      'web-1 | ssh: connect to host 192.0.2.1 port 22: Connection refused\nerror: 1 server: 1 not reached (web-1: connect to host 192.0.2.1 port 22: Connection refused)\n',
    ],
    [
      'echo "stdio forwarding failed" >&2; exit 255',
      7,
      'web-1 | stdio forwarding failed\nerror: 1 server: 1 not reached (web-1: stdio forwarding failed)\n',
    ],
    ['echo "no ssh: x" >&2; exit 255', 255, 'web-1 | no ssh: x\n'],
    [
      'echo "deploy@192.0.2.1: Permission denied (publickey)." >&2; exit 255',
      7,
      'web-1 | deploy@192.0.2.1: Permission denied (publickey).\nerror: 1 server: 1 not reached (web-1: deploy@192.0.2.1: Permission denied (publickey).)\n',
    ],
    [
      'echo "Host key verification failed." >&2; exit 255',
      7,
      'web-1 | Host key verification failed.\nerror: 1 server: 1 not reached (web-1: Host key verification failed.)\n',
    ],
  ])('of one server: %s is %i', async (script, code, stderr) => {
    const { ran, left } = await fleet(['web-1'], script);
    expect(await ran('--', 'x')).toMatchObject({ code, stdout: '', stderr });
    expect(left()).toEqual([]);
  });

  test.each([
    ['exit 0', 0, '3 servers: 3 ok\n'],
    ['[ $1 = web-2 ] && exit 3; exit 0', 1, 'error: 3 servers: 2 ok, 1 failed (web-2: exit 3)\n'],
    ['[ $1 = web-2 ] && kill -9 $$; exit 0', 1, 'error: 3 servers: 2 ok, 1 failed (web-2: SIGKILL)\n'],
    [
      `[ $1 != db-1 ] || { ${refused}; }; exit 0`,
      1,
      'db-1 | ssh: connect to host 192.0.2.1 port 22: Connection refused\nerror: 3 servers: 2 ok, 1 not reached (db-1: connect to host 192.0.2.1 port 22: Connection refused)\n',
    ],
    ['exit 7', 1, 'error: 3 servers: 3 failed (web-1: exit 7, web-2: exit 7, db-1: exit 7)\n'],
  ])('of several: %s is %i', async (script, code, stderr) => {
    const { ran } = await fleet(three, script);
    expect(await ran('-y', '--', 'x')).toMatchObject({ code, stdout: '', stderr });
  });

  test('where none could be reached is 7', async () => {
    const { ran } = await fleet(three, refused);
    const { code, stderr } = await ran('-y', '-q', '--', 'x');
    expect(code).toBe(7);
    expect(stderr).toMatch(/error: 3 servers: 3 not reached \(web-1: connect/);
  });

  test('is 8 where one takes longer than --timeout, also where another failed', async () => {
    const { ranBuilt, left } = await fleet(three, '[ $1 = web-1 ] && exit 3; [ $1 = web-2 ] && exec sleep 60; exit 0');
    const { code, stderr } = await ranBuilt('--timeout', '2s', '-y', '--', 'x');
    expect({ code, stderr }).toEqual({
      code: 8,
      stderr: 'error: 3 servers: 1 ok, 1 failed (web-1: exit 3), 1 timed out (web-2: after 2s)\n',
    });
    expect(left()).toEqual([]);
  });

  test('waits for nobody who holds the streams of what was killed', async () => {
    const { ranBuilt } = await fleet(
      ['web-1'],
      "trap '' TERM; sleep 300 & echo $! >$FOLDER/pid; while :; do sleep 1; done",
    );
    const { code, stderr } = await ranBuilt('--timeout', '1s', '--', 'x');
    expect({ code, stderr }).toEqual({ code: 8, stderr: 'error: 1 server: 1 timed out (web-1: after 1s)\n' });
  });

  test('without ssh is 127', async () => {
    const { ran, env, left } = await fleet(['web-1', 'web-2'], '');
    expect(await run(['server', 'run', '-y', '--', 'x'], { env: { ...env, PATH: '/nowhere' } })).toMatchObject({
      code: 127,
      stderr: 'error: cannot run "ssh": program not found\n',
    });
    expect(left()).toEqual([]);
    expect((await ran('-y', '--', 'x')).code).toBe(0);
  });
});

describe('JSON', () => {
  const row = {
    exit_code: 0,
    signal: null,
    stdout: '',
    stderr: '',
    truncated: false,
    error: null,
    duration_ms: expect.any(Number),
  };

  test('is one array, in the order of the servers, and stderr is JSON', async () => {
    const script = `case $1 in
      web-1) sleep 0.2; printf 'half'; exit 0 ;;
      web-2) printf '\\377'; echo talk >&2; exit 3 ;;
      *) ${refused} ;;
    esac`;
    const { ran } = await fleet(three, script);
    const { code, stdout, stderr } = await ran('--json', '-y', '--', 'x');
    expect(code).toBe(1);
    expect(JSON.parse(stdout)).toEqual([
      { server: 'web-1', ...row, stdout: 'half' },
      { server: 'web-2', ...row, exit_code: 3, stdout: null, stdout_base64: '/w==', stderr: 'talk\n' },
      {
        ...{ server: 'db-1', ...row, exit_code: null },
        stderr: 'ssh: connect to host 192.0.2.1 port 22: Connection refused\n',
        error: { code: 'unavailable', message: 'not reached: connect to host 192.0.2.1 port 22: Connection refused' },
      },
    ]);
    expect(JSON.parse(stderr).error).toMatchObject({ code: 'operation_failed', exit_code: 1 });
  });

  test('holds a mebibyte of each stream, and no half character', async () => {
    const { ran } = await fleet(
      ['web-1'],
      `yes 'üü' | tr -d '\\n' | head -c 1048577; head -c 1048576 /dev/zero | tr '\\0' x >&2`,
    );
    const { code, stdout } = await ran('--json', '--', 'x');
    expect(code).toBe(0);
    const [{ stdout: out, stderr: err, truncated }] = JSON.parse(stdout);
    expect([Buffer.byteLength(out), Buffer.byteLength(err), truncated]).toEqual([1_048_576, 1_048_576, true]);
    expect(new Set(out)).toEqual(new Set('ü'));
  });

  test('leaves out a character that was cut', async () => {
    const { ran } = await fleet(['web-1'], `printf x; yes '€' | tr -d '\\n' | head -c 1048578`);
    const [{ stdout, truncated }] = JSON.parse((await ran('--json', '--', 'x')).stdout);
    expect([Buffer.byteLength(stdout), truncated, stdout.at(-1)]).toEqual([1_048_576, true, '€']);
  });

  test('has the code of one server, the other forms, and no lines beside it', async () => {
    const { ran } = await fleet(['web-1'], 'echo hello; exit 4');
    expect(await ran('--jq', '.[].stdout', '--', 'x')).toMatchObject({ code: 4, stdout: 'hello\n\n', stderr: '' });
    expect(await ran('--json', '--fields', 'server,exit_code', '--', 'x')).toMatchObject({
      code: 4,
      stdout: '[{"server":"web-1","exit_code":4}]\n',
    });
    expect((await ran('--output', 'tsv', '--', 'x')).stdout).toMatch(/^web-1\t4\t/);
  });

  test.each(['--limit=1', '--sort=server'])('%s would hide where it ran: 2', async (flag) => {
    const { ran, service } = await fleet(three, '');
    for (const more of [[], ['--json']]) expect((await ran(flag, ...more, '-y', '--', 'x')).code).toBe(2);
    expect(service.seen.filter(({ path }) => path.endsWith('/servers'))).toEqual([]);
  });
});

describe('the servers', () => {
  const servers = [serverRow('web-1'), serverRow('web-2'), serverRow('db-1', { server_roles: ['db'] })];
  const hosts = (started: readonly string[]) => started.map((line) => /-- shop-(\S+)/.exec(line)?.[1]);

  test.each([
    [['-y'], ['db-1', 'web-1', 'web-2']],
    [['web-2', 'web-2'], ['web-2']],
    [
      ['uid-of-web-1', 'db-1', '-y'],
      ['db-1', 'web-1'],
    ],
    [
      ['--where', 'server_roles=web', '-y'],
      ['web-1', 'web-2'],
    ],
    [['web-1', 'db-1', '--where', 'server_roles=db'], ['db-1']],
  ])('%j are %j', async (words, names) => {
    const { ran, started } = await fleet([], '', { servers });
    expect(await ran(...words, '--', 'x')).toMatchObject({ code: 0 });
    expect(hosts(started())).toEqual(names);
  });

  test('two of one name are told apart by their UID', async () => {
    const { ran, started } = await fleet([], '', {
      servers: [serverRow('web-1'), serverRow('web-1', { uid: 'other' })],
    });
    expect((await ran('-y', '--', 'x')).code).toBe(0);
    expect(hosts(started())).toEqual(['other', 'uid-of-web-1']);
  });

  test.each([
    [['web-3'], 'error: server "web-3" not found; did you mean "web-1"?\n'],
    [['--where', 'server_roles=redis'], 'error: no server matches\n'],
  ])('%j is 3', async (words, error) => {
    const { ran } = await fleet([], '', { servers });
    const { code, stderr } = await ran(...words, '--', 'x');
    expect({ code, stderr }).toEqual({ code: 3, stderr: `${error}hint: stackops server list -s shop\n` });
  });

  test.each([
    [['--where', 'colour=red', '--', 'x'], /^error: unknown field "colour"\nhint: stackops server run --help\n/],
    [['x'], /^error: missing argument <command\.\.\.>/],
  ])('%j is 2', async (words, error) => {
    const { ran } = await fleet([], '', { servers });
    const { code, stderr } = await ran(...words);
    expect(code).toBe(2);
    expect(stderr).toMatch(error);
  });

  test('that ssh could misread are left out with a warning, and refused where they were named', async () => {
    const hostile = [...servers, serverRow('-x', { uid: 'x1' }), serverRow('web-9', { address: 'a b' })];
    const { ran, started } = await fleet([], '', { servers: hostile });
    const { code, stderr } = await ran('-y', '--', 'x');
    expect({ code, stderr }).toEqual({
      code: 0,
      stderr:
        'warning: server -x cannot be reached: its name has characters that ssh could misread\n' +
        'warning: server web-9 cannot be reached: its HostName has characters that ssh could misread\n' +
        '3 servers: 3 ok\n',
    });
    expect(started()).toHaveLength(3);
    expect((await ran('web-1', 'web-9', '-y', '--', 'x')).code).toBe(6);
    expect(started()).toHaveLength(3);
  });

  test('of a stack whose UID ssh could misread are refused', async () => {
    const stack = { uid: 'x\n  ProxyCommand touch pwned', name: '日本' };
    const { ran, left } = await fleet(['web-1'], '', { stack });
    expect(await ran('-y', '--', 'x')).toMatchObject({
      code: 6,
      stderr: 'error: server web-1 cannot be reached: its name has characters that ssh could misread\n',
    });
    expect(left()).toEqual([]);
  });

  test('behind a closed gateway count as not reached, with the help of the command that opens it', async () => {
    const closed = [serverRow('web-1'), serverRow('db-1', behind)];
    const { ran, started } = await fleet([], '', { servers: closed, gateways: [gateway] });
    const hint = 'hint: stackops gateway update --help\n';
    expect(await ran('-y', '--', 'x')).toMatchObject({
      code: 1,
      stderr: `error: 2 servers: 1 ok, 1 not reached (db-1: gateway bastion-1 is closed)\n${hint}`,
    });
    expect(await ran('db-1', '--', 'x')).toMatchObject({
      code: 6,
      stderr: `error: 1 server: 1 not reached (db-1: gateway bastion-1 is closed)\n${hint}`,
    });
    expect(hosts(started())).toEqual(['web-1']);
  });

  test('are reached eight at a time, or fewer', async () => {
    const names = Array.from({ length: 20 }, (_, at) => `web-${at}`);
    const full = 'until [ -e full ]; do [ $(count) -ge 8 ] && : >full; sleep 0.05; done';
    const count = `cd "$FOLDER"; count() { set -- run-*; echo $#; }; mkdir "run-$1"; ${full}; count; sleep 0.2; rmdir "run-$1"`;
    const { ran } = await fleet(names, count);
    const most = (text: string) => Math.max(...(text.match(/\d+$/gm) ?? []).map(Number));
    expect(most((await ran('-y', '--', 'x')).stdout)).toBe(8);
    expect(most((await ran('-y', '--at-once', '1', '--', 'x')).stdout)).toBe(1);
    expect((await ran('-y', '--at-once', '9', '--', 'x')).code).toBe(2);
  });
});

describe('before it runs', () => {
  test('several are asked about by name, and one is not', async () => {
    const { ran, env, folder } = await fleet(three, 'touch "$FOLDER/ran"');
    const terminal = openTerminal('stackops server run -- \'reboot --now\' --no-input; echo "code $?"', env, 120);
    await terminal.shows(/Run reboot --now --no-input on 3 servers \(web-1, web-2, db-1\)\? \[y\/N\] /);
    terminal.type('n\r');
    expect(plain((await terminal.ended).screen)).toMatch(/cancelled;.*\r+\ncode 1\r+\n$/);
    expect(existsSync(join(folder, 'ran'))).toBe(false);
    await ran('web-1', '--', 'x');
    expect(existsSync(join(folder, 'ran'))).toBe(true);
  });

  test('the question shows the whole command, and cuts a long one at its end', async () => {
    const { env } = await fleet(three, 'exit 1');
    const asked = async (command: string) => {
      const terminal = openTerminal(`stackops server run -- ${command}`, env, 400);
      await terminal.shows(/\[y\/N\] /);
      terminal.type('n\r');
      return /Run .* on 3 servers/.exec(plain((await terminal.ended).screen))?.[0];
    };
    expect(await asked("sudo 'rm -rf /srv/*  && reboot'")).toBe('Run sudo rm -rf /srv/* && reboot on 3 servers');
    expect(await asked('a'.repeat(300))).toBe(`Run ${'a'.repeat(199)}… on 3 servers`);
  });

  test('without a terminal that needs -y, in a line that can be pasted', async () => {
    const { ran } = await fleet(three, '');
    expect(await ran('web-1', 'web-2', '--', 'ls', '-la')).toMatchObject({
      code: 2,
      stderr: `error: "server run" needs -y (no terminal)${unchanged}\nhint: stackops server run web-1 web-2 -y -- ls -la\n`,
    });
  });

  test('a protected profile asks once, for the name of the stack', async () => {
    const { ran, env } = await fleet(three, '');
    await run(['profile', 'set', 'protected=true'], { env });
    expect((await ran('-y', '--', 'x')).code).toBe(2);
    expect((await ran('web-1', '--', 'x')).code).toBe(2);
    expect((await ran('--confirm', 'shop', '--', 'x')).code).toBe(0);
  });

  test('read-only refuses, and a dry run prints the lines', async () => {
    const { ran, service, left } = await fleet(three, 'touch "$FOLDER/ran"');
    expect(await ran('--read-only', '-y', '--', 'x')).toMatchObject({ code: 5 });
    expect(service.seen).toEqual([]);
    const line = (name: string) =>
      `ssh -o BatchMode=yes -o HostName=192.0.2.1 -o User=deploy -- shop-${name} 'df -h'\n`;
    expect(await ran('-n', '--', 'df -h')).toMatchObject({
      code: 0,
      stdout: three.map(line).join(''),
      stderr: '',
    });
    expect(left()).toEqual([]);
    expect(await ran('--sandbox', '--', 'x')).toMatchObject({
      code: 6,
      stderr: `${mark}error: the sandbox has no machines; -n prints the ssh lines\n`,
    });
  });
});

describe('the journal', () => {
  const journal = (env: Readonly<Record<string, string>>) =>
    readFileSync(join(env['XDG_STATE_HOME'] ?? '', 'stackops/journal.jsonl'), 'utf8')
      .trimEnd()
      .split('\n')
      .map((line) => JSON.parse(line));

  test('has one row with the servers and the name of the program', async () => {
    const { ran, env } = await fleet(['web-1', 'web-2'], '[ $1 = web-1 ]');
    expect((await ran('-y', '--', 'mysql', '-ps3cret')).code).toBe(1);
    expect((await ran('web-1', '--', 'PASS=s3cret run')).code).toBe(0);
    const events = journal(env);
    expect(events.map(({ event, outcome, exit_code }) => [event, outcome, exit_code])).toEqual([
      ['sent', undefined, undefined],
      ['answered', 'done', 1],
      ['ended', 'failed', 1],
      ['sent', undefined, undefined],
      ['answered', 'done', 0],
    ]);
    expect(events[0]).toMatchObject({
      command: ['server', 'run', '-y', '--', 'mysql'],
      path: 'web-1, web-2',
      method: 'SSH',
      stack_name: 'shop',
    });
    expect(events[3]).toMatchObject({ command: ['server', 'run', 'web-1', '--', '<value>'] });
    expect(JSON.stringify(events)).not.toContain('s3cret');
    const { stdout } = await run(['history', '--json', '--fields', 'command,outcome'], { env });
    expect(JSON.parse(stdout)).toEqual(
      [
        { command: 'stackops server run web-1 -- <value>', outcome: 'done' },
        { command: 'stackops server run -y -- mysql', outcome: 'failed' },
      ].map(({ command, outcome }) => ({ command: command.replace('stackops ', ''), outcome })),
    );
    expect((await run(['history', 'undo', '1', '-y'], { env })).code).toBe(6);
    expect((await run(['history', 'show', '1'], { env })).stdout).toContain('web-1, web-2');
  });

  test('that is required and cannot be written keeps it from running', async () => {
    const { env, folder } = await fleet(['web-1'], 'touch "$FOLDER/ran"');
    const unwritable = { ...env, STACKOPS_JOURNAL: 'required', XDG_STATE_HOME: '/dev/null' };
    expect((await run(['server', 'run', '--', 'x'], { env: unwritable })).code).toBe(2);
    expect(existsSync(join(folder, 'ran'))).toBe(false);
  });
});

describe('signals', () => {
  test.each(['SIGINT', 'SIGTERM', 'SIGHUP'] as const)('%s goes to all, and no more are begun', async (name) => {
    const script = `trap 'echo got it; exit 5' ${name.slice(3)}; echo ready; while :; do sleep 0.05; done`;
    const { env, started, left } = await fleet(three, script);
    const running = start(['server', 'run', '-y', '--at-once', '2', '--', 'x'], { env });
    await running.shows(/ready[\s\S]*ready/);
    running.kill(name);
    const { signal, stdout, stderr } = await running.ended;
    expect(signal).toBe(name);
    expect(stdout.match(/got it/g)).toHaveLength(2);
    expect(stderr).toBe('error: 3 servers: 2 failed (web-1: exit 5, web-2: exit 5), 1 not started (db-1)\n');
    expect(started()).toHaveLength(2);
    expect(left()).toEqual([]);
  });

  test('what ignores a signal is killed after a grace', async () => {
    const { env, left } = await fleet(['web-1'], "trap '' TERM; echo ready; while :; do sleep 0.05; done");
    const running = start(['server', 'run', '--', 'x'], { env });
    await running.shows(/ready/);
    running.kill('SIGTERM');
    expect(await running.ended).toMatchObject({
      signal: 'SIGTERM',
      stderr: 'error: 1 server: 1 failed (web-1: SIGKILL)\n',
    });
    expect(left()).toEqual([]);
  });

  test('a second Ctrl-C kills', async () => {
    const script = "trap 'echo got it' INT; echo ready; while :; do sleep 0.05; done";
    const { env, left } = await fleet(['web-1', 'web-2'], script);
    const terminal = openTerminal('stackops server run -y -- x; echo "went on"', env);
    await terminal.shows(/ready[\s\S]*ready/);
    terminal.type(ctrlC);
    await terminal.shows(/got it[\s\S]*got it/);
    terminal.type(ctrlC);
    const { code, screen } = await terminal.ended;
    expect(code).toBe(130);
    expect(plain(screen)).toContain('2 servers: 2 failed (web-1: SIGKILL, web-2: SIGKILL)');
    expect(plain(screen)).not.toContain('went on');
    expect(left()).toEqual([]);
  });

  test('kill -9 leaves a folder that the next run sweeps, and an open row', async () => {
    const { env, ran, left } = await fleet(['web-1'], '[ "$2" = fast ] || { echo $$; exec sleep 60; }');
    const running = start(['server', 'run', '--', 'x'], { env });
    const [, pid] = await running.shows(/(\d+)\n/);
    running.kill('SIGKILL');
    process.kill(Number(pid), 'SIGKILL');
    await running.ended;
    expect(left()).toHaveLength(1);
    expect((await ran('--', 'fast')).code).toBe(0);
    expect(left()).toEqual([]);
    const { stdout } = await run(['history', '--open', '--json', '--fields', 'command'], { env });
    expect(JSON.parse(stdout)).toHaveLength(1);
  });
});
