import { execFile } from 'node:child_process';
import { mkdtempSync, readFileSync, realpathSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { promisify } from 'node:util';
import { build } from 'rolldown';

const inTurn = fileURLToPath(new URL('in-turn.cjs', import.meta.url));

/** Most commands of a kind load what both of these load. */
const reads = ['stack list', 'variant list'];
const writes = ['stack env set LOG_LEVEL=debug', 'variant weight canary 20 -y'];

/**
 * Tells rolldown which modules lie in one file. Every file that is read makes a start slower, and so does every module in
 * it that is not used. So the program is first built with a file for each module, and commands show what they load: what
 * the same kinds of command load lies together.
 */
export async function loadedTogether(config, nouns) {
  const folder = realpathSync(mkdtempSync(join(tmpdir(), 'stackops-build-')));
  try {
    const { loadedBy, inSandbox } = await buildApart(config, folder);
    const [[first, ...help], loaded] = await Promise.all([
      loadedBy(['--version', ...nouns.map((noun) => `${noun} --help`)]),
      loadedBy([...reads, ...writes], inSandbox),
    ]);
    const kinds = Object.entries({
      start: inSeveral(help, 6),
      help: inSeveral(help, 1),
      read: inSeveral(loaded.slice(0, reads.length), 2),
      write: inSeveral(loaded.slice(reads.length), 2),
    });
    const early = new Set(first);
    return {
      name: (id) => {
        const name = kinds.flatMap(([kind, modules]) => (modules.has(id) ? [kind] : [])).join('-');
        // What --version needs stays in the file of the entry, and what only menus and their help need lies apart.
        return early.has(id) || !/read|write/.test(name) ? null : name;
      },
    };
  } finally {
    rmSync(folder, { recursive: true, force: true });
  }
}

/** Builds with a file for each module. What it returns runs commands and tells the modules that each of them loaded. */
async function buildApart(config, folder) {
  const dir = join(folder, 'dist');
  const { output } = await build({
    ...config,
    output: { ...config.output, dir, minify: false, preserveModules: true },
  });
  const modules = new Map(output.map(({ fileName, moduleIds = [] }) => [join(dir, fileName), moduleIds]));
  const program = join(dir, 'cli.cjs');
  const env = { PATH: process.env.PATH, HOME: folder, STACKOPS_STACK: 'shop' };
  return {
    inSandbox: [program, 'sandbox', 'run', '--', process.execPath],
    loadedBy: async (lines, around = []) => {
      const run = mkdtempSync(join(folder, 'run-'));
      const words = [...around, inTurn, run, program, ...lines];
      await promisify(execFile)(process.execPath, words, { env });
      const loaded = JSON.parse(readFileSync(join(run, 'loaded.json'), 'utf8'));
      return loaded.map((files) => files.flatMap((file) => modules.get(file) ?? []));
    },
  };
}

/** The modules that at least so many commands load. */
function inSeveral(loaded, least) {
  const counts = new Map();
  for (const id of loaded.flat()) counts.set(id, (counts.get(id) ?? 0) + 1);
  return new Set([...counts.keys()].filter((id) => counts.get(id) >= least));
}
