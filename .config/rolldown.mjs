import { createRequire } from 'node:module';
import { resolve } from 'node:path';
import { defineConfig } from 'rolldown';
import { textFiles } from '../scripts/text-files.mjs';

/**
 * Commander requires child_process at load, for an unused feature: 1 to 2 ms of every command. Delete this when
 * Commander requires it only to spawn. It replaces line 2 of lib/command.js; if that line changes, only time is lost.
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
 * Commander writes no help here and suggests no word: 7 kB of every command. Delete this when Commander loads both on
 * demand.
 */
const lighterCommander = {
  name: 'lighter-commander',
  load: {
    filter: { id: /commander[\\/]lib[\\/](help|suggestSimilar)\.js$/ },
    handler: () => `
      exports.stripColor = (text) => text;
      exports.Help = class {
        prepareContext() {}
        formatHelp() { return ''; }
      };`,
  },
};

/**
 * HTTP/2, the parser for machines without SIMD and the bodies of fetch are never used, and are half of undici: at least
 * 4 ms of every request. Delete this when undici loads them on demand.
 */
const unreached = {
  name: 'unreached-parts-of-undici',
  load: {
    filter: { id: /undici[\\/]lib[\\/](dispatcher[\\/]client-h2|llhttp[\\/]llhttp-wasm|web[\\/]fetch[\\/]body)\.js$/ },
    handler: () => 'module.exports = undefined;',
  },
};

/**
 * undici requires Node's HTTP client only for the size of headers and the class of messages, and assert to check
 * itself: 3 to 7 ms of every request. These replacements have the same values;
 * test/transcripts/http/undici-parts.test.ts fails when undici uses more of them. Delete this when undici's client no
 * longer requires `node:http` and `node:assert`.
 */
const replacements = {
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
    handler: (id) => replacements[id.slice('\0stand-in:'.length)],
  },
};

/** undici computes 30 tables at each start, but its client uses only two: 10 kB. The same test guards this. */
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
 * cli-table3 measures each cell six times with patterns of 10 kB, and loads a colour library that we switch off: a
 * third of the time to draw a list. Our own function measures the cells that `suitsGrid` allows. Delete this when
 * cli-table3 measures quickly.
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
 * The library of the Model Context Protocol brings ajv for Node, and for workers a validator that is a seventh of it and
 * compiles nothing. Our schemas are four small objects. Delete this when the validator can be chosen without a bundle of both.
 */
const lighterValidator = {
  name: 'lighter-validator-of-mcp',
  resolveId: { filter: { id: /^@modelcontextprotocol\/server\/_shims$/ }, handler: (id) => `\0for-mcp:${id}` },
  load: {
    filter: { id: /^\0for-mcp:/ },
    handler: () =>
      `export { CfWorkerJsonSchemaValidator as DefaultJsonSchemaValidator } from '@modelcontextprotocol/server/validators/cf-worker';
      export const process = {};`,
  },
};

/**
 * V8 compiles a function that begins with `(function` only once, and creates one object of getters faster than it calls
 * `defineProperty` hundreds of times. If the pattern no longer matches, only time is lost.
 */
const fasterParsing = {
  name: 'faster-parsing',
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

/** Every warning of the bundler is an error, unless it is switched off here by name. */
export const warningsFail = (level, log) => {
  if (level === 'warn') throw new Error(`warning of the bundler: ${log.message}`);
};

export default defineConfig({
  input: { cli: 'src/launcher.ts' },
  platform: 'node',
  onLog: warningsFail,
  // Slow builds of a busy machine are no warning.
  checks: { bundlerTimings: false },
  plugins: [
    textFiles,
    lazyChildProcess,
    lighterCommander,
    unreached,
    lighterUndici,
    computedTables,
    lighterTable,
    lighterValidator,
    fasterParsing,
  ],
  transform: { target: 'node20' },
  output: {
    dir: 'dist',
    format: 'cjs',
    // On Node 20 an executable with these files can `require` Node's modules, but not `import()` them.
    dynamicImportInCjs: false,
    minify: true,
    // With one character outside Latin-1, V8 stores and reads the whole file with two bytes a character.
    charset: 'ascii',
    comments: { annotation: false, jsdoc: false },
    cleanDir: true,
    entryFileNames: '[name].cjs',
    chunkFileNames: '[name].cjs',
  },
});
