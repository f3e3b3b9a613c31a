import { execFileSync, spawnSync } from 'node:child_process';
import { chmodSync, cpSync, existsSync, mkdirSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { delimiter, dirname, join } from 'node:path';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { hasProgram } from '../support/programs.ts';
import { temporaryFolder } from '../support/stackops.ts';

const root = join(import.meta.dirname, '../..');
const changelog = '# Changelog\n\n## [Unreleased]\n\n### Added\n\n- A word.\n\n## [0.1.0] - 2026-11-21\n\n- All.\n';

/** A package with the same scripts, each a line long. */
const files: Readonly<Record<string, string>> = {
  'CHANGELOG.md': changelog,
  '.gitignore': '*.tgz\nnode_modules\nrelease\n',
  'man/stackops.1': 'November 21, 2026\n',
  'completions/stackops.bash': '# bash\n',
  'completions/_stackops': '# zsh\n',
  'completions/stackops.fish': '# fish\n',
  LICENSE: 'MIT License\n',
  'build.js': [
    "const { mkdirSync, writeFileSync } = require('node:fs');",
    "mkdirSync('dist');",
    "writeFileSync('dist/stackops.cdx.json', '{}');",
    '',
  ].join('\n'),
  'bin/stackops.js': [
    '#!/usr/bin/env node',
    "const asked = process.argv.slice(2).join(' ');",
    "if (asked === '--version') console.log(require('../package.json').version);",
    "if (asked.includes('--sandbox')) console.warn('sandbox: nothing here is real');",
    "if (asked === 'stack list --sandbox') console.log('shop');",
    '',
  ].join('\n'),
  'docs.js': [
    "const { readFileSync, writeFileSync } = require('node:fs');",
    "const [day] = /\\d{4}-\\d\\d-\\d\\d/.exec(readFileSync('CHANGELOG.md', 'utf8'));",
    "writeFileSync('man/stackops.1', day + '\\n');",
    '',
  ].join('\n'),
  'package.json': JSON.stringify({
    name: 'stackops',
    version: '0.1.0',
    bin: { stackops: 'bin/stackops.js' },
    engines: { node: '>=20.19.0' },
    scripts: { build: 'node build.js', check: 'true', docs: 'node docs.js' },
  }),
  'package-lock.json': JSON.stringify({
    name: 'stackops',
    version: '0.1.0',
    lockfileVersion: 3,
    packages: { '': { name: 'stackops', version: '0.1.0' } },
  }),
};

/** An npm that runs scripts as npm does, in a tenth of the time, and fetches no Bun. */
const npmThat = (others: string) => String.raw`#!/bin/sh
set -e
for last; do :; done
case "$*" in
  'run '*|*' run '*) exec sh -c "$(sed -nE 's/.*"'"$last"'": ?"([^"]*)".*/\1/p' package.json)" ;;
  'pack @'*) exit 1 ;;
  ${others}
esac
`;
const real = '*) PATH=$REAL_PATH exec npm "$@" ;;';
const usualNpm = npmThat(real);
/** There is nothing to install. */
const packingNpm = npmThat(`*' ci '*) ;;\n  ${real}`);
/** Does what the release asks of npm, as far as it is seen: for tests of what comes after it. */
const quickNpm = npmThat(String.raw`*' pack '*)
    tar -czf "$last/stackops-$(sed -nE 's/.*"version": "(.*)",/\1/p' package.json).tgz" --transform 's,^[.],package,' . ;;
  *' install '*)
    tar -xzf "$last" -C "$6"
    mkdir "$6/bin"
    ln -s ../package/bin/stackops.js "$6/bin/stackops"
    chmod +x "$6/bin/stackops" ;;`);

interface Clone {
  readonly git: (...words: string[]) => string;
  readonly path: (file: string) => string;
  readonly text: (file: string) => string;
  /** Runs the release script; days are shown as TODAY. */
  readonly release: (...words: string[]) => { code: number | null; stdout: string; stderr: string };
}

interface Given {
  /** Files of the package, instead of the others. */
  readonly changed?: Readonly<Record<string, string>>;
  /** The program in place of npm. */
  readonly npm?: string;
}

const person = { NAME: 'Ann', EMAIL: 'ann@host.example' };
const roles = ['AUTHOR', 'COMMITTER'].flatMap((role) =>
  Object.entries(person).map(([key, value]) => [`GIT_${role}_${key}`, value] as const),
);
const home = mkdtempSync(join(tmpdir(), 'stackops-test-'));
afterAll(() => rmSync(home, { recursive: true, force: true }));
const env = {
  PATH: process.env['PATH'] ?? '',
  REAL_PATH: process.env['PATH'] ?? '',
  HOME: home,
  GIT_CONFIG_NOSYSTEM: '1',
  GIT_TEMPLATE_DIR: '',
  npm_config_offline: 'true',
  npm_config_update_notifier: 'false',
  ...Object.fromEntries(roles),
};
const gitIn = (cwd: string, ...words: string[]) =>
  execFileSync('git', words, { cwd, env, encoding: 'utf8', stdio: 'pipe' });

/** A clone of a repository that holds the package: each test has a copy of it. */
const original = join(home, 'original');
function makeOriginal(): void {
  gitIn(home, 'init', '--quiet', '--bare', 'origin');
  gitIn(home, 'clone', '--quiet', 'origin', original);
  write(original, files);
  gitIn(original, 'add', '--all');
  gitIn(original, 'commit', '--quiet', '--message', 'all: begin');
}

function write(folder: string, texts: Readonly<Record<string, string>>): void {
  for (const [file, text] of Object.entries(texts)) {
    mkdirSync(dirname(join(folder, file)), { recursive: true });
    writeFileSync(join(folder, file), text);
  }
}

function clone({ changed, npm = usualNpm }: Given = {}): Clone {
  const [folder, programs] = [temporaryFolder(), temporaryFolder()];
  const path = (file: string) => join(folder, file);
  cpSync(original, folder, { recursive: true });
  if (changed) {
    write(folder, changed);
    gitIn(folder, 'commit', '--quiet', '--all', '--amend', '--no-edit');
  }
  writeFileSync(join(programs, 'npm'), npm, { mode: 0o755 });
  return {
    git: (...words) => gitIn(folder, ...words),
    path,
    text: (file) => readFileSync(path(file), 'utf8'),
    release: (...words) => {
      const script = join(root, 'scripts/release.mjs');
      const { status, stdout, stderr } = spawnSync(process.execPath, [script, ...words], {
        cwd: folder,
        env: { ...env, PATH: `${programs}${delimiter}${env.PATH}` },
        encoding: 'utf8',
      });
      return { code: status, stdout: undated(stdout), stderr };
    },
  };
}

const undated = (text: string) => text.replaceAll(/\b\d{4}-\d\d-\d\d\b/g, 'TODAY');

const steps = `\
- npm run check
- CHANGELOG.md: move Unreleased to ## [0.2.0] - TODAY
- package.json, package-lock.json: version 0.2.0
- npm run docs: man pages of TODAY
- npm ci, npm run build and npm pack in a copy: stackops-0.2.0.tgz
- install stackops-0.2.0.tgz in a temporary folder and run stackops --version and stackops stack list --sandbox there
- git commit "release: 0.2.0"
- git tag v0.2.0
To publish it:
  git push --atomic origin HEAD v0.2.0
The workflow that the tag starts publishes it on npm. Where none runs:
  npm publish stackops-0.2.0.tgz
`;

describe.skipIf(!hasProgram('git'))('npm run release', () => {
  beforeAll(makeOriginal);

  test('with --dry-run names its steps, as docs/releasing.md shows them, and changes nothing', () => {
    const { git, path, release } = clone();
    const stdout = `Dry run, nothing is changed. Release 0.2.0:\n${steps}`;
    expect(release('minor', '--dry-run')).toEqual({ code: 0, stdout, stderr: '' });
    expect(undated(readFileSync(join(root, 'docs/releasing.md'), 'utf8'))).toContain(`\n\`\`\`text\n${stdout}\`\`\`\n`);
    expect(git('status', '--porcelain')).toBe('');
    expect(git('log', '--format=%s')).toBe('all: begin\n');
    expect(git('tag')).toBe('');
    expect(existsSync(path('stackops-0.2.0.tgz'))).toBe(false);
  });

  test('makes the commit, the tag and a tarball that works, and pushes nothing', () => {
    const { git, path, release, text } = clone();
    expect(release('minor')).toEqual({ code: 0, stdout: `Release 0.2.0:\n${steps}`, stderr: '' });
    expect(undated(text('CHANGELOG.md'))).toBe(
      '# Changelog\n\n## [Unreleased]\n\n## [0.2.0] - TODAY\n\n### Added\n\n- A word.\n\n## [0.1.0] - TODAY\n\n- All.\n',
    );
    expect(JSON.parse(text('package.json'))).toMatchObject({ version: '0.2.0' });
    expect(JSON.parse(text('package-lock.json'))).toMatchObject({
      version: '0.2.0',
      packages: { '': { version: '0.2.0' } },
    });
    expect(text('CHANGELOG.md')).toContain(`## [0.2.0] - ${text('man/stackops.1')}`);
    expect(existsSync(path('stackops-0.2.0.tgz'))).toBe(true);
    expect(git('status', '--porcelain')).toBe('');
    expect(git('log', '--format=%s', 'v0.2.0')).toBe('release: 0.2.0\nall: begin\n');
    expect(git('rev-parse', 'v0.2.0^{}')).toBe(git('rev-parse', 'HEAD'));
    expect(git('ls-remote')).toBe('');
  });

  test.each([
    ['major', '1.0.0'],
    ['minor', '0.2.0'],
    ['patch', '0.1.1'],
  ])('%s makes %s of 0.1.0', (bump, version) => {
    expect(clone().release(bump, '--dry-run').stdout).toMatch(`nothing is changed. Release ${version}:\n`);
  });

  test.each([
    [],
    ['--dry-run'],
    ['1.2.3'],
    ['constructor'],
    ['minor', '--force'],
    ['minor', '--artifacts'],
    ['1.2', '--artifacts'],
  ])('refuses the words %j', (...words) => {
    const usage = 'release: usage: npm run release -- major|minor|patch [--dry-run], or X.Y.Z --artifacts\n';
    expect(clone().release(...words)).toEqual({ code: 1, stdout: '', stderr: usage });
  });

  test('refuses a working tree with changes', () => {
    const { path, release } = clone();
    writeFileSync(path('notes'), '');
    const stderr = 'release: commit or remove these changes first:\n?? notes\n';
    for (const words of [['minor'], ['minor', '--dry-run']]) {
      expect(release(...words)).toEqual({ code: 1, stdout: '', stderr });
    }
  });

  test.each([
    ['no entries', '## [Unreleased]\n\n### Added\n\n## [0.1.0] - 2026-11-21\n\n- All.\n'],
    ['no such section', '## [0.1.0] - 2026-11-21\n\n- All.\n'],
  ])('refuses a changelog with %s under Unreleased', (_, text) => {
    const stderr = 'release: CHANGELOG.md has no entries under Unreleased\n';
    expect(clone({ changed: { 'CHANGELOG.md': text } }).release('minor')).toEqual({ code: 1, stdout: '', stderr });
  });

  test('refuses a tag that exists', () => {
    const { git, release } = clone();
    git('tag', 'v0.1.1');
    expect(release('patch')).toEqual({ code: 1, stdout: '', stderr: 'release: the tag v0.1.1 exists already\n' });
  });

  const broken = (script: string) => ({
    changed: { 'package.json': (files['package.json'] ?? '').replace('"true"', `"${script}"`) },
  });
  const stopped = 'Nothing was pushed or published. See what was written so far: git status\n';

  test.each([
    ['fails', 'false', 'Command failed: npm run --silent check'],
    ['writes a file', 'touch new', 'commit or remove these changes first:\n?? new'],
  ])('ends after a check that %s', (_, script, reason) => {
    const { git, release, text } = clone(broken(script));
    expect(release('minor')).toEqual({
      code: 1,
      stdout: 'Release 0.2.0:\n- npm run check\n',
      stderr: `release: ${reason}\n${stopped}`,
    });
    expect(text('CHANGELOG.md')).toBe(changelog);
    expect(git('log', '--format=%s')).toBe('all: begin\n');
  });

  test.each([
    ['of another version', "console.log('0.1.0')", 'the installed stackops says it is 0.1.0, not 0.2.0'],
    [
      'whose sandbox is empty',
      "if (process.argv[2] === '--version') console.log('0.2.0')",
      'the installed sandbox lists no stacks',
    ],
  ])('commits and tags no tarball %s', (_, program, reason) => {
    const { git, release } = clone({
      changed: { 'bin/stackops.js': `#!/usr/bin/env node\n${program};\n` },
      npm: quickNpm,
    });
    expect(release('minor')).toMatchObject({ code: 1, stderr: `release: ${reason}\n${stopped}` });
    expect(git('log', '--format=%s')).toBe('all: begin\n');
    expect(git('tag')).toBe('');
  });

  describe('1.2.3 --artifacts', () => {
    const unpacked = ({ path }: Clone, name: string) =>
      JSON.parse(
        execFileSync('tar', ['-xzOf', path('release/stackops-1.2.3.tgz'), `package/${name}`], { encoding: 'utf8' }),
      );

    test('makes release/ of what is checked out, the same bytes twice, and changes nothing else', () => {
      const made = clone({ npm: packingNpm });
      made.git('remote', 'set-url', 'origin', 'https://ann:secret@git.example/harbour/stackops.git');
      const { code, stdout, stderr } = made.release('1.2.3', '--artifacts');
      expect({ code, stderr }).toEqual({ code: 0, stderr: '' });
      expect(stdout).toMatch(/^release\/SHA256SUMS\nrelease\/install\.ps1\nrelease\/install\.sh\n/m);
      expect(unpacked(made, 'package.json')).toMatchObject({
        version: '1.2.3',
        homepage: 'https://git.example/harbour/stackops#readme',
        repository: { type: 'git', url: 'git+https://git.example/harbour/stackops.git' },
        bugs: { url: 'https://git.example/harbour/stackops/issues' },
      });
      expect(stdout).toMatch(
        /^skipped stackops-linux-x64, .*, stackops-windows-x64\.zip: no @oven\/bun-\S+ \S+ here: /m,
      );
      expect(made.git('status', '--porcelain')).toBe('');
      expect(made.git('log', '--format=%s')).toBe('all: begin\n');
      expect(made.git('tag')).toBe('');

      const sums = made.text('release/SHA256SUMS');
      expect(sums).toMatch(/^[0-9a-f]{64} {2}stackops-1\.2\.3\.tgz$/m);
      chmodSync(made.path('LICENSE'), 0o600);
      expect(made.release('1.2.3', '--artifacts').code).toBe(0);
      expect(made.text('release/SHA256SUMS')).toBe(sums);
    });

    test('says what it leaves out where no remote is on the web', () => {
      const made = clone({ npm: quickNpm });
      const { code, stdout } = made.release('1.2.3', '--artifacts');
      expect(code).toBe(0);
      expect(stdout).toMatch(/^no git remote on the web: the package has no repository, homepage and bugs\n/);
      expect(stdout).toContain('skipped Homebrew, Scoop and winget: without such a remote the files have no address\n');
      expect(unpacked(made, 'package.json')).not.toHaveProperty('repository');
    });

    test('refuses a working tree with changes', () => {
      const { path, release } = clone();
      writeFileSync(path('notes'), '');
      expect(release('1.2.3', '--artifacts')).toEqual({
        code: 1,
        stdout: '',
        stderr: 'release: commit or remove these changes first:\n?? notes\n',
      });
      expect(existsSync(path('release'))).toBe(false);
    });
  });
});
