import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { mkdirSync, statSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { afterEach, describe, expect, test } from 'vitest';
import { engines, version } from '../../package.json';
import { isStandalone, ownEnvironment, preloading, program, runBuilt, runShell, skipSleep } from '../support/built.ts';
import { unsent } from '../support/phrases.ts';
import { reply, type Seen, type Service, startService } from '../support/service.ts';
import { temporaryFolder } from '../support/stackops.ts';

const uid = '5f3c9a1e7b2d4c8f9e0a1b2c3d4e5f60';
const page = (rows: readonly unknown[]) => ({
  response: rows,
  count: rows.length,
  pagination: { previous: null, next: null, current: 1, per_page: 30, count: rows.length, pages: 1 },
});
const stack = { uid, name: 'Bücherei', environment: 'production', status: 1, health: 3 };

const services: Service[] = [];
afterEach(async () => {
  for (const service of services.splice(0)) await service.close();
});

/** An environment that leads to a service answering reads with these rows and writes with `done`. */
async function serve(rows: readonly unknown[], done: unknown = { response: {} }) {
  const service = await startService(({ method }, response) => reply(response, method === 'GET' ? page(rows) : done));
  services.push(service);
  return { seen: service.seen as readonly Seen[], env: ownEnvironment({ STACKOPS_BASE_URL: service.url }) };
}

describe.skipIf(isStandalone)('the Node that runs it', () => {
  const oldest = engines.node.replace('>=', '');

  test.each(['18.20.8', '20.9.9', '20.18.3'])('%s is refused', async (node) => {
    const stderr = `error: stackops needs Node ${oldest} or newer; this is v${node}\n`;
    expect(await runBuilt(['--version'], { env: runBy(node) })).toEqual({ code: 1, signal: null, stdout: '', stderr });
  });

  test.each([oldest, '20.20.0', '22.0.0', '25.0.0-nightly20251015'])('%s runs it', async (node) => {
    expect(await runBuilt(['--version'], { env: runBy(node) })).toMatchObject({ code: 0, stdout: `${version}\n` });
  });

  function runBy(node: string) {
    const hook = join(temporaryFolder(), 'version.cjs');
    const said = { version: { value: `v${node}` }, versions: { value: { node } } };
    writeFileSync(hook, `Object.defineProperties(process, ${JSON.stringify(said)});`);
    return ownEnvironment(preloading(hook));
  }
});

const versionWithBun = new RegExp(`^stackops ${version} \\(bun \\d+\\.\\d+\\.\\d+\\)\\n$`);

describe('words alone', () => {
  test('--version', async () => {
    const stdout = isStandalone ? expect.stringMatching(versionWithBun) : `${version}\n`;
    expect(await runBuilt(['--version'])).toEqual({ code: 0, signal: null, stdout, stderr: '' });
  });

  test('--help', async () => {
    const { code, stdout, stderr } = await runBuilt(['--help']);
    expect({ code, stderr }).toEqual({ code: 0, stderr: '' });
    expect(stdout).toMatch(/^Operate deployed stacks from the command line\.\n/);
    expect(stdout).not.toContain('\x1b');
  });

  test('a mistake is one JSON error', async () => {
    const { code, stdout, stderr } = await runBuilt(['stack', 'lst', '--json']);
    expect({ code, stdout }).toEqual({ code: 2, stdout: '' });
    expect(stderr.trimEnd().split('\n')).toHaveLength(1);
    expect(JSON.parse(stderr)).toMatchObject({ error: { code: 'usage', exit_code: 2 } });
  });
});

describe('what is written arrives, or the code says that it did not', () => {
  const many = Array.from({ length: 50_000 }, (_, at) => ({ ...stack, uid: at.toString(16).padStart(32, '0') }));

  test('a reader that goes away is no failure and hears nothing of it', async () => {
    const { env } = await serve(many.slice(0, 5000));
    const line = 'stackops stack list --json | head -c 1; echo " $PIPESTATUS"';
    expect(await runShell(line, env)).toEqual({ code: 0, signal: null, stdout: '[ 0\n', stderr: '' });
  });

  test('a pipe that nobody reads any more is called EOF on Windows', async () => {
    const hook = join(temporaryFolder(), 'hook.cjs');
    const gone = "Object.assign(new Error('write EOF'), { code: 'EOF' })";
    writeFileSync(
      hook,
      `require('node:fs').writeSync = () => { throw ${gone}; };\n` +
        `process.stdout.write = (text, done) => done(${gone});`,
    );
    const env = ownEnvironment(preloading(hook));
    expect(await runBuilt(['--help'], { env })).toMatchObject({ code: 0, stderr: '' });
  });

  test.each(['--version', '--help', 'stack list --sandbox'])('`%s | true`', async (words) => {
    const { stdout, stderr } = await runShell(`stackops ${words} 2>/dev/null | true; echo "$PIPESTATUS"`);
    expect({ stdout, stderr }).toEqual({ stdout: '0\n', stderr: '' });
  });

  test('megabytes reach a slow reader whole', async () => {
    const { env } = await serve(many);
    const [command = '', ...first] = program;
    const child = spawn(command, [...first, 'stack', 'list', '--json'], {
      env: { ...env },
      stdio: ['ignore', 'pipe', 'inherit'],
    });
    const ended = once(child, 'close');
    const chunks: Buffer[] = [];
    // One small bite in each turn of the event loop: the pipe is full nearly all the time.
    for await (const chunk of child.stdout) {
      for (let at = 0; at < chunk.length; at += 4096) {
        chunks.push(chunk.subarray(at, at + 4096));
        await new Promise(setImmediate);
      }
    }
    expect(await ended).toEqual([0, null]);
    const text = Buffer.concat(chunks).toString('utf8');
    expect(text.length).toBeGreaterThan(5_000_000);
    expect(JSON.parse(text)).toEqual(many);
  });

  test.each(['--version', '--help', 'stack list', 'stack list --json'])('`%s` on a full disk', async (words) => {
    const { env } = await serve([stack]);
    const { code, stderr } = await runShell(`stackops ${words} > /dev/full`, env);
    const message = 'the output could not be written (ENOSPC)';
    expect(code).toBe(1);
    if (words.includes('json')) expect(JSON.parse(stderr)).toMatchObject({ error: { code: 'internal', message } });
    else expect(stderr).toBe(`error: ${message}\n`);
  });

  test.each(['--help', 'commands --json'])('`%s` where the disk has no room for its last bytes', async (words) => {
    const whole = await runShell(`stackops ${words}`);
    const file = join(temporaryFolder(), 'out');
    // In KiB, as bash counts it.
    const room = Math.ceil(Buffer.byteLength(whole.stdout) / 1024) - 1;
    const { code, stderr } = await runShell(`ulimit -f ${room}; stackops ${words} > ${file}`);
    expect({ code, bytes: statSync(file).size }).toEqual({ code: 1, bytes: room * 1024 });
    expect(stderr).toContain('the output could not be written (EFBIG)');
  });

  test('a change whose result cannot be written is still said to be made', async () => {
    const { env } = await serve([], { response: { id: 1, key: 'K', value: 'v' } });
    const { code, stderr } = await runShell(`stackops stack env set K=v -s ${uid} > /dev/full`, env);
    expect(code).toBe(1);
    expect(stderr).toBe('error: the output could not be written (ENOSPC); the change was made\n');
    const sandbox = ownEnvironment({ STACKOPS_SANDBOX: '1', ...skipSleep });
    const queued = await runShell(`stackops redeploy -y -s shop > /dev/full`, sandbox);
    expect(queued.stderr).toContain('the change was made (id 1042)\n');
    const inTurn = await runShell(`stackops redeploy -y -s shop,blog/staging > /dev/full`, sandbox);
    expect(inTurn.stderr).toMatch(/could not be written \(ENOSPC\); the change was made \(id 1043, id 1044\)\n$/);
    const scaled = await runShell(`stackops process scale web=3 -s shop > /dev/full`, sandbox);
    expect(scaled.stderr).toContain('the change was made (action 815)\n');
  });

  test('a change that was not needed and a dry run are not reported as made', async () => {
    const { env } = await serve([{ id: 1, key: 'K', value: 'v', readonly: false }]);
    for (const words of ['K=v', 'K=w --dry-run']) {
      const { code, stderr } = await runShell(`stackops stack env set ${words} -s ${uid} > /dev/full`, env);
      expect({ code, stderr }).toEqual({ code: 1, stderr: 'error: the output could not be written (ENOSPC)\n' });
    }
  });

  test('complaints that cannot be written change no code', async () => {
    expect(await runShell('stackops stack lst 2> /dev/full')).toMatchObject({ code: 2, stdout: '' });
  });

  test.each([
    ['stdin', '<&-', stack.name],
    ['stdout', '>&-', ''],
    ['stderr', '2>&-', stack.name],
    ['all three', '<&- >&- 2>&-', ''],
  ])('%s closed from the start', async (_, closing, shown) => {
    const { env } = await serve([stack]);
    const { code, stdout, stderr } = await runShell(`stackops stack list ${closing}`, env);
    expect({ code, stderr }).toEqual({ code: 0, stderr: '' });
    expect(stdout).toContain(shown);
  });
});

describe('what is read', () => {
  test('a value on stdin arrives as it is, less one final newline', async () => {
    const value = 'a=b\n\u2028 "ü" \\ $HOME\n';
    const { env, seen } = await serve([], { response: { id: 1, key: 'K', value } });
    const ran = await runBuilt(['stack', 'env', 'set', 'K', '--stdin', '-s', uid], { env, stdin: `${value}\n` });
    expect(ran).toMatchObject({
      code: 0,
      stdout: 'K created (***)\nRunning code may see this only after the next deployment.\n',
      stderr: `undo: stackops stack env unset K -s ${uid}\n`,
    });
    expect(seen.filter(({ method }) => method !== 'GET')).toMatchObject([
      { method: 'POST', body: { key: 'K', value } },
    ]);
  });

  test('a closed stdin is no value', async () => {
    const { env, seen } = await serve([]);
    const { code, stderr } = await runShell(`stackops stack env set K --stdin -s ${uid} <&-`, env);
    expect(code).toBe(2);
    expect(stderr).toMatch(/^error: .*empty/);
    expect(seen.filter(({ method }) => method !== 'GET')).toEqual([]);
  });
});

describe('surroundings', () => {
  test('LANG=C does not touch what the service sent', async () => {
    const { env } = await serve([stack]);
    const { code, stdout } = await runBuilt(['stack', 'list', '--json'], { env: { ...env, LANG: 'C', LC_ALL: 'C' } });
    expect(code).toBe(0);
    expect(JSON.parse(stdout)).toEqual([stack]);
  });

  test('no HOME, and the token in the environment', async () => {
    const { env } = await serve([stack]);
    const { PATH = '', STACKOPS_BASE_URL = '', STACKOPS_TOKEN = '' } = env;
    const bare = { PATH, STACKOPS_BASE_URL, STACKOPS_TOKEN };
    expect(await runBuilt(['stack', 'list'], { env: bare })).toMatchObject({ code: 0, stderr: '' });
  });

  test('a broken configuration is named by place, never by content', async () => {
    const folder = temporaryFolder();
    writeFileSync(join(folder, 'config.json'), '{\n  "profiles": {\n    "work": s3cr3t\n');
    const { code, stdout, stderr } = await runBuilt(['stack', 'list'], {
      env: ownEnvironment({ STACKOPS_CONFIG_DIR: folder }),
    });
    expect({ code, stdout }).toEqual({ code: 2, stdout: '' });
    expect(stderr).toContain(join(folder, 'config.json'));
    expect(stderr).toMatch(/line 3/);
    expect(stderr).not.toContain('s3cr3t');
  });

  test('a configuration that cannot be read', async () => {
    const folder = temporaryFolder();
    mkdirSync(join(folder, 'config.json'));
    const { code, stderr } = await runBuilt(['stack', 'list'], {
      env: ownEnvironment({ STACKOPS_CONFIG_DIR: folder }),
    });
    expect(code).toBe(2);
    expect(stderr).toContain(join(folder, 'config.json'));
  });

  test('certificates that are not looked at are refused, before anything is sent', async () => {
    const { code, stdout, stderr } = await runBuilt(['stack', 'list'], {
      env: ownEnvironment({ STACKOPS_BASE_URL: 'https://stackops.invalid/api/3', NODE_TLS_REJECT_UNAUTHORIZED: '0' }),
    });
    expect({ code, stdout }).toEqual({ code: 2, stdout: '' });
    expect(stderr).toBe(
      `error: NODE_TLS_REJECT_UNAUTHORIZED=0 lets anyone read the token${unsent}\n` +
        'hint: unset NODE_TLS_REJECT_UNAUTHORIZED\n',
    );
  });
});
