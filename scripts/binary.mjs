import { existsSync, mkdirSync, rmSync } from 'node:fs';
import { join, resolve } from 'node:path';
import { makeStandalones, ownTarget, programName, targets } from '../packaging/standalone.mjs';

/** `npm run binary [-- --target T]`: the output of `npm run build` as a program that needs no Node, in release/. */
const [flag, target = ownTarget, ...rest] = process.argv.slice(2);
if ((flag !== undefined && flag !== '--target') || !targets.includes(target) || rest.length > 0) {
  console.error(`usage: npm run binary [-- --target ${targets.join('|')}]`);
  process.exitCode = 2;
} else {
  const file = join('release', programName(target));
  mkdirSync('release', { recursive: true });
  rmSync(file, { force: true });
  makeStandalones({ dist: 'dist', targets: [target], folder: resolve('release'), say: console.log });
  if (existsSync(file)) console.log(file);
}
