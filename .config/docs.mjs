import { mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { pathToFileURL } from 'node:url';
import { rolldown } from 'rolldown';

/** Writes the table of operations into README.md. Node 20 reads no TypeScript, so what makes it is bundled first. */
const dir = mkdtempSync(join(tmpdir(), 'stackops-docs-'));
try {
  const bundle = await rolldown({
    input: { coverage: 'src/docs/coverage.ts' },
    platform: 'node',
    logLevel: 'warn',
    external: /^[^./]/,
  });
  await bundle.write({ dir, format: 'esm', entryFileNames: '[name].mjs', chunkFileNames: '[name].mjs' });
  await bundle.close();
  const { coverageTable, readCoverage, withCoverage } = await import(pathToFileURL(join(dir, 'coverage.mjs')).href);
  const readme = readFileSync('README.md', 'utf8');
  writeFileSync('README.md', withCoverage(readme, coverageTable(await readCoverage())));
} finally {
  rmSync(dir, { recursive: true, force: true });
}
