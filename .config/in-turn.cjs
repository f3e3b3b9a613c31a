const { mkdirSync, writeFileSync } = require('node:fs');
const { join } = require('node:path');

/**
 * `node in-turn.cjs FOLDER PROGRAM LINE...` runs the program once for each line, each time as if it had just been started,
 * and writes which files each run loaded. To start Node for each would take the build several times as long.
 */
const [folder, program, ...lines] = process.argv.slice(2);
const env = { ...process.env };
const loaded = [];

function next() {
  const line = lines[loaded.length];
  for (const file of Object.keys(require.cache)) delete require.cache[file];
  process.argv = [process.execPath, program, ...line.split(' ')];
  const home = join(folder, `home-${loaded.length}`);
  mkdirSync(home);
  Object.assign(process.env, env, { HOME: home });
  // In a turn of its own, because Node tells only once of an end after which nothing was begun.
  setImmediate(() => require(program));
}

process.on('beforeExit', (code) => {
  if (code !== 0) throw new Error(`stackops ${lines[loaded.length]}: exit code ${code}`);
  loaded.push(Object.keys(require.cache));
  if (loaded.length < lines.length) next();
  else writeFileSync(join(folder, 'loaded.json'), JSON.stringify(loaded));
});
next();
