import { spawn } from 'node:child_process';
import { createHash } from 'node:crypto';
import { once } from 'node:events';
import {
  copyFileSync,
  existsSync,
  mkdirSync,
  mkdtempSync,
  readdirSync,
  readFileSync,
  rmSync,
  symlinkSync,
  writeFileSync,
} from 'node:fs';
import { createServer, type RequestListener } from 'node:http';
import { createServer as createSecureServer } from 'node:https';
import type { AddressInfo } from 'node:net';
import { tmpdir } from 'node:os';
import { delimiter, join } from 'node:path';
import { afterAll, beforeAll, beforeEach, describe, expect, onTestFinished, test } from 'vitest';
import { engines, version } from '../../../package.json';
import { type Ended, follow, type Running } from '../../support/built.ts';
import { packed, smallPackage } from '../../support/packaging.ts';
import { hasProgram } from '../../support/programs.ts';
import { temporaryFolder } from '../../support/stackops.ts';
import { certificate, key } from '../../transcripts/http/certificate.ts';

const script = join(import.meta.dirname, '../../../packaging/install.sh');
const tarball = `stackops-${version}.tgz`;
const native = `stackops-${process.platform}-${process.arch}`;
const shells = [['dash'], ['bash'], ['busybox', 'sh']].filter(([name = '']) => hasProgram(name));

/** A release in a folder. */
const release = mkdtempSync(join(tmpdir(), 'stackops-test-'));
/** What its server has: a small package, unless the test says otherwise. */
const files = new Map<string, Buffer>();
let real = Buffer.of();
let small: Buffer | undefined;
beforeAll(async () => {
  real = readFileSync((await packed()).tarball);
  writeFileSync(join(release, tarball), real);
});
afterAll(() => rmSync(release, { recursive: true, force: true }));

const sumLine = (name: string, bytes = files.get(name) ?? Buffer.of()) =>
  `${createHash('sha256').update(bytes).digest('hex')}  ${name}\n`;
const offer = (bytes: Buffer) => {
  files.clear();
  files.set(tarball, bytes);
  files.set('SHA256SUMS', Buffer.from(sumLine(tarball)));
};

let prefix = '';
beforeEach(() => {
  prefix = join(temporaryFolder(), 'pre fix & ü');
  small ??= readFileSync(smallPackage());
  offer(small);
  writeFileSync(join(release, 'SHA256SUMS'), sumLine(tarball, real));
});

const sendFile: RequestListener = ({ url }, response) => {
  const file = files.get(url?.slice('/v1/'.length) ?? '');
  response.writeHead(file ? 200 : 404).end(file);
};

/** Serves the files, or the answers of another listener. */
async function serve(answer = sendFile, scheme: 'http' | 'https' = 'http'): Promise<string> {
  const server = scheme === 'http' ? createServer(answer) : createSecureServer({ key, cert: certificate }, answer);
  server.listen(0, '127.0.0.1');
  await once(server, 'listening');
  onTestFinished(() => {
    server.close();
    server.closeAllConnections();
  });
  const host = scheme === 'http' ? '127.0.0.1' : 'localhost';
  return `${scheme}://${host}:${(server.address() as AddressInfo).port}/v1`;
}

/** The files in a folder, for what is not about a network: to start curl for each takes longer than all else. */
function folderOfFiles(): string {
  const folder = temporaryFolder();
  for (const [name, bytes] of files) writeFileSync(join(folder, name), bytes);
  return folder;
}

interface Options {
  readonly path?: string;
  readonly from?: string;
}

function start(shell: readonly string[], words: readonly string[], { path, from }: Options = {}): Running {
  const PATH = path ?? process.env['PATH'] ?? '';
  const env = { PATH, HOME: join(prefix, 'home'), ...(from !== undefined && { STACKOPS_INSTALL_URL: from }) };
  return follow([...whole(shell), script, ...words], { env });
}

const install = (shell: readonly string[], from: string, options?: Options): Promise<Ended> =>
  start(shell, ['--from', from, '--prefix', prefix], options).ended;

/** With the path of the program, for an environment in which it has none. */
const whole = ([program = '', ...words]: readonly string[]) => [absolute(program), ...words];

function absolute(program: string): string {
  const folders = (process.env['PATH'] ?? '').split(delimiter);
  return folders.map((folder) => join(folder, program)).find((file) => existsSync(file)) ?? program;
}

/** A PATH with what the script needs, but for some. */
function pathWithout(...left: readonly string[]): string {
  const folder = temporaryFolder();
  const needed = [
    'cat',
    'chmod',
    'cp',
    'curl',
    'cut',
    'grep',
    'gzip',
    'ln',
    'mkdir',
    'mktemp',
    'mv',
    'node',
    'openssl',
  ];
  const more = ['readlink', 'rm', 'sed', 'sha256sum', 'shasum', 'sort', 'tail', 'tar', 'tr', 'uname', 'wget', 'env'];
  for (const name of [...needed, ...more]) {
    if (!left.includes(name) && hasProgram(name)) symlinkSync(absolute(name), join(folder, name));
  }
  return folder;
}

const run = (...words: readonly string[]): Promise<Ended> =>
  follow([join(prefix, 'bin/stackops'), ...words], {
    env: { PATH: process.env['PATH'] ?? '', HOME: temporaryFolder() },
  }).ended;

/** Every file below the prefix. */
function left(): readonly string[] {
  if (!existsSync(prefix)) return [];
  return readdirSync(prefix, { recursive: true, withFileTypes: true, encoding: 'utf8' })
    .filter((entry) => !entry.isDirectory())
    .map((entry) => entry.name);
}

const done = `stackops ${version} installed: `;
const refused = (reason: string) => `install.sh: error: ${reason}\n`;

test('it asks for the Node of engines', () => {
  expect(readFileSync(script, 'utf8')).toContain(`\noldest_node=${engines.node.replace('>=', '')}\n`);
});

describe.each(shells.map((shell) => ({ shell, name: shell[0] })))('install.sh in $name', ({ shell }) => {
  test('installs what the sums prove, a second time, too, and takes all of it away again', async () => {
    offer(real);
    const from = await serve();
    for (const _ of ['first', 'second']) {
      const { code, stdout, stderr } = await install(shell, `${from}/`);
      expect({ code, stderr }).toEqual({ code: 0, stderr: '' });
      expect(stdout).toBe(
        `${done}${prefix}/bin/stackops\nto start it by its name: export PATH="${prefix}/bin:$PATH"\n`,
      );
      expect(await run('--version')).toMatchObject({ code: 0, stdout: `${version}\n` });
      expect(readdirSync(join(prefix, 'lib'))).toEqual(['stackops']);
    }
    for (const file of ['man/man1/stackops.1', 'man/man7/stackops-files.7', 'bash-completion/completions/stackops']) {
      expect(readFileSync(join(prefix, 'share', file), 'utf8').length, file).toBeGreaterThan(100);
    }
    const other = join(prefix, 'share/man/man1/stackops-of-somebody.1');
    writeFileSync(other, 'theirs');
    const { code, stdout } = await start(shell, ['--uninstall', '--prefix', prefix]).ended;
    expect([code, stdout]).toEqual([0, expect.stringMatching(/^stackops removed from /)]);
    expect(left()).toEqual(['stackops-of-somebody.1']);
  });

  test.each<readonly [string, () => void, (from: string) => string]>([
    [
      'a file with another sum',
      () => files.set(tarball, Buffer.concat([files.get(tarball) ?? Buffer.of(), Buffer.of(0)])),
      () => `the SHA-256 of ${tarball} is `,
    ],
    [
      'a file that is cut off',
      () => files.set(tarball, (files.get(tarball) ?? Buffer.of()).subarray(0, -100)),
      () => `the SHA-256 of ${tarball} is `,
    ],
    [
      'no sums',
      () => files.delete('SHA256SUMS'),
      (from) => `could not fetch ${from}/SHA256SUMS; nothing was installed\n`,
    ],
    [
      'sums without the file',
      () => files.set('SHA256SUMS', Buffer.from('')),
      (from) => `${from}/SHA256SUMS names no stackops-X.Y.Z.tgz\n`,
    ],
    [
      'no such file',
      () => files.delete(tarball),
      (from) => `could not fetch ${from}/${tarball}; nothing was installed\n`,
    ],
    [
      'two sums for the file',
      () => files.set('SHA256SUMS', Buffer.from(`${sumLine(tarball)}${sumLine(tarball)}`)),
      (from) => `${from} has several versions: choose one with --version\n`,
    ],
  ])('installs nothing of %s', async (_, prepare, reason) => {
    prepare();
    const from = await serve();
    const { code, stdout, stderr } = await install(shell, from);
    expect([code, stdout]).toEqual([stderr.includes('choose') ? 2 : 1, '']);
    expect(stderr).toContain(`install.sh: error: ${reason(from)}`);
    expect(left()).toEqual([]);
  });

  test('a connection that breaks installs nothing', async () => {
    const from = await serve(({ url }, response) => {
      const file = files.get(url?.slice('/v1/'.length) ?? '') ?? Buffer.of();
      if (url?.endsWith('SHA256SUMS')) return response.end(file);
      response.writeHead(200, { 'content-length': file.length });
      return response.write(file.subarray(0, -100), () => response.destroy());
    });
    const { code, stderr } = await install(shell, from);
    expect(code).toBe(1);
    expect(stderr).toContain(refused(`could not fetch ${from}/${tarball}; nothing was installed`));
    expect(left()).toEqual([]);
  });

  test.runIf(shell[0] !== 'busybox')('without a program for sums it installs nothing', async () => {
    const path = pathWithout('sha256sum', 'shasum', 'openssl');
    const { code, stderr } = await install(shell, folderOfFiles(), { path });
    expect([code, stderr]).toEqual([1, refused('needs sha256sum, shasum or openssl to verify; nothing was installed')]);
    expect(left()).toEqual([]);
  });

  test.each(['shasum', 'openssl'])('%s verifies, too', async (program) => {
    const others = ['sha256sum', 'shasum', 'openssl'].filter((name) => name !== program);
    expect(await install(shell, folderOfFiles(), { path: pathWithout(...others) })).toMatchObject({
      code: 0,
      stderr: '',
    });
  });

  test('a disk that takes no more leaves the version that was there', async () => {
    await install(shell, folderOfFiles());
    writeFileSync(join(prefix, 'lib/stackops/former'), '');
    // In blocks of 512 or 1,024 bytes: less than the tarball has.
    const limited = ['sh', '-c', 'ulimit -f 600; exec "$@"', 'sh', ...whole(shell)];
    const env = { PATH: process.env['PATH'] ?? '' };
    const { code, stderr } = await follow([...limited, script, '--from', release, '--prefix', prefix], { env }).ended;
    expect(code).toBe(1);
    expect(stderr).toContain(refused(`could not fetch ${release}/${tarball}; nothing was installed`));
    expect(existsSync(join(prefix, 'lib/stackops/former'))).toBe(true);
    expect(readdirSync(join(prefix, 'lib'))).toEqual(['stackops']);
  });

  test('where Node is missing, too old or a pre-release it installs the program that needs none', async () => {
    const path = pathWithout('node');
    const program = Buffer.from(`#!/bin/sh\necho 'stackops ${version} (bun 1.4.5)'\n`);
    files.set(native, program);
    let from = folderOfFiles();
    const reason = `needs Node ${engines.node.replace('>=', '')} or newer: ${from} has no program for this machine (${native})`;
    expect(await install(shell, from, { path })).toMatchObject({ code: 1, stderr: refused(reason) });
    expect(left()).toEqual([]);
    files.set('SHA256SUMS', Buffer.from(`${sumLine(tarball)}${sumLine(native, program)}`));
    from = folderOfFiles();
    expect(await install(shell, from, { path })).toMatchObject({ code: 0, stderr: '' });
    for (const node of ['v18.20.8', 'v20.9.9', 'v20.19.0-rc.1', 'v26.0.0-nightly20260101']) {
      writeFileSync(join(path, 'node'), `#!/bin/sh\necho ${node}\n`, { mode: 0o755 });
      expect(await install(shell, from, { path })).toMatchObject({ code: 0, stderr: '' });
    }
    expect(await run('--version')).toMatchObject({ stdout: `stackops ${version} (bun 1.4.5)\n` });
    expect(await start(shell, ['--uninstall', '--prefix', prefix]).ended).toMatchObject({ code: 0 });
    expect(left()).toEqual([]);
  });

  test('a program of another version is not installed', async () => {
    const program = Buffer.from(`#!/bin/sh\necho 'stackops 99.0.0 (bun 1.4.5)'\n`);
    files.set(native, program);
    files.set('SHA256SUMS', Buffer.from(`${sumLine(tarball)}${sumLine(native, program)}`));
    const { code, stderr } = await install(shell, folderOfFiles(), { path: pathWithout('node') });
    const reason = `${native} says that it is stackops 99.0.0 (bun 1.4.5), not ${version}; nothing was installed`;
    expect([code, stderr]).toEqual([1, refused(reason)]);
    expect(left()).toEqual([]);
  });

  test('a signal leaves nothing behind', async () => {
    let asked = () => {};
    const asking = new Promise<void>((resolve) => {
      asked = resolve;
    });
    const from = await serve(() => asked());
    const [program = '', ...words] = whole(shell);
    const child = spawn(program, [...words, script, '--from', from, '--prefix', prefix], {
      env: { PATH: process.env['PATH'] ?? '' },
      stdio: 'ignore',
      detached: true,
    });
    const ended = once(child, 'close');
    await asking;
    process.kill(-(child.pid ?? 0), 'SIGTERM');
    expect(await ended).not.toEqual([0, null]);
    expect(left()).toEqual([]);
  });
});

test('docs/install.md: every line works as written', async () => {
  const guide = readFileSync(join(import.meta.dirname, '../../../docs/install.md'), 'utf8').replaceAll(
    '0.1.0',
    version,
  );
  const lines = guide.match(/^(sh install\.sh|sha256sum) .*$/gm) ?? [];
  expect(lines).toHaveLength(4);
  const from = await serve();
  const folder = folderOfFiles();
  copyFileSync(script, join(folder, 'install.sh'));
  for (const line of lines) {
    const env = { PATH: process.env['PATH'] ?? '', HOME: join(folder, 'home'), FOLDER: folder };
    const script = `cd "$FOLDER" && ${line.replace('https://host.example/stackops', from)}`;
    expect([line, await follow(['sh', '-c', script], { env }).ended]).toMatchObject([line, { code: 0, stderr: '' }]);
  }
});

describe('install.sh', () => {
  const shell = ['sh'];

  test.each([
    ['http://host.example/v1', '--from must be an https address or a folder, not http://host.example/v1'],
    ['http://127.0.0.1:80@host.example/v1', '--from takes no name and no password'],
    ['ftp://host.example', '--from must be an https address or a folder, not ftp://host.example'],
    ['/no/such/folder', 'there is no folder /no/such/folder'],
    ['', 'name the folder of a release: --from or STACKOPS_INSTALL_URL'],
  ])('refuses to install from "%s"', async (from, reason) => {
    const { code, stderr } = await start(shell, ['--prefix', prefix], { from }).ended;
    expect([code, stderr.split('\n')[0]]).toEqual([2, `install.sh: error: ${reason}`]);
    expect(left()).toEqual([]);
  });

  test.each([
    [['--force'], 'unknown argument --force'],
    [['--prefix'], '--prefix needs a value'],
    [['--version', 'latest'], '--version must be like 1.2.3, not latest'],
  ])('refuses the words %j', async (words, reason) => {
    const { code, stderr } = await start(shell, words).ended;
    expect([code, stderr.split('\n')[0]]).toEqual([2, `install.sh: error: ${reason}`]);
  });

  test('takes a folder, a version, and ~/.local where nothing is said', async () => {
    writeFileSync(
      join(release, 'SHA256SUMS'),
      `${sumLine(tarball, real)}${sumLine(tarball, real).replace(version, '99.0.0')}`,
    );
    const several = `${release} has several versions: choose one with --version`;
    const { stderr } = await start(shell, [], { from: release }).ended;
    expect(stderr.split('\n')[0]).toBe(`install.sh: error: ${several}`);
    expect(await start(shell, ['--version', version], { from: release }).ended).toMatchObject({ code: 0, stderr: '' });
    prefix = join(prefix, 'home/.local');
    expect(await run('--version')).toMatchObject({ stdout: `${version}\n` });
  });

  test('leaves alone what it did not make', async () => {
    const from = folderOfFiles();
    mkdirSync(join(prefix, 'bin'), { recursive: true });
    writeFileSync(join(prefix, 'bin/stackops'), 'of npm');
    const program = `${prefix}/bin/stackops was not made by install.sh: remove it, or choose another --prefix`;
    expect(await install(shell, from)).toMatchObject({ code: 1, stderr: refused(program) });
    rmSync(join(prefix, 'bin'), { recursive: true });
    mkdirSync(join(prefix, 'lib/stackops'), { recursive: true });
    const folder = `${prefix}/lib/stackops was not made by install.sh: choose another --prefix`;
    expect(await install(shell, from)).toMatchObject({ code: 1, stderr: refused(folder) });
    const none = `there is no stackops of install.sh in ${prefix}`;
    expect(await start(shell, ['--uninstall', '--prefix', prefix]).ended).toMatchObject({
      code: 1,
      stderr: refused(none),
    });
    expect(existsSync(join(prefix, 'lib/stackops'))).toBe(true);
  });
});

describe.runIf(hasProgram('wget'))('install.sh with wget alone', () => {
  const installWithWget = (from: string) => {
    const home = join(prefix, 'home');
    mkdirSync(home, { recursive: true });
    const trusted = join(temporaryFolder(), 'localhost.pem');
    writeFileSync(trusted, certificate);
    writeFileSync(join(home, '.wgetrc'), `ca_certificate = ${trusted}\n`);
    return install(['sh'], from, { path: pathWithout('curl') });
  };
  /** Redirects a number of times, then sends the file. */
  const redirecting =
    (times: number): RequestListener =>
    (request, response) => {
      const [, past = '0', name = ''] = /^\/v1\/(?:(\d)\/)?(.+)$/.exec(request.url ?? '') ?? [];
      const next = Number(past) + 1;
      const location = `https://${request.headers.host}/v1/${next}/${name}`;
      if (next <= times) response.writeHead(302, { location }).end();
      else response.end(files.get(name));
    };

  test('follows five redirects to https, and no sixth', async () => {
    const from = await serve(redirecting(5), 'https');
    expect(await installWithWget(from)).toMatchObject({ code: 0, stderr: '' });
    const sixth = await serve(redirecting(6), 'https');
    const reason = `could not fetch ${sixth}/SHA256SUMS; nothing was installed`;
    expect(await installWithWget(sixth)).toMatchObject({ code: 1, stderr: refused(reason) });
  });

  test.each(['https', 'http'] as const)('follows no redirect from %s to http', async (scheme) => {
    let requests = 0;
    const plain = await serve((request, response) => {
      requests += 1;
      sendFile(request, response);
    });
    const from = await serve(({ url }, response) => {
      const location = url?.replace('/v1', plain);
      response.writeHead(302, { location }).end();
    }, scheme);
    const reason = `could not fetch ${from}/SHA256SUMS; nothing was installed`;
    expect(await installWithWget(from)).toMatchObject({ code: 1, stderr: refused(reason) });
    expect([requests, left()]).toEqual([0, ['.wgetrc']]);
  });
});
