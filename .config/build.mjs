import { mkdirSync, readdirSync, readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { build } from 'rolldown';
import { importSource } from './import-source.mjs';
import { loadedTogether } from './loaded-together.mjs';
import config, { warningsFail } from './rolldown.mjs';

const together = await loadedTogether(config);
/** What is loaded late although it lies together with what loads it, lies there on purpose. */
const onLog = (level, log) => {
  const isMeant = log.code === 'INEFFECTIVE_DYNAMIC_IMPORT' && together.name(log.id);
  if (!isMeant) warningsFail(level, log);
};
const codeSplitting = { groups: [together], includeDependenciesRecursively: false };
// Through the library, because rolldown's own command lists every file in front of whatever comes next.
await build({ ...config, onLog, preserveEntrySignatures: false, output: { ...config.output, codeSplitting } });

/** The licences of everything that is bundled into dist, as their authors ask. */
const bundled = [
  'commander',
  'undici',
  'chalk',
  'conf',
  'ora',
  'cli-table3',
  'open',
  'lossless-json',
  'yaml',
  'jq-wasm',
];

const seen = new Map();
const collect = (name) => {
  if (seen.has(name)) return;
  const folder = join('node_modules', name);
  const { version, license, dependencies = {} } = JSON.parse(readFileSync(join(folder, 'package.json'), 'utf8'));
  const file = readdirSync(folder).find((entry) => /^licen[cs]e/i.test(entry));
  const text = file ? readFileSync(join(folder, file), 'utf8').trim() : `Licence: ${license}`;
  seen.set(name, `${name} ${version}\n\n${text}\n`);
  for (const dependency of Object.keys(dependencies)) collect(dependency);
};
for (const name of bundled) collect(name);
// The package says nothing of the program that was compiled into it.
seen.set('jq', readFileSync('.config/licences/jq.txt', 'utf8'));

const rule = `\n${'-'.repeat(80)}\n\n`;
writeFileSync('dist/third-party-licences.txt', [...seen.values()].join(rule));

// Help is what people wait for most often, and it is the same at every start.
const { readHelpPages } = await importSource('src/docs/help-pages.ts');
mkdirSync('dist/help');
for (const [words, page] of await readHelpPages()) {
  writeFileSync(join('dist/help', `${['stackops', ...words.split(' ').filter(Boolean)].join('.')}.txt`), page);
}
