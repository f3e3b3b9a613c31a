import { mkdirSync, readdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { importSource } from './import-source.mjs';

/** Writes the tables in docs/, the man pages and the schemas. */
const { readDocuments } = await importSource('scripts/docs/documents.ts');
const documents = await readDocuments((path) => readFileSync(path, 'utf8'));
for (const folder of ['man', 'schemas']) {
  mkdirSync(folder, { recursive: true });
  for (const file of readdirSync(folder)) if (!documents.has(`${folder}/${file}`)) rmSync(join(folder, file));
}
for (const [path, text] of documents) writeFileSync(path, text);
