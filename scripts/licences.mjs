import { readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';

const rule = `\n${'-'.repeat(80)}\n\n`;

/** Every package of which a module is bundled, and what was compiled into one of them, with the licence of each. */
export function bundledPackages(output) {
  const modules = output.flatMap(({ moduleIds = [] }) => moduleIds);
  const folders = modules.flatMap(
    (id) => /^\0?(.*[\\/]node_modules[\\/](?:@[^\\/]+[\\/])?[^\\/]+)/.exec(id)?.[1] ?? [],
  );
  return [...[...new Set(folders)].toSorted().map(packageIn), jq()];
}

function packageIn(folder) {
  const { name, version, license } = JSON.parse(readFileSync(join(folder, 'package.json'), 'utf8'));
  const file = readdirSync(folder).find((entry) => /^licen[cs]e/i.test(entry));
  const text = file ? readFileSync(join(folder, file), 'utf8').trim() : `Licence: ${license}`;
  const purl = `pkg:npm/${name.replace('@', '%40')}@${version}`;
  return { name, version, license, purl, notice: `${name} ${version}\n\n${text}\n` };
}

/** The package that jq was compiled into says nothing of it. */
function jq() {
  const notice = readFileSync(new URL('licences/jq.txt', import.meta.url), 'utf8');
  const [, version] = /^jq ([\d.]+),/.exec(notice);
  return { name: 'jq', version, license: 'MIT', purl: `pkg:github/jqlang/jq@jq-${version}`, notice };
}

/** The licences of the packages, as their authors ask. */
export function licencesOf(packages) {
  return packages.map(({ notice }) => notice).join(rule);
}

/** The packages as CycloneDX, for those who look up vulnerabilities. */
export function billOfMaterials({ name, version, license }, packages) {
  const components = packages.map((bundled) => component('library', bundled));
  const document = {
    bomFormat: 'CycloneDX',
    specVersion: '1.5',
    version: 1,
    metadata: { component: component('application', { name, version, license, purl: `pkg:npm/${name}@${version}` }) },
    components,
  };
  return `${JSON.stringify(document, undefined, 2)}\n`;
}

function component(type, { name, version, license, purl }) {
  return { type, 'bom-ref': purl, name, version, licenses: [{ license: { id: license } }], purl };
}
