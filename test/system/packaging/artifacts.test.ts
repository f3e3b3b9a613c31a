import { execFileSync } from 'node:child_process';
import { createHash } from 'node:crypto';
import {
  cpSync,
  existsSync,
  mkdirSync,
  mkdtempSync,
  readdirSync,
  readFileSync,
  rmSync,
  symlinkSync,
  writeFileSync,
} from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, beforeAll, describe, expect, test, vi } from 'vitest';
import { parse } from 'yaml';
import { engines, version } from '../../../package.json';
import { ownEnvironment } from '../../support/built.ts';
import { artifactsMaker, type Installed, packed } from '../../support/packaging.ts';
import { hasProgram } from '../../support/programs.ts';
import { temporaryFolder } from '../../support/stackops.ts';

const downloads = `https://github.com/harbour/stackops/releases/download/v${version}`;
const tarballName = `stackops-${version}.tgz`;
const folder = mkdtempSync(join(tmpdir(), 'stackops-test-'));
const said: string[] = [];
let tool: Installed;
let makeArtifacts: Awaited<ReturnType<typeof artifactsMaker>>;

beforeAll(async () => {
  makeArtifacts = await artifactsMaker();
  tool = await packed();
  packOnePageOfEachKind();
  // As if it had been built: winget knows no other kind of program.
  writeFileSync(join(folder, 'stackops-windows-x64.zip'), 'zip');
  makeFrom(folder, (line) => said.push(line));
});
afterAll(() => rmSync(folder, { recursive: true, force: true }));

/** All of the npm package but pages that are packed as others are, because lintian and rpmbuild look long at each file. */
function packOnePageOfEachKind(): void {
  const unpacked = join(folder, 'unpacked');
  mkdirSync(unpacked);
  const left = ['man/stackops-[!f]*', 'dist/help/stackops.*.txt'];
  output('tar', '-xzf', tool.tarball, '-C', unpacked, ...left.map((files) => `--exclude=package/${files}`));
  output('tar', '-czf', path(tarballName), '-C', unpacked, 'package');
  rmSync(unpacked, { recursive: true });
}

function makeFrom(target: string, say: (line: string) => void = () => {}, web?: string): void {
  const tarball = join(target, tarballName);
  // How well a package is compressed is not what is tested.
  vi.stubEnv('DPKG_DEB_COMPRESSOR_LEVEL', '0');
  makeArtifacts({
    tarball,
    version,
    epoch: '1767225600',
    web: web ?? 'https://github.com/harbour/stackops',
    folder: target,
    say,
    // test/system/packaging/standalone.test.ts makes them.
    targets: [],
  });
}

const path = (name: string) => join(folder, name);
const read = (name: string) => readFileSync(path(name), 'utf8');
const sum = (name: string) =>
  createHash('sha256')
    .update(readFileSync(path(name)))
    .digest('hex');
const output = (program: string, ...words: string[]) => execFileSync(program, words, { encoding: 'utf8' });

/** Runs an unpacked program as a user has it. */
function runUnpacked(program: string, ...words: string[]): string {
  return execFileSync(program, words, { env: ownEnvironment(), encoding: 'utf8' });
}

test('every file is said, and SHA256SUMS names and proves each', () => {
  const names = readdirSync(folder).toSorted();
  expect(said.filter((line) => line.startsWith('release/'))).toEqual(names.map((name) => `release/${name}`));
  const others = names.filter((name) => name !== 'SHA256SUMS');
  expect(read('SHA256SUMS')).toBe(others.map((name) => `${sum(name)}  ${name}\n`).join(''));
  expect(others).toEqual(expect.arrayContaining([tarballName, 'install.sh', 'install.ps1', 'stackops.cdx.json']));
});

// Windows PowerShell 5.1 follows a redirect from https to http by itself.
test('install.ps1 leaves no redirect to PowerShell', () => {
  const script = readFileSync('packaging/install.ps1', 'utf8');
  expect(script).not.toMatch(/Invoke-WebRequest|Invoke-RestMethod|WebClient|Start-BitsTransfer/);
  expect(script.match(/HttpWebRequest|AllowAutoRedirect = \$false/g)).toEqual([
    'HttpWebRequest',
    'AllowAutoRedirect = $false',
  ]);
});

test('made again in another place, with other rights, it is the same byte by byte', () => {
  const again = temporaryFolder();
  for (const name of [tarballName, 'stackops-windows-x64.zip']) cpSync(path(name), join(again, name));
  const umask = process.umask(0o077);
  try {
    vi.stubEnv('TZ', 'Pacific/Auckland');
    makeFrom(again);
  } finally {
    process.umask(umask);
  }
  expect(readFileSync(join(again, 'SHA256SUMS'), 'utf8')).toBe(read('SHA256SUMS'));
});

test('without dpkg-deb and rpmbuild it says what it leaves out', () => {
  const [again, programs] = [temporaryFolder(), temporaryFolder()];
  cpSync(path(tarballName), join(again, tarballName));
  for (const name of ['tar', 'gzip']) symlinkSync(output('which', name).trim(), join(programs, name));
  vi.stubEnv('PATH', programs);
  const lines: string[] = [];
  makeFrom(again, (line) => lines.push(line));
  expect(lines.filter((line) => line.startsWith('skipped'))).toEqual([
    `skipped stackops_${version}_all.deb: no dpkg-deb here`,
    `skipped stackops-${version}.noarch.rpm: no rpmbuild here`,
    'skipped winget: no stackops-windows-x64.zip here',
  ]);
  expect(existsSync(join(again, 'SHA256SUMS'))).toBe(true);
});

test('the npm package is installed without network, and runs', () => {
  expect(runUnpacked(join(tool.prefix, 'bin/stackops'), '--version')).toBe(`${version}\n`);
});

describe.skipIf(!hasProgram('dpkg-deb'))('the .deb', () => {
  const deb = path(`stackops_${version}_all.deb`);

  test('needs the Node of engines, belongs to root and can be read by all', () => {
    expect(output('dpkg-deb', '--field', deb, 'Depends')).toBe(`nodejs (${engines.node.replace('>=', '>= ')})\n`);
    expect(output('dpkg-deb', '--field', deb, 'Version')).toBe(`${version}\n`);
    const lines = output('dpkg-deb', '--contents', deb).trimEnd().split('\n');
    expect(lines.filter((line) => !/^(drwxr-xr-x|-rw-r--r--|lrwxrwxrwx) root\/root /.test(line))).toEqual([
      expect.stringMatching(/^-rwxr-xr-x root\/root .* \.\/usr\/lib\/stackops\/bin\/stackops\.js$/),
    ]);
    // None of them later than the commit.
    expect(lines.filter((line) => !line.includes(' 2026-01-01 '))).toEqual([]);
  });

  test('has program, man pages and completion where Debian looks for them, and runs', () => {
    const root = temporaryFolder();
    output('dpkg-deb', '--extract', deb, root);
    expect(runUnpacked(join(root, 'usr/bin/stackops'), '--version')).toBe(`${version}\n`);
    expect(runUnpacked(join(root, 'usr/bin/stackops'), '--sandbox', 'stack', 'list', '-q')).toMatch(/^[0-9a-f]{32}\n/);
    expect(output('gzip', '--decompress', '--stdout', join(root, 'usr/share/man/man1/stackops.1.gz'))).toBe(
      readFileSync(join(import.meta.dirname, '../../../man/stackops.1'), 'utf8'),
    );
    for (const file of [
      'bash-completion/completions/stackops',
      'zsh/vendor-completions/_stackops',
      'fish/vendor_completions.d/stackops.fish',
      'man/man7/stackops-files.7.gz',
      'doc/stackops/copyright',
    ]) {
      expect(existsSync(join(root, 'usr/share', file)), file).toBe(true);
    }
  });

  test.skipIf(!hasProgram('lintian'))('lintian finds no error', () => {
    output('lintian', '--allow-root', '--fail-on', 'error', deb);
  });
});

test.skipIf(!hasProgram('rpmbuild') || !hasProgram('rpm'))('the .rpm has the same program', () => {
  const files = output('rpm', '-qlp', path(`stackops-${version}.noarch.rpm`)).split('\n');
  expect(files).toEqual(
    expect.arrayContaining([
      '/usr/bin/stackops',
      '/usr/lib/stackops/dist/cli.cjs',
      '/usr/share/man/man1/stackops.1.gz',
      '/usr/share/zsh/site-functions/_stackops',
    ]),
  );
  expect(output('rpm', '-qp', '--requires', path(`stackops-${version}.noarch.rpm`))).toContain(
    `nodejs ${engines.node.replace('>=', '>= ')}\n`,
  );
});

describe('manifests of package managers', () => {
  test('Homebrew: address and sum', () => {
    expect(read('stackops.rb')).toContain(`  url "${downloads}/${tarballName}"\n  sha256 "${sum(tarballName)}"\n`);
  });

  test.skipIf(!hasProgram('ruby'))('Homebrew: Ruby reads it', () => {
    expect(output('ruby', '-c', path('stackops.rb'))).toBe('Syntax OK\n');
  });

  test('Scoop', () => {
    expect(JSON.parse(read('stackops.json'))).toMatchObject({
      version,
      url: `${downloads}/${tarballName}`,
      hash: sum(tarballName),
    });
  });

  test('winget', () => {
    const texts = ['stackops.yaml', 'stackops.installer.yaml', 'stackops.locale.en-US.yaml'];
    const manifests = texts.map((name) => parse(read(`harbour.${name}`)));
    expect(manifests.map(({ ManifestType }) => ManifestType)).toEqual(['version', 'installer', 'defaultLocale']);
    for (const manifest of manifests) {
      expect(manifest).toMatchObject({ PackageIdentifier: 'harbour.stackops', PackageVersion: version });
    }
    expect(manifests[1].Installers).toEqual([
      {
        Architecture: 'x64',
        InstallerUrl: `${downloads}/stackops-windows-x64.zip`,
        InstallerSha256: sum('stackops-windows-x64.zip'),
      },
    ]);
  });
});

test('the bill of materials names what the licences name', () => {
  const bill = JSON.parse(read('stackops.cdx.json'));
  expect(bill).toMatchObject({ bomFormat: 'CycloneDX', specVersion: '1.5', metadata: { component: { version } } });
  const components: readonly {
    name: string;
    version: string;
    purl: string;
    licenses: [{ license: { id: string } }];
  }[] = bill.components;
  const text = readFileSync(join(import.meta.dirname, '../../../dist/third-party-licences.txt'), 'utf8');
  const licences = text.split(/\n-{80}\n\n/).map((part) => part.split(/[,\n]/, 1)[0]);
  expect(components.map((one) => `${one.name} ${one.version}`)).toEqual(licences);
  expect(new Set(components.map(({ purl }) => purl)).size).toBe(components.length);
  expect(
    components.filter(({ licenses: [{ license }] }) => !/^(MIT|ISC|BSD-[23]-Clause|Apache-2\.0)$/.test(license.id)),
  ).toEqual([]);
});

test.each([
  ['https://user:secret@git.example/a/b.git', 'https://git.example/a/b'],
  ['git@git.example:a/b.git', 'https://git.example/a/b'],
  ['ssh://git@git.example:2222/a/b', 'https://git.example/a/b'],
  ['https://git.example/a/b/', 'https://git.example/a/b'],
  ['/srv/git/b.git', undefined],
  ['../b', undefined],
  ['file:///srv/git/b.git', undefined],
  ['', undefined],
])('the remote %j is %s on the web', async (remote, web) => {
  const { webAddress } = await import(new URL('../../../packaging/checkout.mjs', import.meta.url).href);
  expect(webAddress(remote)).toBe(web);
});
