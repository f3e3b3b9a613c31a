import { mkdirSync, readdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { importSource } from './import-source.mjs';

/** Writes the tables in docs/ and the man pages. */
const { readDocuments } = await importSource('scripts/docs/documents.ts');
const documents = await readDocuments((path) => readFileSync(path, 'utf8'));
mkdirSync('man', { recursive: true });
for (const page of readdirSync('man')) if (!documents.has(`man/${page}`)) rmSync(join('man', page));
for (const [path, text] of documents) writeFileSync(path, text);
