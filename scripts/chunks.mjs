import { createRequire } from 'node:module';
import { join } from 'node:path';
import { build } from 'rolldown';
import { inBuildFolder, reads, runInTurn, writes } from './run-profile.mjs';

/**
 * The help pages, and what tells rolldown which modules lie in one file. Every file that is read makes a start slower, and
 * so does every module in it that is not used. So the program is first built with a file for each module, and commands
 * show what they load: what the same kinds of command load lies together.
 */
export function builtApart(config) {
  return inBuildFolder(async (folder) => {
    const dist = join(folder, 'dist');
    const loadedBy = await buildPerModule(config, dist);
    const pages = await createRequire(import.meta.url)(join(dist, 'tree.cjs')).readHelpPages();
    const groups = [...pages.keys()].filter((line) => /^[^ ]+$/.test(line));
    const [[first, ...help], loaded] = await Promise.all([
      loadedBy(['--version', ...groups.map((group) => `${group} --help`)]),
      loadedBy([...reads, ...writes], { sandboxed: true }),
    ]);
    const kinds = Object.entries({
      start: inSeveral(help, 6),
      help: inSeveral(help, 1),
      read: inSeveral(loaded.slice(0, reads.length), 2),
      write: inSeveral(loaded.slice(reads.length), 2),
    });
    const early = new Set(first);
    const together = (id) => {
      const name = kinds.flatMap(([kind, modules]) => (modules.has(id) ? [kind] : [])).join('-');
      // What --version needs stays in the file of the entry, and what only menus and their help need lies apart.
      return early.has(id) || !/read|write/.test(name) ? null : name;
    };
    return { pages, together };
  });
}

/** Builds with a file for each module. What it returns runs commands and tells the modules that each of them loaded. */
async function buildPerModule(config, dir) {
  const { output } = await build({
    ...config,
    input: { ...config.input, tree: 'scripts/docs/tree.ts' },
    output: { ...config.output, dir, minify: false, preserveModules: true },
  });
  const modules = new Map(output.map(({ fileName, moduleIds = [] }) => [join(dir, fileName), moduleIds]));
  return async (lines, options) => {
    const runs = await runInTurn(join(dir, 'cli.cjs'), lines, options);
    return runs.map((files) => Object.keys(files).flatMap((file) => modules.get(file) ?? []));
  };
}

/** The modules that at least so many commands load. */
function inSeveral(loaded, least) {
  const counts = new Map();
  for (const id of loaded.flat()) counts.set(id, (counts.get(id) ?? 0) + 1);
  return new Set([...counts.keys()].filter((id) => counts.get(id) >= least));
}
