import { mkdirSync, mkdtempSync, readdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { pathToFileURL } from 'node:url';
import { rolldown } from 'rolldown';
import { warningsFail } from './rolldown.mjs';
import { textFiles } from './text-files.mjs';

/** Writes the tables in docs/ and the man pages. Node 20 reads no TypeScript, so what makes them is bundled first. */
const dir = mkdtempSync(join(tmpdir(), 'stackops-docs-'));
try {
  const bundle = await rolldown({
    input: { documents: 'src/docs/documents.ts' },
    platform: 'node',
    onLog: warningsFail,
    external: /^[^./]/,
    plugins: [textFiles],
  });
  await bundle.write({ dir, format: 'esm', entryFileNames: '[name].mjs', chunkFileNames: '[name].mjs' });
  await bundle.close();
  const { readDocuments } = await import(pathToFileURL(join(dir, 'documents.mjs')).href);
  const documents = await readDocuments((path) => readFileSync(path, 'utf8'));
  mkdirSync('man', { recursive: true });
  for (const page of readdirSync('man')) if (!documents.has(`man/${page}`)) rmSync(join('man', page));
  for (const [path, text] of documents) writeFileSync(path, text);
} finally {
  rmSync(dir, { recursive: true, force: true });
}
