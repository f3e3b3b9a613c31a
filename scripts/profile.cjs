const { mkdirSync, readFileSync, writeFileSync } = require('node:fs');
const { Session } = require('node:inspector');
const { dirname, join } = require('node:path');
const { fileURLToPath } = require('node:url');
const { compileFunction } = require('node:vm');

/**
 * `node in-turn.cjs loads|calls FOLDER PROGRAM LINE...` runs the program once for each line, each time as if it had just
 * been started, and writes which files each run loaded, and for `calls`, which slow it down, where the functions begin
 * that it called. To start Node for each would take the build several times as long.
 */
const [wanted, folder, program, ...lines] = process.argv.slice(2);
const env = { ...process.env };
const runs = [];

const session = new Session();
session.connect();
if (wanted === 'calls') {
  session.post('Profiler.enable');
  // With counts: without them V8 tells of a function once, and from Node 22 on it knows a file that is loaded again.
  session.post('Profiler.startPreciseCoverage', { callCount: true, detailed: false });
}

/** To read and compile its files is most of what a run takes, so it is done once. */
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
  // In a turn of its own, because Node tells only once of an end after which nothing was begun.
  setImmediate(() => require(program));
}

/** Since the last time. */
function calledIn(files) {
  const called = Object.fromEntries(files.map((file) => [file, []]));
  if (wanted === 'loads') return called;
  session.post('Profiler.takePreciseCoverage', (_, { result }) => {
    for (const { url, functions } of result.filter((script) => script.url.startsWith('file:'))) {
      const begun = functions.filter(({ ranges }) => ranges[0].count > 0).map(({ ranges }) => ranges[0].startOffset);
      called[fileURLToPath(url)]?.push(...begun);
    }
  });
  return called;
}

// So the error of the build names a run that hangs or ends the process.
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
