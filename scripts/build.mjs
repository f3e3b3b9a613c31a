import { mkdirSync, readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { build } from 'rolldown';
import config, { warningsFail } from '../.config/rolldown.mjs';
import { builtApart } from './chunks.mjs';
import { compileAtOnce } from './eager-compile.mjs';
import { billOfMaterials, bundledPackages, licencesOf } from './licences.mjs';

const { pages, together } = await builtApart(config);
/** What is loaded late although it lies together with what loads it, lies there on purpose. */
const onLog = (level, log) => {
  const isMeant = log.code === 'INEFFECTIVE_DYNAMIC_IMPORT' && together(log.id);
  if (!isMeant) warningsFail(level, log);
};
const codeSplitting = { groups: [{ name: together }], includeDependenciesRecursively: false };
// Through the library, because rolldown's own command lists every file in front of whatever comes next.
const { output } = await build({
  ...config,
  onLog,
  preserveEntrySignatures: false,
  output: { ...config.output, codeSplitting },
});
await compileAtOnce('dist');
const packages = bundledPackages(output);
writeFileSync('dist/third-party-licences.txt', licencesOf(packages));
writeFileSync('dist/stackops.cdx.json', billOfMaterials(JSON.parse(readFileSync('package.json', 'utf8')), packages));

// Help is what people wait for most often, and it is the same at every start.
mkdirSync('dist/help');
for (const [words, page] of pages) {
  writeFileSync(join('dist/help', `${['stackops', ...words.split(' ').filter(Boolean)].join('.')}.txt`), page);
}
