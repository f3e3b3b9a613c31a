import { readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';

const rule = `\n${'-'.repeat(80)}\n\n`;

/** The licences of every package of which a module is bundled, as their authors ask. */
export function licencesOf(output) {
  const modules = output.flatMap(({ moduleIds = [] }) => moduleIds);
  const folders = modules.flatMap(
    (id) => /^\0?(.*[\\/]node_modules[\\/](?:@[^\\/]+[\\/])?[^\\/]+)/.exec(id)?.[1] ?? [],
  );
  const texts = [...new Set(folders)].toSorted().map(licenceIn);
  // The package says nothing of the program that was compiled into it.
  return [...texts, readFileSync(new URL('licences/jq.txt', import.meta.url), 'utf8')].join(rule);
}

function licenceIn(folder) {
  const { name, version, license } = JSON.parse(readFileSync(join(folder, 'package.json'), 'utf8'));
  const file = readdirSync(folder).find((entry) => /^licen[cs]e/i.test(entry));
  const text = file ? readFileSync(join(folder, file), 'utf8').trim() : `Licence: ${license}`;
  return `${name} ${version}\n\n${text}\n`;
}
