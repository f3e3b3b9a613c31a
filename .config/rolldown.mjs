import { createRequire } from 'node:module';
import { resolve } from 'node:path';
import { defineConfig } from 'rolldown';
import { textFiles } from '../scripts/text-files.mjs';

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
 * check itself: 3 to 7 ms of every request. The stand-ins say the same; test/transcripts/http/undici-parts.test.ts fails
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

/** undici computes 30 tables at each start, and its client asks two of them: 10 kB. The same test guards it. */
const computedTables = {
  name: 'computed-tables-of-undici',
  load: {
    filter: { id: /undici[\\/]lib[\\/]llhttp[\\/]constants\.js$/ },
    handler: (id) => {
      const { ERROR, TYPE } = createRequire(import.meta.url)(id);
      return `module.exports = ${JSON.stringify({ ERROR, TYPE })};`;
    },
  },
};

/**
 * cli-table3 measures each cell six times by patterns of 10 kB, and colours with a library that we switch off: a third of
 * what it takes to draw a list. What it is given (`suitsGrid`) our own measure knows, too. Delete this when cli-table3
 * measures quickly.
 */
const lighterTable = {
  name: 'lighter-cli-table3',
  resolveId: {
    filter: { id: /^(string-width|@colors\/colors\/safe)$/ },
    handler: (id, importer) => (/[\\/]cli-table3[\\/]/.test(importer ?? '') ? `\0for-table:${id}` : undefined),
  },
  load: {
    filter: { id: /^\0for-table:/ },
    handler: (id) =>
      id.endsWith('string-width')
        ? `module.exports = require(${JSON.stringify(resolve('src/output/table/cell-width.ts'))}).cellWidth;`
        : 'module.exports = undefined;',
  },
};

/**
 * V8 reads a function once where `(function` begins it, and otherwise again when it is called; and it makes one object of
 * getters faster than it makes hundreds of calls for them. A miss costs only time.
 */
const quickToRead = {
  name: 'quick-to-read',
  renderChunk: (code) => {
    const exported = [];
    const rest = code
      .replace(/\(\(\(((?:exports(?:, module)?)?)\) => \{$/gm, '((function($1) {')
      .replace(
        /^Object\.defineProperty\(exports, "([^"]+)", \{\s+enumerable: true,\s+get: function \(\) \{\s+return ([\w$]+);\s+\}\s+\}\);$/gm,
        (_, name, value) => {
          exported.push(`get ${name}() { return ${value}; },`);
          return '';
        },
      );
    return exported.length === 0 ? rest : `exports = module.exports = {${exported.join('')}};${rest}`;
  },
};

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
  plugins: [textFiles, lazyChildProcess, unreached, lighterUndici, computedTables, lighterTable, quickToRead],
  transform: { target: 'node20' },
  output: {
    dir: 'dist',
    format: 'cjs',
    // An executable made of these files can `require` what Node has, and on Node 20 nothing that `import()` asks for.
    dynamicImportInCjs: false,
    minify: true,
    // One character more than Latin-1 has, and V8 keeps and reads the whole file in two bytes a character.
    charset: 'ascii',
    cleanDir: true,
    entryFileNames: '[name].cjs',
    chunkFileNames: '[name].cjs',
  },
});
