const { mkdirSync, readFileSync, writeFileSync } = require('node:fs');
const { Session } = require('node:inspector');
const { dirname, join } = require('node:path');
const { fileURLToPath } = require('node:url');
const { compileFunction } = require('node:vm');

/**
 * `node profile.cjs loads|calls FOLDER PROGRAM LINE...` runs the program once for each line as if newly started, and
 * writes the files that each run loaded; with `calls`, which is slower, also the positions of the functions that it
 * called. A new process for each line would take the build several times as long.
 */
const [mode, folder, program, ...lines] = process.argv.slice(2);
const env = { ...process.env };
const runs = [];

const session = new Session();
session.connect();
if (mode === 'calls') {
  session.post('Profiler.enable');
  // With counts: otherwise V8 reports a function only once, and since Node 22 remembers reloaded files.
  session.post('Profiler.startPreciseCoverage', { callCount: true, detailed: false });
}

/** Reading and compiling files takes most of a run, so it is done once. */
const compiled = new Map();
require.extensions['.cjs'] = (module, file) => {
  if (!compiled.has(file)) compiled.set(file, compile(file));
  compiled.get(file)(module.exports, (id) => module.require(id), module, file, dirname(file));
};

function compile(file) {
  return compileFunction(readFileSync(file, 'utf8'), ['exports', 'require', 'module', '__filename', '__dirname'], {
    filename: file,
  });
}

function next() {
  const line = lines[runs.length];
  for (const file of Object.keys(require.cache)) delete require.cache[file];
  process.argv = [process.execPath, program, ...line.split(' ')];
  const home = join(folder, `home-${runs.length}`);
  mkdirSync(home);
  Object.assign(process.env, env, { HOME: home });
  setTimeout(() => {
    if (lines[runs.length] === line) throw new Error(`stackops ${line}: not over after ${lateMs / 1000} s`);
  }, lateMs).unref();
  // In a new turn, because Node emits `beforeExit` again only if work was started after it.
  setImmediate(() => require(program));
}

/** Since the last call. */
function calledIn(files) {
  const called = Object.fromEntries(files.map((file) => [file, []]));
  if (mode === 'loads') return called;
  session.post('Profiler.takePreciseCoverage', (_, { result }) => {
    for (const { url, functions } of result.filter((script) => script.url.startsWith('file:'))) {
      const starts = functions.filter(({ ranges }) => ranges[0].count > 0).map(({ ranges }) => ranges[0].startOffset);
      called[fileURLToPath(url)]?.push(...starts);
    }
  });
  return called;
}

// Shorter than the limit of the build, so that its error names the run that hangs.
const lateMs = 60_000;
process.on('exit', () => {
  if (runs.length === lines.length) return;
  console.error(`while running: stackops ${lines[runs.length]}`);
  process.exitCode ||= 1;
});

process.on('beforeExit', (code) => {
  if (code !== 0) throw new Error(`stackops ${lines[runs.length]}: exit code ${code}`);
  runs.push(calledIn(Object.keys(require.cache)));
  if (runs.length < lines.length) next();
  else writeFileSync(join(folder, 'runs.json'), JSON.stringify(runs));
});
next();
