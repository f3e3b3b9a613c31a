import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { readdirSync } from 'node:fs';
import { join, resolve } from 'node:path';
import { rolldown } from 'rolldown';
import { expect, it } from 'vitest';
import { readJsonFile, updateJsonFile } from '../../src/files/json-file.ts';
import { freshFolder, quiet } from './folder.ts';

const writers = 100;
const expected = (count: number) => Object.fromEntries(Array.from({ length: count }, (_, n) => [`key${n}`, n]));

it('keeps every key of a hundred concurrent writers in one process', async () => {
  const file = join(freshFolder(), 'config.json');
  await Promise.all(
    Array.from({ length: writers }, (_, n) => updateJsonFile(file, (old) => ({ ...old, [`key${n}`]: n }), quiet)),
  );
  expect(readJsonFile(file, quiet)).toEqual(expected(writers));
});

it('keeps every key of a hundred processes that write at once', { timeout: 120_000 }, async () => {
  const folder = freshFolder();
  const program = await buildWriter(folder);
  const file = join(folder, 'data', 'config.json');
  const children = Array.from({ length: writers }, (_, n) =>
    spawn(process.execPath, [program, file, String(n)], { stdio: ['ignore', 'ignore', 'inherit'] }),
  );
  const codes = await Promise.all(children.map(async (child) => (await once(child, 'close'))[0]));
  expect(codes).toEqual(Array(writers).fill(0));
  expect(readJsonFile(file, quiet)).toEqual(expected(writers));
  expect(readdirSync(join(folder, 'data'))).toEqual(['config.json']);
});

/** A program that adds one key: `node writer.mjs FILE N`. */
async function buildWriter(folder: string): Promise<string> {
  const code = `
    import { updateJsonFile } from ${JSON.stringify(resolve(import.meta.dirname, '../../src/files/json-file.ts'))};
    const [file, n] = process.argv.slice(2);
    await updateJsonFile(file, (old) => ({ ...old, ['key' + n]: Number(n) }), { warn: () => undefined });
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
