import { execFileSync } from 'node:child_process';
import { readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { packCheckout, setVersion } from '../packaging/checkout.mjs';
import { inTemporaryFolder, read, run } from '../packaging/run.mjs';

/**
 * `npm run release -- minor [--dry-run]` and `npm run release -- 1.2.3 --artifacts`, described in docs/releasing.md. It
 * neither pushes nor publishes.
 */
const bumps = {
  major: ([major]) => [major + 1, 0, 0],
  minor: ([major, minor]) => [major, minor + 1, 0],
  patch: ([major, minor, patch]) => [major, minor, patch + 1],
};

async function main(words) {
  const [version = '', flag] = words;
  if (words.length === 2 && flag === '--artifacts' && /^\d+\.\d+\.\d+$/.test(version)) return makeArtifacts(version);
  const [bump, ...rest] = words.filter((word) => word !== '--dry-run');
  if (!Object.hasOwn(bumps, bump ?? '') || rest.length > 0) {
    throw new Error('usage: npm run release -- major|minor|patch [--dry-run], or X.Y.Z --artifacts');
  }
  const release = planRelease(bump);
  const isDryRun = words.includes('--dry-run');
  console.log(`${isDryRun ? 'Dry run, nothing is changed. ' : ''}Release ${release.version}:`);
  for (const [step, act] of stepsOf(release)) {
    console.log(`- ${step}`);
    if (!isDryRun) attempt(act);
  }
  console.log(`To publish it:\n  git push --atomic origin HEAD ${release.tag}`);
  console.log(
    `The workflow that the tag starts publishes it on npm. Where none runs:\n  npm publish ${release.tarball}`,
  );
}

/** Packs the present checkout without checks, commit or tag. */
async function makeArtifacts(version) {
  requireCleanTree();
  const { releaseArtifacts } = await import('../packaging/artifacts.mjs');
  releaseArtifacts(version, console.log);
}

function attempt(act) {
  try {
    act();
  } catch (error) {
    throw new Error(`${error.message}\nNothing was pushed or published. See what was written so far: git status`);
  }
}

/** Checks everything that can be refused before a file is written. */
function planRelease(bump) {
  requireCleanTree();
  const { name, version: current } = JSON.parse(readFileSync('package.json', 'utf8'));
  const version = bumps[bump](current.split('.').map(Number)).join('.');
  const tag = `v${version}`;
  if (read('git', 'tag', '--list', tag) !== '') throw new Error(`the tag ${tag} exists already`);
  const changelog = readFileSync('CHANGELOG.md', 'utf8');
  const unreleased = changelog.split(/^## /m).find((section) => section.startsWith('[Unreleased]\n'));
  if (!/^- /m.test(unreleased ?? '')) throw new Error('CHANGELOG.md has no entries under Unreleased');
  return {
    name,
    version,
    tag,
    changelog,
    day: new Date().toISOString().slice(0, 10),
    tarball: `${name}-${version}.tgz`,
  };
}

function requireCleanTree() {
  const changes = read('git', 'status', '--porcelain');
  if (changes !== '') throw new Error(`commit or remove these changes first:\n${changes}`);
}

/** The description and the work of each step; a dry run prints the descriptions only. */
function stepsOf({ name, version, tag, changelog, day, tarball }) {
  const heading = `## [${version}] - ${day}`;
  return [
    ['npm run check', runCheck],
    [
      `CHANGELOG.md: move Unreleased to ${heading}`,
      () => writeFileSync('CHANGELOG.md', changelog.replace('## [Unreleased]\n', `## [Unreleased]\n\n${heading}\n`)),
    ],
    [`package.json, package-lock.json: version ${version}`, () => setVersion(version)],
    [`npm run docs: man pages of ${day}`, () => npm('run', 'docs')],
    [`npm ci, npm run build and npm pack in a copy: ${tarball}`, () => packCheckout(version, process.cwd())],
    [
      `install ${tarball} in a temporary folder and run ${name} --version and ${name} stack list --sandbox there`,
      () => checkTarball(name, version, tarball),
    ],
    [`git commit "release: ${version}"`, () => run('git', ['commit', '--all', '--message', `release: ${version}`])],
    [`git tag ${tag}`, () => run('git', ['tag', '--annotate', tag, '--message', `${name} ${version}`])],
  ];
}

/** The checked files must be the committed ones. */
function runCheck() {
  execFileSync('npm', ['run', '--silent', 'check'], { stdio: ['ignore', 'inherit', 'inherit'] });
  requireCleanTree();
}

/** Installs it as a user would: with its own prefix and home, without network. */
function checkTarball(name, version, tarball) {
  inTemporaryFolder((folder) => {
    npm('install', '--global', '--offline', '--prefix', folder, tarball);
    const env = { PATH: process.env.PATH, HOME: folder };
    const options = { env, encoding: 'utf8', stdio: 'pipe' };
    const program = (...words) => execFileSync(join(folder, 'bin', name), words, options);
    const found = program('--version').trimEnd();
    if (found !== version) throw new Error(`the installed ${name} says it is ${found}, not ${version}`);
    if (program('stack', 'list', '--sandbox') === '') throw new Error('the installed sandbox lists no stacks');
  });
}

function npm(...words) {
  run('npm', ['--loglevel=error', ...words]);
}

try {
  await main(process.argv.slice(2));
} catch (error) {
  console.error(`release: ${error.message}`);
  process.exitCode = 1;
}
