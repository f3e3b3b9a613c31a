import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { pathToFileURL } from 'node:url';
import { rolldown } from 'rolldown';
import { warningsFail } from '../.config/rolldown.mjs';
import { textFiles } from './text-files.mjs';

/** Imports a source file. Node 20 cannot read TypeScript, so it is bundled first. */
export async function importSource(path) {
  const dir = mkdtempSync(join(tmpdir(), 'stackops-source-'));
  try {
    const bundle = await rolldown({
      input: { source: path },
      platform: 'node',
      onLog: warningsFail,
      external: /^[^./]/,
      plugins: [textFiles],
    });
    // One file, because the folder is deleted before a dynamic import could read another.
    await bundle.write({ dir, format: 'esm', entryFileNames: '[name].mjs', codeSplitting: false });
    await bundle.close();
    return await import(pathToFileURL(join(dir, 'source.mjs')).href);
  } finally {
    rmSync(dir, { recursive: true, force: true });
  }
}
