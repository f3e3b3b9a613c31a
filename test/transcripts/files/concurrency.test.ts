import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { readdirSync } from 'node:fs';
import { join, resolve } from 'node:path';
import { rolldown } from 'rolldown';
import { expect, it } from 'vitest';
import { readJsonFile, updateJsonFile } from '../../../src/files/json-file.ts';
import { fuzzed, fuzzing } from '../../support/property.ts';
import { freshFolder, quiet } from './folder.ts';

const writers = 100;
/** The storm is for `npm run fuzz`. */
const programs = fuzzing ? 100 : 12;
const writesEach = 5;
const expected = (count: number) => Object.fromEntries(Array.from({ length: count }, (_, n) => [`key${n}`, n]));

it('keeps every key of a hundred concurrent writers in one process', async () => {
  const file = join(freshFolder(), 'config.json');
  await Promise.all(
    Array.from({ length: writers }, (_, n) => updateJsonFile(file, (old) => ({ ...old, [`key${n}`]: n }), quiet)),
  );
  expect(readJsonFile(file, quiet)).toEqual(expected(writers));
});

it('keeps every key of programs that write five times each at once', fuzzed, async () => {
  const folder = freshFolder();
  const program = await buildWriter(folder);
  const file = join(folder, 'data', 'config.json');
  const children = Array.from({ length: programs }, (_, n) =>
    spawn(process.execPath, [program, file, String(n * writesEach)], { stdio: ['ignore', 'ignore', 'inherit'] }),
  );
  const codes = await Promise.all(children.map(async (child) => (await once(child, 'close'))[0]));
  expect(codes).toEqual(Array(programs).fill(0));
  expect(readJsonFile(file, quiet)).toEqual(expected(programs * writesEach));
  expect(readdirSync(join(folder, 'data'))).toEqual(['config.json']);
});

/** A program that adds five keys, from the one of that number on: `node writer.mjs FILE N`. */
async function buildWriter(folder: string): Promise<string> {
  const code = `
    import { updateJsonFile } from ${JSON.stringify(resolve(import.meta.dirname, '../../../src/files/json-file.ts'))};
    const [file, n] = process.argv.slice(2);
    for (let key = Number(n); key < Number(n) + ${writesEach}; key += 1) {
      await updateJsonFile(file, (old) => ({ ...old, ['key' + key]: key }), { warn: () => undefined });
    }
  `;
  const entry = 'virtual:writer';
  const bundle = await rolldown({
    input: entry,
    platform: 'node',
    plugins: [
      {
        name: 'writer',
        resolveId: (id) => (id === entry ? id : undefined),
        load: (id) => (id === entry ? code : undefined),
      },
    ],
  });
  const file = join(folder, 'writer.mjs');
  await bundle.write({ file, format: 'esm', codeSplitting: false });
  await bundle.close();
  return file;
}
