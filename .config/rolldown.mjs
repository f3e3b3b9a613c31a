import { defineConfig } from 'rolldown';

/** Commander asks for child_process at load, for a feature that is not used here: 2 ms of every start. */
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

/** HTTP/2 and the parser for machines without SIMD are never reached, and are a third of undici's start. */
const unreached = {
  name: 'unreached-parts-of-undici',
  load: {
    filter: { id: /undici[\\/]lib[\\/](dispatcher[\\/]client-h2|llhttp[\\/]llhttp-wasm)\.js$/ },
    handler: () => 'module.exports = undefined;',
  },
};

export default defineConfig({
  input: { cli: 'src/launcher.ts' },
  platform: 'node',
  plugins: [lazyChildProcess, unreached],
  transform: { target: 'node20' },
  output: {
    dir: 'dist',
    format: 'cjs',
    minify: true,
    cleanDir: true,
    entryFileNames: '[name].cjs',
    chunkFileNames: '[name].cjs',
  },
});
