import { mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { pathToFileURL } from 'node:url';
import { rolldown } from 'rolldown';

/** Writes the table of operations into README.md, and completions/. Node 20 reads no TypeScript, so what makes it is bundled first. */
const dir = mkdtempSync(join(tmpdir(), 'stackops-docs-'));
try {
  const bundle = await rolldown({
    input: { coverage: 'src/docs/coverage.ts', scripts: 'src/completion/scripts.ts' },
    platform: 'node',
    logLevel: 'warn',
    external: /^[^./]/,
  });
  await bundle.write({ dir, format: 'esm', entryFileNames: '[name].mjs', chunkFileNames: '[name].mjs' });
  await bundle.close();
  const { coverageTable, readCoverage, withCoverage } = await import(pathToFileURL(join(dir, 'coverage.mjs')).href);
  const readme = readFileSync('README.md', 'utf8');
  writeFileSync('README.md', withCoverage(readme, coverageTable(await readCoverage())));
  const { scriptNames, scripts } = await import(pathToFileURL(join(dir, 'scripts.mjs')).href);
  for (const [shell, name] of Object.entries(scriptNames)) writeFileSync(join('completions', name), scripts[shell]);
} finally {
  rmSync(dir, { recursive: true, force: true });
}
