import { execFile } from 'node:child_process';
import { mkdtempSync, readFileSync, realpathSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { promisify } from 'node:util';
import { build } from 'rolldown';

/** Most commands of a kind load what both of these load. */
const reads = ['stack list', 'variant list'];
const writes = ['stack env set LOG_LEVEL=debug', 'variant weight canary 20 -y'];

/**
 * Tells rolldown which modules lie in one file. Every file that is read makes a start slower, and so does every module in
 * it that is not used. So the program is first built with a file for each module, and commands show what they load: what
 * the same kinds of command load lies together.
 */
export async function loadedTogether(config) {
  const folder = realpathSync(mkdtempSync(join(tmpdir(), 'stackops-build-')));
  try {
    const { nouns, loadedBy, sandboxed } = await buildApart(config, folder);
    const first = new Set(await loadedBy('--version'));
    const help = await Promise.all(nouns.map((noun) => loadedBy(noun, '--help')));
    const kinds = Object.entries({
      start: inSeveral(help, 6),
      help: inSeveral(help, 1),
      read: inSeveral(await Promise.all(reads.map(sandboxed)), 2),
      write: inSeveral(await Promise.all(writes.map(sandboxed)), 2),
    });
    return {
      name: (id) => {
        const name = kinds.flatMap(([kind, modules]) => (modules.has(id) ? [kind] : [])).join('-');
        // What --version needs stays in the file of the entry, and what only menus and their help need lies apart.
        return first.has(id) || !/read|write/.test(name) ? null : name;
      },
    };
  } finally {
    rmSync(folder, { recursive: true, force: true });
  }
}

/** Builds with a file for each module. What it returns runs the program and tells the modules that were loaded. */
async function buildApart(config, folder) {
  const [dir, hook] = ['dist', 'hook.cjs'].map((name) => join(folder, name));
  const { output } = await build({
    ...config,
    output: { ...config.output, dir, minify: false, preserveModules: true },
  });
  const modules = new Map(output.map(({ fileName, moduleIds = [] }) => [join(dir, fileName), moduleIds]));
  const loaded = `require('node:fs').writeFileSync(process.env.LOADED, JSON.stringify(Object.keys(require.cache)))`;
  writeFileSync(hook, `process.on('exit', () => ${loaded});\n`);
  const node = process.execPath;
  const program = join(dir, 'cli.cjs');
  const env = { PATH: process.env.PATH, HOME: folder, STACKOPS_STACK: 'shop' };
  const run = promisify(execFile);
  const loadedIn = async (...args) => {
    const list = join(mkdtempSync(join(folder, 'run-')), 'loaded.json');
    await run(node, args, { env: { ...env, LOADED: list } });
    return JSON.parse(readFileSync(list, 'utf8')).flatMap((file) => modules.get(file) ?? []);
  };
  const watched = ['--require', hook, program];
  return {
    nouns: [...new Set((await run(node, [program, 'commands', '-q'], { env })).stdout.match(/^\S+/gm))],
    loadedBy: (...words) => loadedIn(...watched, ...words),
    sandboxed: (words) => loadedIn(program, 'sandbox', 'run', '--', node, ...watched, ...words.split(' ')),
  };
}

/** The modules that at least so many commands load. */
function inSeveral(loaded, least) {
  const counts = new Map();
  for (const id of loaded.flat()) counts.set(id, (counts.get(id) ?? 0) + 1);
  return new Set([...counts.keys()].filter((id) => counts.get(id) >= least));
}
