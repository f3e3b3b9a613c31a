import { execFileSync } from 'node:child_process';
import { createHash } from 'node:crypto';
import { once } from 'node:events';
import { mkdtempSync, readdirSync, readFileSync, rmSync, symlinkSync, writeFileSync } from 'node:fs';
import { createServer as createProxy } from 'node:http';
import { createServer } from 'node:https';
import { type AddressInfo, connect, type Server, type Socket } from 'node:net';
import { tmpdir } from 'node:os';
import { delimiter, join } from 'node:path';
import { afterAll, describe, expect, onTestFinished, test, vi } from 'vitest';
import { version } from '../../../package.json';
import { type Ended, type Environment, follow, ownEnvironment } from '../../support/built.ts';
import { unsent } from '../../support/phrases.ts';
import { hasProgram } from '../../support/programs.ts';
import { reply } from '../../support/service.ts';
import { temporaryFolder } from '../../support/stackops.ts';
import { certificate, key } from '../../transcripts/http/certificate.ts';

const root = join(import.meta.dirname, '../../..');
const { zipOf } = await import(new URL('../../../packaging/zip.mjs', import.meta.url).href);
const { makeStandalones, fetchBun, bunVersion, ownTarget, programName } = await import(
  new URL('../../../packaging/standalone.mjs', import.meta.url).href
);

const folder = mkdtempSync(join(tmpdir(), 'stackops-test-'));
afterAll(() => rmSync(folder, { recursive: true, force: true }));
const own = fetchBun(ownTarget, folder);

/** Makes the program of this machine as a release does, of a Bun that is fetched already; what it leaves out is returned. */
function make(into: string, fetch: () => object = () => own): readonly string[] {
  const said: string[] = [];
  const say = (line: string) => said.push(line);
  makeStandalones({ dist: join(root, 'dist'), targets: [ownTarget], folder: into, say, fetch });
  return said;
}

const [skipped] = make(folder);
const program = join(folder, programName(ownTarget));
const bytes = skipped ? Buffer.of() : readFileSync(program);

interface Options {
  readonly env?: Environment;
  /** What lies in the folder in which it is started. */
  readonly files?: Readonly<Record<string, string>>;
}

function run(words: readonly string[], { env = ownEnvironment(), files = {} }: Options = {}): Promise<Ended> {
  const here = temporaryFolder();
  for (const [name, text] of Object.entries(files)) writeFileSync(join(here, name), text);
  return follow(['sh', '-c', 'cd "$0" && exec "$@"', here, program, ...words], { env }).ended;
}

describe.skipIf(skipped)(skipped ?? 'the program without Node', () => {
  test('says what it is, and needs no Node and no file beside it', async () => {
    const stdout = `stackops ${version} (bun ${bunVersion})\n`;
    const env = ownEnvironment({ PATH: temporaryFolder() });
    const alone = async (...words: readonly string[]) => (await follow([program, ...words], { env }).ended).stdout;
    expect(await alone('--version')).toBe(stdout);
    expect(await alone('stack', 'env', 'set', '--help')).toBe(
      readFileSync(join(root, 'dist/help/stackops.stack.env.set.txt'), 'utf8'),
    );
    expect(await alone('--sandbox', 'stack', 'list', '--jq', '.[0].name')).toBe('shop\n');
    expect(await alone('--sandbox', 'variant', 'list', '-s', 'shop', '--output', 'yaml')).toContain('va-canary');
    expect(await alone('--sandbox', 'doctor')).toContain(`\nbun\tok\tBun ${bunVersion}\n`);
  });

  test('the folder of its build is not in it, and made again in another folder it is the same byte by byte', () => {
    const again = temporaryFolder();
    expect(make(again)).toEqual([]);
    expect(readFileSync(join(again, programName(ownTarget))).equals(bytes)).toBe(true);
    // As a folder is named at the build: jq's own is a constant of it.
    expect(bytes.includes('stackops-release-')).toBe(false);
  });

  test('.env of the folder it is started in is not read', async () => {
    const lines = ['STACKOPS_BASE_URL=https://elsewhere.example', 'STACKOPS_TOKEN=theirs', 'STACKOPS_STACK=theirs'];
    const files = { '.env': lines.join('\n'), '.env.local': lines.join('\n'), '.env.production': lines.join('\n') };
    const { stdout } = await run(['config', 'list'], { files, env: { HOME: temporaryFolder() } });
    expect(stdout).toContain('base_url');
    expect(stdout).not.toMatch(/theirs|elsewhere/);
  });

  test('neither bunfig.toml nor what else Bun reads of a folder is read', async () => {
    const home = temporaryFolder();
    const hook = join(home, 'hook.cjs');
    writeFileSync(hook, 'console.log("hooked");');
    const bunfig = `preload = [${JSON.stringify(hook)}]\n`;
    writeFileSync(join(home, '.bunfig.toml'), bunfig);
    const files = { 'bunfig.toml': bunfig, 'package.json': '{', 'tsconfig.json': '{', '.npmrc': 'registry=x' };
    const { code, stdout, stderr } = await run(['--version'], { files, env: { HOME: home, XDG_CONFIG_HOME: home } });
    expect({ code, stderr }).toEqual({ code: 0, stderr: '' });
    expect(stdout).not.toContain('hooked');
  });

  test('a certificate that nobody vouches for is refused, and one that is named is not', async () => {
    const server = createServer({ key, cert: certificate }, (_, response) => reply(response, noStacks));
    await listening(server);
    const authority = join(temporaryFolder(), 'ca.pem');
    writeFileSync(authority, certificate);
    const host = `localhost:${(server.address() as AddressInfo).port}`;
    const list = (more: Environment) =>
      run(['stack', 'list'], { env: ownEnvironment({ STACKOPS_BASE_URL: `https://${host}/api/3`, ...more }) });
    const { code, stderr } = await list({});
    const error = `error: the certificate of ${host} is not trusted (DEPTH_ZERO_SELF_SIGNED_CERT)${unsent}\n`;
    expect([code, stderr]).toEqual([7, expect.stringContaining(error)]);
    for (const name of ['NODE_EXTRA_CA_CERTS', 'SSL_CERT_FILE']) {
      expect(await list({ [name]: authority }), name).toMatchObject({ code: 0, stderr: 'No stacks.\n' });
    }
    // The server is on this machine, and a Bun of its own rules would ask the proxy even so.
    expect(await list({ NODE_EXTRA_CA_CERTS: authority, https_proxy: 'http://127.0.0.1:1' })).toMatchObject({
      code: 0,
    });
  });

  test('a proxy is asked for another machine, and what is behind it is verified, too', async () => {
    const server = createServer({ key, cert: certificate }, (_, response) => reply(response, noStacks));
    const proxy = createProxy();
    const asked: string[] = [];
    proxy.on('connect', (request, socket: Socket) => {
      asked.push(request.url ?? '');
      socket.write('HTTP/1.1 200 OK\r\n\r\n');
      const onward = connect((server.address() as AddressInfo).port, '127.0.0.1');
      for (const end of [socket, onward]) end.on('error', () => undefined);
      socket.pipe(onward).pipe(socket);
    });
    await Promise.all([listening(server), listening(proxy)]);
    const authority = join(temporaryFolder(), 'ca.pem');
    writeFileSync(authority, certificate);
    const env = ownEnvironment({
      STACKOPS_BASE_URL: 'https://service.example/api/3',
      https_proxy: `http://127.0.0.1:${(proxy.address() as AddressInfo).port}`,
      NODE_EXTRA_CA_CERTS: authority,
    });
    const { code, stderr } = await run(['stack', 'list'], { env });
    const error = `the certificate of the service or the proxy is for another host (ERR_TLS_CERT_ALTNAME_INVALID)${unsent}`;
    expect([code, stderr]).toEqual([7, expect.stringContaining(`error: ${error}\n`)]);
    expect(asked).toEqual(['service.example:443']);
  });
});

test.skipIf(skipped)('install.sh installs it where there is no Node', async () => {
  const [release, prefix, programs] = [temporaryFolder(), temporaryFolder(), temporaryFolder()];
  const name = programName(ownTarget);
  symlinkSync(program, join(release, name));
  const sum = createHash('sha256').update(bytes).digest('hex');
  const sums = [name, `stackops-${version}.tgz`].map((file) => `${sum}  ${file}\n`);
  writeFileSync(join(release, 'SHA256SUMS'), sums.join(''));
  const needed = [
    'chmod',
    'cp',
    'cut',
    'ln',
    'mkdir',
    'mktemp',
    'mv',
    // Of 90 MB it has the sum in a tenth of the time of sha256sum.
    'openssl',
    'readlink',
    'rm',
    'sed',
    'tr',
    'uname',
  ];
  for (const each of needed)
    symlinkSync(execFileSync('which', [each], { encoding: 'utf8' }).trim(), join(programs, each));
  const env = ownEnvironment({ PATH: programs });
  const install = join(root, 'packaging/install.sh');
  const installed = await follow(['/bin/sh', install, '--from', release, '--prefix', prefix], { env }).ended;
  expect(installed).toMatchObject({ code: 0, stderr: '' });
  const listed = await follow([join(prefix, 'bin/stackops'), '--sandbox', 'stack', 'list', '-q'], { env }).ended;
  expect(listed).toMatchObject({ code: 0, stdout: expect.stringMatching(/^[0-9a-f]{32}\n/) });
});

describe('a Bun that cannot be had', () => {
  test('is said in one line, and no program is made', () => {
    const made = temporaryFolder();
    vi.stubEnv('npm_config_cache', temporaryFolder());
    vi.stubEnv('npm_config_offline', 'true');
    const lacks =
      /^skipped stackops-\S+: no @oven\/bun-\S+ \S+ here: neither the cache nor the registry of npm has it$/;
    expect(make(made, fetchBun)).toEqual([expect.stringMatching(lacks)]);
    expect(readdirSync(made)).toEqual([]);
  });

  test('is no reason to take another one', () => {
    const programs = temporaryFolder();
    const npm =
      '#!/bin/sh\nfor folder; do :; done\ncd "$folder" && : > "$(echo "$2" | tr -d @ | tr / - | sed "s/\\(.*\\)\\([0-9]\\.[0-9]\\.[0-9]\\)/\\1-\\2/").tgz"\n';
    writeFileSync(join(programs, 'npm'), npm, { mode: 0o755 });
    vi.stubEnv('PATH', `${programs}${delimiter}${process.env['PATH']}`);
    const made = temporaryFolder();
    expect(() => make(made, fetchBun)).toThrow(/^the SHA-512 of @oven\/bun-\S+ is \S+, not \S+$/);
    expect(readdirSync(made)).toEqual([]);
  });
});

test.skipIf(!hasProgram('unzip'))('Windows gets a zip with the program in it', () => {
  const [packed, file] = [Buffer.from('MZ'.repeat(1000)), join(temporaryFolder(), 'program.zip')];
  writeFileSync(file, zipOf('stackops.exe', packed));
  expect(execFileSync('unzip', ['-Z1', file], { encoding: 'utf8' })).toBe('stackops.exe\n');
  expect(execFileSync('unzip', ['-p', file])).toEqual(packed);
});

async function listening(server: Server): Promise<void> {
  server.listen(0, '127.0.0.1');
  onTestFinished(() => void server.close());
  await once(server, 'listening');
}

const noStacks = {
  response: [],
  count: 0,
  pagination: { previous: null, next: null, current: 1, per_page: 30, count: 0, pages: 1 },
};
