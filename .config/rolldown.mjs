import { defineConfig } from 'rolldown';
import { parseAst } from 'rolldown/parseAst';
import { textFiles } from './text-files.mjs';

/**
 * Commander asks for child_process at load, for a feature that is not used here: 1 to 2 ms of every command. Delete this
 * when Commander asks for it where it spawns; what it replaces is line 2 of lib/command.js, and a miss costs only time.
 */
const lazyChildProcess = {
  name: 'lazy-child-process',
  transform: {
    filter: { id: /commander[\\/]lib[\\/]command\.js$/ },
    handler: (code) =>
      code.replace(
        "const childProcess = require('node:child_process');",
        "const childProcess = { get spawn() { return require('node:child_process').spawn; } };",
      ),
  },
};

/**
 * HTTP/2, the parser for machines without SIMD and the bodies of fetch are never reached, and are half of undici: at
 * least 4 ms of every request. Delete this when undici loads them itself only when they are needed.
 */
const unreached = {
  name: 'unreached-parts-of-undici',
  load: {
    filter: { id: /undici[\\/]lib[\\/](dispatcher[\\/]client-h2|llhttp[\\/]llhttp-wasm|web[\\/]fetch[\\/]body)\.js$/ },
    handler: () => 'module.exports = undefined;',
  },
};

/**
 * undici asks for Node's own HTTP client only to know the size of headers and the class of messages, and for assert to
 * check itself: 3 to 7 ms of every request. The stand-ins say the same; test/http/undici-parts.test.ts fails
 * when undici starts to use more of them. Delete this when undici's client no longer asks for `node:http` and `node:assert`.
 */
const standIns = {
  'node:http': 'module.exports = { maxHeaderSize: 16384, IncomingMessage: class IncomingMessage {} };',
  'node:assert': `const assert = (value, message) => { if (!value) throw new Error(message || 'assertion failed'); };
    assert.strictEqual = (a, b) => assert(Object.is(a, b));
    assert.notStrictEqual = (a, b) => assert(!Object.is(a, b));
    module.exports = assert;`,
};
const lighterUndici = {
  name: 'lighter-undici',
  resolveId: {
    filter: { id: /^node:(http|assert)$/ },
    handler: (id, importer) => (/node_modules[\\/]undici[\\/]/.test(importer ?? '') ? `\0stand-in:${id}` : undefined),
  },
  load: {
    filter: { id: /^\0stand-in:/ },
    handler: (id) => standIns[id.slice('\0stand-in:'.length)],
  },
};

/**
 * V8 reads a function twice, first for its end and then for its meaning, unless it stands in parentheses as if called on
 * the spot. The modules of Commander and undici are functions called a moment later: in parentheses a list takes 2 to
 * 6 ms less. Delete this when rolldown writes the parentheses itself, or when the code comes from V8's code cache.
 */
const readOnce = {
  name: 'read-once',
  generateBundle(_, bundle) {
    for (const chunk of Object.values(bundle)) {
      if (chunk.type === 'chunk') chunk.code = moduleFunctions(chunk.code).reduceRight(inParentheses, chunk.code);
    }
  },
};

/** Where a chunk says `name = wrap((exports, module) => { … })`, at its top level. */
function moduleFunctions(code) {
  const declared = parseAst(code, { sourceType: 'script' }).body.filter(({ type }) => type === 'VariableDeclaration');
  return declared
    .flatMap(({ declarations }) => declarations)
    .filter(({ init }) => init?.type === 'CallExpression' && init.callee.type === 'MemberExpression')
    .flatMap(({ init }) => (init.arguments.length === 1 ? init.arguments : []))
    .map((argument) => ({ argument, arrow: argument.expression?.type ? argument.expression : argument }))
    .filter(({ arrow }) => arrow.type === 'ArrowFunctionExpression' && arrow.body.type === 'BlockStatement');
}

function inParentheses(code, { argument, arrow }) {
  const params = arrow.params.map(({ start, end }) => code.slice(start, end)).join(',');
  const rewritten = `(function(${params})${code.slice(arrow.body.start, arrow.body.end)})`;
  return code.slice(0, argument.start) + rewritten + code.slice(argument.end);
}

/**
 * Each file that is read makes a start slower, so what is needed together lies together. A group takes along what its
 * files import, unless a group before it has that; everything else is split by where it is imported. No noun lies with
 * another, except `env` and its settings with `stack`.
 */
const rooms = [
  // Every command line, its help page included.
  [
    'main',
    /src[\\/](main\.ts|app[\\/]compose|cli[\\/]help[\\/]help-page|contract|problems|kinds|commands[\\/]settings[\\/](get|set))/,
  ],
  // A command that is more than help.
  [
    'run',
    /node_modules[\\/]commander|src[\\/](app[\\/]session|cli[\\/](words[\\/]|[a-z-]+\.ts)|output[\\/][a-z-]+\.ts|http[\\/][a-z-]+\.ts|settings|auth[\\/]token)/,
  ],
  // A request that leaves this machine.
  [
    'client',
    /undici[\\/]lib[\\/](core(?![\\/]socks5)|util|llhttp|dispatcher[\\/](client|dispatcher)|handler[\\/](un)?wrap)/,
  ],
  ['transport', /src[\\/]http[\\/]transport/],
  // A write: its line in the journal, and what it started.
  ['write', /src[\\/](changes[\\/](journal|wait)|files[\\/]lock)/],
  // The noun typed most.
  ['stack', /src[\\/]commands[\\/]stack/],
  // What a noun is, `server-setting` with `server`: the sandbox reads all nouns, and none of their commands.
  [(id) => /([a-z]+)[a-z-]*\.ts$/.exec(id)[1], /src[\\/]resources[\\/](?!index)/],
  ['sandbox', /src[\\/]sandbox[\\/](?!server|seed)/],
  ['yaml', /node_modules[\\/]yaml[\\/]/],
  ['jq', /node_modules[\\/]jq-wasm[\\/]/],
];
const groups = rooms.map(([name, test], at) => ({ name, test, priority: rooms.length - at }));

/** What the bundler warns of is wrong, or is switched off here by name. */
export const warningsFail = (level, log) => {
  if (level === 'warn') throw new Error(`warning of the bundler: ${log.message}`);
};

export default defineConfig({
  input: { cli: 'src/launcher.ts' },
  platform: 'node',
  onLog: warningsFail,
  // A busy machine is nothing to warn about.
  checks: { bundlerTimings: false },
  plugins: [textFiles, lazyChildProcess, unreached, lighterUndici, readOnce],
  transform: { target: 'node20' },
  output: {
    dir: 'dist',
    format: 'cjs',
    // An executable made of these files can `require` what Node has, and on Node 20 nothing that `import()` asks for.
    dynamicImportInCjs: false,
    minify: true,
    cleanDir: true,
    entryFileNames: '[name].cjs',
    chunkFileNames: '[name].cjs',
    codeSplitting: { groups },
  },
});
