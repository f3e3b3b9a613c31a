import { spawnSync } from 'node:child_process';
import { mkdtempSync, readdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join, relative, resolve } from 'node:path';
import { rolldown } from 'rolldown';
import config from '../.config/rolldown.mjs';

/**
 * `npm run figures`: the size and the shape of the source, each figure beside the most it should be. The sources are
 * built file by file into a temporary folder, so that a run of the program tells which of them it loads.
 */
const root = resolve(import.meta.dirname, '..');
const src = join(root, 'src');
const texts = new Map(
  readdirSync(src, { recursive: true, encoding: 'utf8' })
    .map((file) => file.replaceAll('\\', '/'))
    .filter((file) => file.endsWith('.ts'))
    .map((file) => [file, readFileSync(join(src, file), 'utf8')]),
);
/** Their places are named by id: what a name costs is another matter. */
const confirmedWrites = [
  'gateway delete bastion-1 --confirm bastion-1 -a 42',
  'variant delete va-preview -y -s 5f3c9a1e7b2d4c8f9e0a1b2c3d4e5f60',
  'stack env unset LOG_LEVEL -y -s 5f3c9a1e7b2d4c8f9e0a1b2c3d4e5f60',
];
const folder = mkdtempSync(join(tmpdir(), 'stackops-figures-'));
const program = join(folder, 'program');
const launcher = join(program, 'launcher.cjs');
try {
  await buildFiles();
  const { commands } = JSON.parse(run(['commands', '--json']).stdout);
  for (const [name, figure, goal] of rowsOf(commands)) {
    console.log(`${name.padEnd(60)} ${String(figure).padStart(7)}   at most ${goal}`);
  }
} finally {
  rmSync(folder, { recursive: true, force: true });
}

function rowsOf(commands) {
  const runs = confirmedWrites.map((words) => runWrite(words.split(' ')));
  const most = (key) => Math.max(...runs.map((run) => run[key]));
  const { rooms, floors, arrows } = drawing();
  return [
    ['lines in src', linesBelow(''), 24_500],
    ['lines in src/commands and src/kinds', linesBelow('commands/') + linesBelow('kinds/'), 6_100],
    ['hand-written lines per write, reads of its noun included', linesPerWrite(commands), 45],
    ['calls of script()', callsOf('script'), 15],
    ['calls of write()', callsOf('write'), 8],
    ['optional properties of Command', optionalProperties('contract/command.ts', 'Command'), 0],
    ['source files loaded by a confirmed write, of three the most', most('files'), 110],
    ['requests before a confirmed write, of three the most', most('requestsBefore'), 1],
    ['rooms of the import drawing', rooms, 24],
    ['floors of the import drawing', floors, 9],
    ['arrows of the import drawing', arrows, 80],
  ];
}

function linesBelow(start) {
  const inside = [...texts].filter(([file]) => file.startsWith(start));
  return inside.reduce((sum, [, text]) => sum + text.split('\n').length - 1, 0);
}

/**
 * All lines of the folders of commands/ that hold a write, divided by the number of writes. A folder holds `db user
 * create` when its name is one of the words before the verb; `stack` only gathers other menus, and `api` sends anything.
 */
function linesPerWrite(commands) {
  const writes = commands.filter((one) => one.changes_something && one.name !== 'api');
  const nouns = new Set(writes.flatMap(({ name }) => name.split(' ').slice(0, -1)));
  nouns.delete('stack');
  const lines = [...nouns].reduce((sum, noun) => sum + linesBelow(`commands/${noun}/`), 0);
  return Math.round(lines / writes.length);
}

/** Where a command is made with this kind; the other kinds are made of it too, and other functions have the same name. */
function callsOf(kind) {
  const call = new RegExp(`(?<![.\\w'\`])${kind}(<[^(]*>)?\\(`, 'g');
  const users = [...texts].filter(([file, text]) => !file.startsWith('kinds/') && text.includes(`/kinds/${kind}.ts'`));
  return users.reduce((sum, [, text]) => sum + [...text.matchAll(call)].length, 0);
}

function optionalProperties(file, name) {
  const [, body] = new RegExp(`^export interface ${name}\\b.*\\{\\n([\\s\\S]*?)^\\}`, 'm').exec(texts.get(file));
  return [...body.matchAll(/^ {2}readonly \w+\?:/gm)].length;
}

/** Rooms and imports as `test/architecture.test.ts` reads them: a room is what stands directly in src. */
function drawing() {
  const arrows = new Set();
  const values = new Map();
  for (const [file, text] of texts) {
    const fixed = text.matchAll(/^(?:import|export)\s(?:(type)\s)?(?:[^'";]*?\sfrom\s)?'(\.[^']+)'/gm);
    const late = text.matchAll(/\bimport\(()\s*'(\.[^']+)'\s*\)/g);
    for (const [, how, path] of [...fixed, ...late]) {
      const [from, to] = [file, join(file, '..', path).replaceAll('\\', '/')].map((one) => one.split('/')[0]);
      if (from === to || to === '..') continue;
      arrows.add(`${from} ${to}`);
      if (how !== 'type') values.set(from, (values.get(from) ?? new Set()).add(to));
    }
  }
  const floorOf = (room, above = []) => {
    // Rooms that import each other share a floor; the import law tells why they may.
    if (above.includes(room)) return 0;
    return 1 + Math.max(0, ...[...(values.get(room) ?? [])].map((below) => floorOf(below, [...above, room])));
  };
  const rooms = new Set([...texts.keys()].map((file) => file.split('/')[0]));
  return { rooms: rooms.size, floors: Math.max(...[...rooms].map((room) => floorOf(room))), arrows: arrows.size };
}

async function buildFiles() {
  const { output: _, ...input } = config;
  const bundle = await rolldown({ ...input, input: { launcher: join(src, 'launcher.ts') }, treeshake: false });
  const everyFile = { preserveModules: true, preserveModulesRoot: src, entryFileNames: '[name].cjs' };
  await bundle.write({ dir: program, format: 'cjs', dynamicImportInCjs: false, ...everyFile });
  await bundle.close();
}

/** A write against a served sandbox, over a socket: `{ files: 147, requestsBefore: 2 }`. */
function runWrite(words) {
  const [hook, list] = [join(folder, 'hook.cjs'), join(folder, 'loaded')];
  const listFiles = `require('node:fs').writeFileSync(${JSON.stringify(list)}, Object.keys(require.cache).join('\\n'))`;
  writeFileSync(hook, `process.on('exit', () => ${listFiles});`);
  const { stderr } = run(['sandbox', 'run', '--', process.execPath, '--require', hook, launcher, ...words, '-v']);
  const loaded = readFileSync(list, 'utf8')
    .split('\n')
    .map((file) => relative(program, file).replace('.cjs', '.ts'));
  const methods = [...stderr.matchAll(/^\* ([A-Z]+) \//gm)].map(([, method]) => method);
  return {
    files: loaded.filter((file) => texts.has(file)).length,
    requestsBefore: methods.findIndex((one) => one !== 'GET'),
  };
}

function run(words) {
  const { PATH } = process.env;
  const env = { PATH, STACKOPS_CONFIG_DIR: join(folder, 'config'), XDG_STATE_HOME: join(folder, 'state') };
  const ran = spawnSync(process.execPath, [launcher, ...words], { env, encoding: 'utf8', maxBuffer: 1 << 24 });
  if (ran.status !== 0) throw new Error(`${words.join(' ')} ended with ${ran.status}: ${ran.stderr}`);
  return ran;
}
