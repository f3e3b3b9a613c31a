import { readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';

const rule = `\n${'-'.repeat(80)}\n\n`;

/** Every package with a bundled module, and the code compiled into one of them, each with its licence. */
export function bundledPackages(output) {
  const modules = output.flatMap(({ moduleIds = [] }) => moduleIds);
  const folders = modules.flatMap(
    (id) => /^\0?(.*[\\/]node_modules[\\/](?:@[^\\/]+[\\/])?[^\\/]+)/.exec(id)?.[1] ?? [],
  );
  return [...[...new Set(folders)].toSorted().map(packageIn), ...compiledIn()];
}

function packageIn(folder) {
  const { name, version, license } = JSON.parse(readFileSync(join(folder, 'package.json'), 'utf8'));
  const file = readdirSync(folder).find((entry) => /^licen[cs]e/i.test(entry));
  const text = file ? readFileSync(join(folder, file), 'utf8').trim() : `Licence: ${license}`;
  const purl = `pkg:npm/${name.replace('@', '%40')}@${version}`;
  return { name, version, license, purl, notice: `${name} ${version}\n\n${text}\n` };
}

/** Compiled into packages that do not name their licences. */
function compiledIn() {
  const purls = {
    jq: (version) => `pkg:github/jqlang/jq@jq-${version}`,
    cfworker: (version) => `pkg:npm/%40cfworker/json-schema@${version}`,
  };
  return Object.entries(purls).map(([file, purl]) => {
    const notice = readFileSync(new URL(`licences/${file}.txt`, import.meta.url), 'utf8');
    const [, name, version] = /^(\S+) ([\d.]+),/.exec(notice);
    return { name, version, license: 'MIT', purl: purl(version), notice };
  });
}

/** The licences of the packages, which must be distributed with the program. */
export function licencesOf(packages) {
  return packages.map(({ notice }) => notice).join(rule);
}

/** The packages as CycloneDX, for vulnerability scanners. */
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
