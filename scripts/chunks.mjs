import { createRequire } from 'node:module';
import { join } from 'node:path';
import { build } from 'rolldown';
import { inTemporaryBuildFolder, profileRuns, reads, writes } from './run-profile.mjs';

/**
 * Makes the help pages, and decides which modules share a file. Every file that is read slows a start, and so does
 * every unused module in it. So the program is first built with one file for each module; then commands show which
 * modules they load, and modules of the same commands share a file.
 */
export function planChunks(config) {
  return inTemporaryBuildFolder(async (folder) => {
    const dist = join(folder, 'dist');
    const loadedBy = await buildPerModule(config, dist);
    const pages = await createRequire(import.meta.url)(join(dist, 'tree.cjs')).readHelpPages();
    const groups = [...pages.keys()].filter((line) => /^[^ ]+$/.test(line));
    const [[first, ...help], loaded] = await Promise.all([
      loadedBy(['--version', ...groups.map((group) => `${group} --help`)]),
      loadedBy([...reads, ...writes], { sandboxed: true }),
    ]);
    const uses = Object.entries({
      start: loadedBySeveral(help, 6),
      help: loadedBySeveral(help, 1),
      read: loadedBySeveral(loaded.slice(0, reads.length), 2),
      write: loadedBySeveral(loaded.slice(reads.length), 2),
    });
    const early = new Set(first);
    const chunkOf = (id) => {
      const name = uses.flatMap(([use, modules]) => (modules.has(id) ? [use] : [])).join('-');
      // Modules for --version stay in the entry file; modules for help only are separate.
      return early.has(id) || !/read|write/.test(name) ? null : name;
    };
    return { pages, chunkOf };
  });
}

/**
 * Builds with one file for each module. The returned function runs commands and returns the modules that each loaded.
 */
async function buildPerModule(config, dir) {
  const { output } = await build({
    ...config,
    input: { ...config.input, tree: 'scripts/docs/tree.ts' },
    output: { ...config.output, dir, minify: false, preserveModules: true },
  });
  const modules = new Map(output.map(({ fileName, moduleIds = [] }) => [join(dir, fileName), moduleIds]));
  return async (lines, options) => {
    const runs = await profileRuns(join(dir, 'cli.cjs'), lines, options);
    return runs.map((files) => Object.keys(files).flatMap((file) => modules.get(file) ?? []));
  };
}

/** The modules that at least `least` commands load. */
function loadedBySeveral(loaded, least) {
  const counts = new Map();
  for (const id of loaded.flat()) counts.set(id, (counts.get(id) ?? 0) + 1);
  return new Set([...counts.keys()].filter((id) => counts.get(id) >= least));
}
