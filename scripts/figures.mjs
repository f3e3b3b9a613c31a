import { spawnSync } from 'node:child_process';
import { mkdtempSync, readdirSync, readFileSync, rmSync, statSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join, relative, resolve } from 'node:path';
import { fileURLToPath } from 'node:url';
import { rolldown } from 'rolldown';
import config from '../.config/rolldown.mjs';

/**
 * `npm run figures`: the size of the source, each figure beside its limit. The sources are built file by file into a
 * temporary folder, so that a run of the program shows which files it loads.
 */
const root = resolve(import.meta.dirname, '..');
const src = join(root, 'src');
const texts = new Map(
  readdirSync(src, { recursive: true, encoding: 'utf8' })
    .map((file) => file.replaceAll('\\', '/'))
    .filter((file) => file.endsWith('.ts'))
    .map((file) => [file, readFileSync(join(src, file), 'utf8')]),
);
const folder = mkdtempSync(join(tmpdir(), 'stackops-figures-'));
const program = join(folder, 'program');
const launcher = join(program, 'launcher.cjs');
/** The output of `npm run build`, which starts in a third of the time. */
const built = join(root, 'dist/cli.cjs');
try {
  await buildFiles();
  const { commands } = JSON.parse(run([built, 'commands', '--json']).stdout);
  for (const [name, figure, limit] of rowsOf(commands.filter((one) => one.changes_something))) {
    console.log(
      `${name.padEnd(72)} ${figure.toLocaleString('en').padStart(7)}   at most ${limit.toLocaleString('en')}`,
    );
  }
} finally {
  rmSync(folder, { recursive: true, force: true });
}

function rowsOf(writes) {
  const counts = lineCounts();
  const { simple, own } = linesOfWrites(writes);
  return [
    ['statements in src: no blank, comment, import, type or lone bracket', counts.statements, 25_100],
    ['lines in src', counts.all, 41_400],
    ['files in src', texts.size, 400],
    ['lines of the longest file in src', Math.max(...[...texts.keys()].map((file) => linesOf([file]))), 300],
    ['lines of test code in TypeScript', testLines(), 44_300],
    ['kB that stack list loads', Math.round(bytesOfList() / 1000), 360],
    ['files of src that run before the first request of a list', filesBeforeRequest(), 85],
    [
      'types and comments, per cent of the lines',
      Math.round((100 * (counts.types + counts.comments)) / counts.all),
      14,
    ],
    ['private functions with a doc comment', privateDocs(), 144],
    ['lines of a write made by a builder, reads of its resource included', simple, 26],
    ['lines of a write with its own plan, its own files only', own, 122],
  ];
}

function testLines() {
  const test = join(root, 'test');
  const files = readdirSync(test, { recursive: true, encoding: 'utf8' }).filter((file) => file.endsWith('.ts'));
  return files.reduce((sum, file) => sum + readFileSync(join(test, file), 'utf8').split('\n').length - 1, 0);
}

/** Counts lines by content. Sources are formatted, so the first characters of a line are enough. */
function lineCounts() {
  const counts = { all: 0, statements: 0, types: 0, comments: 0 };
  for (const text of texts.values()) {
    let until;
    for (const line of text.trimEnd().split('\n')) {
      counts.all += 1;
      const kind = until?.kind ?? kindOfLine(line);
      if (kind in counts) counts[kind] += 1;
      until ??= endOf(kind, line);
      if (until?.end.test(line)) until = undefined;
    }
  }
  return counts;
}

function kindOfLine(line) {
  if (/^\s*(\/\/|\/\*)/.test(line)) return 'comments';
  if (line.startsWith('import ')) return 'imports';
  if (/^(export )?(interface|type) /.test(line)) return 'types';
  return /^[\s()[\]{};,]*$/.test(line) ? 'brackets' : 'statements';
}

function endOf(kind, line) {
  if (kind === 'comments' && line.includes('/*')) return { kind, end: /\*\/\s*$/ };
  if (kind === 'imports') return { kind, end: /;$/ };
  if (kind === 'types') return { kind, end: line.endsWith('{') ? /^\}/ : /;$|\}$/ };
}

function privateDocs() {
  return [...texts.values()].reduce((sum, text) => sum + [...text.matchAll(/\*\/\n(?:async )?function/g)].length, 0);
}

/**
 * Lines per write. `simple`: in the folders of commands/ whose writes are all in index.ts. `own`: in the files that only
 * the other writes import.
 */
function linesOfWrites(all) {
  const isWrite = (text) => /from '[./]+builders\/(write|act|create|change|remove)\.ts'/.test(text);
  const isRead = (text) => /from '[./]+builders\/(call|get|custom-command)\.ts'/.test(text);
  const files = [...texts.keys()].filter((file) => /^commands\/.+\//.test(file));
  const menus = files.filter((file) => file.endsWith('/index.ts'));
  const others = files.filter((file) => !file.endsWith('/index.ts'));
  const simple = menus.filter((menu) => {
    const folder = join(menu, '..');
    return (
      isWrite(texts.get(menu)) && !others.some((file) => file.startsWith(`${folder}/`) && isWrite(texts.get(file)))
    );
  });
  const writes = reachedFrom(others.filter((file) => isWrite(texts.get(file))));
  const reads = reachedFrom(others.filter((file) => isRead(texts.get(file)) && !isWrite(texts.get(file))));
  // Custom commands, such as a ramp, are not counted.
  const custom = reachedFrom(others.filter((file) => texts.get(file).includes('builders/custom-command.ts')));
  const made = all.filter(({ name }) => simple.includes(`commands/${name.split(' ', 1)[0]}/index.ts`)).length;
  return {
    simple: Math.round(
      linesOf(files.filter((file) => !custom.has(file) && simple.some((menu) => file.startsWith(join(menu, '..'))))) /
        made,
    ),
    own: Math.round(linesOf([...writes].filter((file) => !reads.has(file))) / (all.length - made)),
  };
}

/** These files and their imports in the same folder of commands/. */
function reachedFrom(files, seen = new Set()) {
  for (const file of files) {
    if (seen.has(file)) continue;
    seen.add(file);
    const imported = [...texts.get(file).matchAll(/(?:from |import\()'(\.[^']+)'/g)].map(([, path]) =>
      join(file, '..', path),
    );
    const commandFolder = file.split('/', 2).join('/');
    reachedFrom(
      imported.filter((path) => texts.has(path) && path.startsWith(`${commandFolder}/`) && !path.endsWith('/index.ts')),
      seen,
    );
  }
  return seen;
}

function linesOf(files) {
  return files.reduce((sum, file) => sum + texts.get(file).split('\n').length - 1, 0);
}

/** Bytes of the built program that a list in a pipe reads. */
function bytesOfList() {
  const hook = `process.on('exit', () => require('node:fs').writeFileSync(LIST, Object.keys(require.cache).join('\\n')));`;
  return listWith(built, hook)
    .split('\n')
    .filter((file) => file.startsWith(join(root, 'dist')))
    .reduce((sum, file) => sum + statSync(file).size, 0);
}

/** Files of src with a function that ran before the first byte is sent. */
function filesBeforeRequest() {
  const hook = `
const { Session } = require('node:inspector');
const session = new Session();
session.connect();
session.post('Profiler.enable');
session.post('Profiler.startPreciseCoverage', { callCount: true });
const { Socket } = require('node:net');
const { connect } = Socket.prototype;
Socket.prototype.connect = function (...given) {
  session.post('Profiler.takePreciseCoverage', (_, { result }) => {
    const ran = result.filter(({ functions }) => functions.some(({ functionName, ranges }, at) => at > 0 && ranges[0].count > 0));
    require('node:fs').writeFileSync(LIST, ran.map(({ url }) => url).join('\\n'));
  });
  Socket.prototype.connect = connect;
  return connect.apply(this, given);
};`;
  const urls = listWith(launcher, hook).split('\n');
  const files = urls.filter((url) => url.startsWith('file:')).map((url) => relative(program, fileURLToPath(url)));
  return files.filter((file) => texts.has(file.replace('.cjs', '.ts'))).length;
}

/** Builds the program with one file for each source file. */
async function buildFiles() {
  const { output: _, ...input } = config;
  const bundle = await rolldown({ ...input, input: { launcher: join(src, 'launcher.ts') }, treeshake: false });
  const everyFile = { preserveModules: true, preserveModulesRoot: src, entryFileNames: '[name].cjs' };
  await bundle.write({ dir: program, format: 'cjs', dynamicImportInCjs: false, ...everyFile });
  await bundle.close();
}

/** Lists stacks of a served sandbox with this hook, and returns the text that the hook writes to LIST. */
function listWith(cli, hook) {
  const [file, list] = [join(folder, 'hook.cjs'), join(folder, 'list')];
  writeFileSync(file, hook.replace('LIST', JSON.stringify(list)));
  run([built, 'sandbox', 'run', '--', process.execPath, '--require', file, cli, 'stack', 'list']);
  return readFileSync(list, 'utf8');
}

function run(args) {
  const { PATH } = process.env;
  const env = { PATH, STACKOPS_CONFIG_DIR: join(folder, 'config'), XDG_STATE_HOME: join(folder, 'state') };
  const ran = spawnSync(process.execPath, args, { env, encoding: 'utf8', maxBuffer: 1 << 24 });
  if (ran.status !== 0) throw new Error(`${args.join(' ')} ended with ${ran.status}: ${ran.stderr}`);
  return ran;
}
