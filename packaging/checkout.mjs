import { execFileSync } from 'node:child_process';
import { chmodSync, cpSync, mkdirSync, readFileSync, statSync, writeFileSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { inTemporaryFolder, read, run } from './run.mjs';

/**
 * Packs the tracked files as they are now. It builds in a copy, with exactly the packages of the lock file, and runs
 * none of their scripts.
 */
export function packCheckout(version, into) {
  // File modes are in the package, and must be the same from every machine.
  process.umask(0o022);
  inTemporaryFolder((copy) => {
    for (const path of trackedFiles()) {
      mkdirSync(dirname(join(copy, path)), { recursive: true });
      cpSync(path, join(copy, path));
      chmodSync(join(copy, path), statSync(path).mode & 0o100 ? 0o755 : 0o644);
    }
    stampManifest(join(copy, 'package.json'), version);
    const npm = (...words) => run('npm', ['--loglevel=error', ...words], { cwd: copy });
    npm('ci', '--ignore-scripts', '--prefer-offline', '--no-audit', '--no-fund');
    npm('run', 'build');
    npm('pack', '--ignore-scripts', '--pack-destination', into);
  });
}

function trackedFiles() {
  return execFileSync('git', ['ls-files', '-z'], { encoding: 'utf8' }).split('\0').filter(Boolean);
}

function stampManifest(file, version) {
  const web = webAddress(originRemote());
  const places = web && {
    homepage: `${web}#readme`,
    repository: { type: 'git', url: `git+${web}.git` },
    bugs: { url: `${web}/issues` },
  };
  changeJson(file, (manifest) => ({ ...manifest, version, ...places }));
}

/** As `npm version` does. */
export function setVersion(version) {
  changeJson('package.json', (manifest) => ({ ...manifest, version }));
  changeJson('package-lock.json', (lock) => {
    const { '': own, ...others } = lock.packages;
    return { ...lock, version, packages: { '': { ...own, version }, ...others } };
  });
}

function changeJson(file, change) {
  writeFileSync(file, `${JSON.stringify(change(JSON.parse(readFileSync(file, 'utf8'))), undefined, 2)}\n`);
}

export function originRemote() {
  try {
    return read('git', 'remote', 'get-url', 'origin');
  } catch {
    return '';
  }
}

/** `https://github.com/owner/repository` without credentials; undefined for a folder. */
export function webAddress(remote) {
  const scp = /^(?:[^/@]+@)?([\w.-]+):(?!\/)(.+)$/.exec(remote);
  const [, host, path = ''] = scp ?? /^(?:https?|ssh|git):\/\/(?:[^/@]*@)?([\w.-]+)(?::\d+)?\/(.+)$/.exec(remote) ?? [];
  return host && `https://${host}/${path.replace(/\/$/, '').replace(/\.git$/, '')}`;
}
