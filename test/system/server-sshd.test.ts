import { appendFileSync, existsSync, mkdirSync, readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { stripVTControlCharacters as plain } from 'node:util';
import { describe, expect, test } from 'vitest';
import { runBuilt, runShell, start } from '../support/built.ts';
import { serverRow } from '../support/ssh.ts';
import { hasSshd, liveServers, realMachine } from '../support/sshd.ts';
import { openTerminal } from '../support/terminal.ts';

const cookbook = readFileSync(join(import.meta.dirname, '../../docs/cookbook.md'), 'utf8');

/** The real ssh against a real sshd on loopback. */
describe.skipIf(!hasSshd)('with a real sshd', () => {
  test('a command runs on the server, also behind the gateway, and its code is ours', async () => {
    const { env, left } = await realMachine();
    for (const name of ['web-1', 'db-1']) {
      const words = ['server', 'ssh', name, '--', 'cat; echo "$SSH_CONNECTION" >&2; exit 7'];
      const { code, stdout, stderr } = await runBuilt(words, { env, stdin: 'half a line' });
      expect({ code, stdout }).toEqual({ code: 7, stdout: 'half a line' });
      expect(stderr).toMatch(name === 'db-1' ? / 127\.0\.0\.4 \d+\n$/ : / 127\.0\.0\.2 \d+\n$/);
    }
    expect(left()).toEqual([]);
  });

  test('a shell has a terminal', async () => {
    const { env } = await realMachine();
    const terminal = openTerminal('stackops server ssh web-1; echo "code $?"', env);
    terminal.type('tty; stty size; exit 5\r');
    const { screen } = await terminal.ended;
    expect(plain(screen)).toMatch(/\/dev\/pts\/\d+\r+\n24 80\r+\n/);
    expect(plain(screen)).toMatch(/code 5\r+\n$/);
  });

  test('so has a command that is started from one', async () => {
    const { env } = await realMachine();
    const terminal = openTerminal('stackops server ssh web-1 -- tty; stackops server ssh web-1 -- tty | cat', env);
    expect(plain((await terminal.ended).screen)).toMatch(/\/dev\/pts\/\d+\r+\n[\s\S]*not a tty\r+\n$/);
  });

  test('a host whose key is not known is refused, as ssh does it', async () => {
    const { env, provide } = await realMachine();
    const wrapper = readFileSync(join(env['FOLDER'] ?? '', 'bin/ssh'), 'utf8');
    provide('ssh', wrapper.replace(/UserKnownHostsFile=\S+/, 'UserKnownHostsFile=/dev/null'));
    const { code, stderr } = await runBuilt(['server', 'ssh', 'web-1', '--', 'true'], { env });
    expect(code).toBe(255);
    expect(stderr).toContain('Host key verification failed.');
  });

  test('files and folders are copied there and back', async () => {
    const { env, folder } = await realMachine();
    const [there, back] = [join(folder, 'there'), join(folder, 'back')];
    for (const path of [there, back, join(folder, 'site')]) mkdirSync(path);
    writeFileSync(join(folder, 'site/a b.txt'), 'text\n');
    writeFileSync(join(folder, 'one'), Buffer.from([0, 255, 10]));
    const sent = await runBuilt(['server', 'cp', join(folder, 'site'), join(folder, 'one'), `db-1:${there}`], { env });
    expect(sent).toMatchObject({ code: 0, stderr: '' });
    expect(readFileSync(join(there, 'site/a b.txt'), 'utf8')).toBe('text\n');
    expect((await runBuilt(['server', 'cp', `web-1:${there}/one`, back], { env })).code).toBe(0);
    expect(readFileSync(join(back, 'one'))).toEqual(Buffer.from([0, 255, 10]));
    const missing = await runBuilt(['server', 'cp', `web-1:${there}/none`, back], { env });
    expect(missing.code).toBe(1);
    expect(existsSync(join(back, 'none'))).toBe(false);
  });

  test('a command runs on all servers, and each has its own end', async () => {
    const { env, left } = await realMachine();
    const script = 'set -- $SSH_CONNECTION; echo $3; echo talk >&2; printf half; [ $3 != 127.0.0.3 ] || exit 3';
    const { code, stdout, stderr } = await runBuilt(['server', 'run', '-y', '--', script], { env });
    expect(code).toBe(1);
    expect(stdout.trimEnd().split('\n').toSorted()).toEqual([
      ...['db-1 | 127.0.0.4', 'db-1 | half', 'web-1 | 127.0.0.2', 'web-1 | half', 'web-2 | 127.0.0.3', 'web-2 | half'],
    ]);
    expect(stderr.trimEnd().split('\n').toSorted()).toEqual([
      ...['db-1 | talk', 'error: 3 servers: 2 ok, 1 failed (web-2: exit 3)', 'web-1 | talk', 'web-2 | talk'],
    ]);
    expect(left()).toEqual([]);
  });

  test('disk space of all servers is a table, as the cookbook has it, with those that are not reached', async () => {
    const unreachable = serverRow('web-3', { address: '127.0.0.6' });
    const { env } = await realMachine([...liveServers, unreachable]);
    const [, recipe = ''] = /^```sh\n(stackops server run [^`]* df [^`]*)^```$/m.exec(cookbook) ?? [];
    const { stdout } = await runShell(recipe, env);
    const disk = String.raw`\S+ +\d+ +\d+ +\d+ +\d+% /\n`;
    const refused = 'not reached: connect to host 127.0.0.6 port \\d+: Connection refused\n';
    expect(stdout).toMatch(new RegExp(`^web-1\t${disk}web-2\t${disk}db-1\t${disk}web-3\t${refused}$`));
  });

  test('the other recipes of the cookbook: a log is followed, a process restarted, a file fetched and brought', async () => {
    const { env, folder } = await realMachine();
    const [log, sudo] = [join(folder, 'error.log'), join(folder, 'sudo')];
    writeFileSync(log, 'first\n');
    writeFileSync(sudo, `#!/bin/sh\necho "$@" > ${folder}/restarted\n`, { mode: 0o755 });
    mkdirSync(join(folder, 'copies'));
    const recipe = (begin: string) => {
      const line = cookbook.split('\n').find((one) => one.startsWith(begin)) ?? expect.fail(`no recipe ${begin}`);
      return line
        .replace(/shop-(web|worker)-1/, 'web-1')
        .replace('/var/log/nginx/error.log', log)
        .replace('sudo', sudo)
        .replace(':/tmp', `:${folder}/copies`);
    };
    const tail = start(recipe('stackops server run --where').split(' ').slice(1), { env });
    await tail.shows(/web-1 \| first[\s\S]*web-2 \| first|web-2 \| first[\s\S]*web-1 \| first/);
    appendFileSync(log, 'second\n');
    await tail.shows(/web-1 \| second[\s\S]*web-2 \| second|web-2 \| second[\s\S]*web-1 \| second/);
    tail.kill('SIGINT');
    expect(await tail.ended).toMatchObject({ signal: 'SIGINT' });
    expect((await runShell(recipe('stackops server ssh shop-worker-1'), env)).code).toBe(0);
    expect(readFileSync(join(folder, 'restarted'), 'utf8')).toBe('systemctl restart shop-worker\n');
    const copies = `cd ${folder}/copies; touch .env.example; ${recipe('stackops server cp shop-web-1')}; mkdir there`;
    expect((await runShell(copies, env)).code).toBe(0);
    expect(readFileSync(join(folder, 'copies/error.log'), 'utf8')).toBe('first\nsecond\n');
    const brought = recipe('stackops server cp .env.example').replace(/copies$/, 'copies/there');
    expect((await runShell(`cd ${folder}/copies; ${brought}`, env)).code).toBe(0);
    expect(existsSync(join(folder, 'copies/there/.env.example'))).toBe(true);
  });
});
