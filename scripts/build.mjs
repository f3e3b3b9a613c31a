import { mkdirSync, readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { build } from 'rolldown';
import config, { warningsFail } from '../.config/rolldown.mjs';
import { planChunks } from './chunks.mjs';
import { compileEagerly } from './eager-compile.mjs';
import { billOfMaterials, bundledPackages, licencesOf } from './licences.mjs';

const { pages, chunkOf } = await planChunks(config);
/** A dynamic import of a module in the same file is intended here. */
const onLog = (level, log) => {
  const isIntended = log.code === 'INEFFECTIVE_DYNAMIC_IMPORT' && chunkOf(log.id);
  if (!isIntended) warningsFail(level, log);
};
const codeSplitting = { groups: [{ name: chunkOf }], includeDependenciesRecursively: false };
// The rolldown command would list every file before the rest of the output.
const { output } = await build({
  ...config,
  onLog,
  preserveEntrySignatures: false,
  output: { ...config.output, codeSplitting },
});
await compileEagerly('dist');
const packages = bundledPackages(output);
writeFileSync('dist/third-party-licences.txt', licencesOf(packages));
writeFileSync('dist/stackops.cdx.json', billOfMaterials(JSON.parse(readFileSync('package.json', 'utf8')), packages));

// Help is used most often, and is the same at every start.
mkdirSync('dist/help');
for (const [words, page] of pages) {
  writeFileSync(join('dist/help', `${['stackops', ...words.split(' ').filter(Boolean)].join('.')}.txt`), page);
}
