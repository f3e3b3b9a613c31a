import { createHash } from 'node:crypto';
import { cpSync, existsSync, mkdirSync, readdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { join, resolve } from 'node:path';
import { fileURLToPath } from 'node:url';
import { originRemote, packCheckout, webAddress } from './checkout.mjs';
import { hasProgram, inTemporaryFolder, read, run } from './run.mjs';
import { targets as allTargets, bunNotice, makeStandalones, programName } from './standalone.mjs';
import { makeDeb, makeRpm } from './system-packages.mjs';
import { fillTemplate } from './templates.mjs';

/** `npm run release -- 1.2.3 --artifacts`: makes every file of a release from the present checkout, in release/. */
export function releaseArtifacts(version, say) {
  const folder = resolve('release');
  const epoch = process.env.SOURCE_DATE_EPOCH ?? read('git', 'log', '-1', '--format=%ct');
  const web = webAddress(originRemote());
  if (!web) say('no git remote on the web: the package has no repository, homepage and bugs');
  const tarball = inTemporaryFolder((made) => {
    packCheckout(version, made);
    emptyFolder(folder);
    const name = `stackops-${version}.tgz`;
    cpSync(join(made, name), join(folder, name));
    return join(folder, name);
  });
  makeArtifacts({ tarball, version, epoch, web, folder, say });
}

function emptyFolder(folder) {
  rmSync(folder, { recursive: true, force: true });
  mkdirSync(folder, { recursive: true });
}

/** All other files are made from the npm package, which is in the folder already. */
export function makeArtifacts({ tarball, version, epoch, web, folder, say, targets = allTargets }) {
  inTemporaryFolder((unpacked) => {
    run('tar', ['-xzf', tarball, '-C', unpacked]);
    const source = join(unpacked, 'package');
    const node = JSON.parse(readFileSync(join(source, 'package.json'), 'utf8')).engines.node.replace('>=', '');
    const release = { source, version, node, epoch, web, say, at: (name) => join(folder, name) };
    cpSync(join(source, 'dist/stackops.cdx.json'), release.at('stackops.cdx.json'));
    for (const { name, lacks, make } of systemPackages(release)) {
      if (lacks) say(`skipped ${name}: ${lacks}`);
      else make();
    }
    if (targets.length > 0) makePrograms(release, { targets, folder });
    copyInstallers(release);
    writeManifests(release);
  });
  writeSums(folder);
  for (const name of readdirSync(folder).toSorted()) say(`release/${name}`);
}

function systemPackages({ source, version, node, epoch, web, at }) {
  const [deb, rpm] = [`stackops_${version}_all.deb`, `stackops-${version}.noarch.rpm`];
  const options = { source, version, node, epoch, web };
  return [
    { name: deb, lacks: missing('dpkg-deb'), make: () => makeDeb({ ...options, file: at(deb) }) },
    { name: rpm, lacks: missing('rpmbuild'), make: () => makeRpm({ ...options, file: at(rpm) }) },
  ];
}

function missing(program) {
  return hasProgram(program) ? undefined : `no ${program} here`;
}

function makePrograms({ source, at, say }, { targets, folder }) {
  const dist = join(source, 'dist');
  makeStandalones({ dist, targets, folder, say });
  if (!targets.some((target) => existsSync(at(programName(target))))) return;
  const licences = readFileSync(join(dist, 'third-party-licences.txt'), 'utf8');
  writeFileSync(at('third-party-licences.txt'), `${licences}\n${'-'.repeat(80)}\n\n${bunNotice}`);
}

function copyInstallers({ at }) {
  for (const name of ['install.sh', 'install.ps1']) {
    cpSync(fileURLToPath(new URL(name, import.meta.url)), at(name));
  }
}

/** The manifests of package managers: the address of a file, and its checksum. */
function writeManifests({ version, web, at, say }) {
  if (!web) return say('skipped Homebrew, Scoop and winget: without such a remote the files have no address');
  const owner = new URL(web).pathname.split('/')[1];
  const downloads = `${web}/releases/download/v${version}`;
  const write = (template, name, file) => {
    writeFileSync(at(name), fillTemplate(template, { version, web, owner, downloads, sha256: sha256(at(file)) }));
  };
  const tarball = `stackops-${version}.tgz`;
  for (const name of ['stackops.rb', 'stackops.json']) write(name, name, tarball);
  const program = 'stackops-windows-x64.zip';
  if (!existsSync(at(program))) return say(`skipped winget: no ${program} here`);
  for (const name of ['stackops.yaml', 'stackops.installer.yaml', 'stackops.locale.en-US.yaml']) {
    write(`winget/${name}`, `${owner}.${name}`, program);
  }
}

function sha256(file) {
  return createHash('sha256').update(readFileSync(file)).digest('hex');
}

/** In the format of `sha256sum --check`. */
function writeSums(folder) {
  const names = readdirSync(folder).toSorted();
  writeFileSync(join(folder, 'SHA256SUMS'), names.map((name) => `${sha256(join(folder, name))}  ${name}\n`).join(''));
}
