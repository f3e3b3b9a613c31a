import { readdirSync, readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { build } from 'rolldown';
import { parseAst } from 'rolldown/parseAst';
import { expect, test } from 'vitest';
import { temporaryFolder } from './support/stackops.ts';

const dist = join(import.meta.dirname, '../dist');

test('the program has no native import(), so that an executable made of it runs on Node 20', () => {
  const files = readdirSync(dist).filter((file) => file.endsWith('.cjs'));
  const native = files.flatMap((file) => {
    let count = 0;
    JSON.stringify(parseAst(readFileSync(join(dist, file), 'utf8'), { sourceType: 'script' }), (key, value) => {
      if (key === 'type' && value === 'ImportExpression') count += 1;
      return typeof value === 'bigint' ? undefined : value;
    });
    return count > 0 ? [`${file}: ${count}`] : [];
  });
  expect(native).toEqual([]);
  expect(files).toContain('cli.cjs');
});

test('a warning of the bundler fails the build', async () => {
  const { default: config } = await import(new URL('../.config/rolldown.mjs', import.meta.url).href);
  const folder = temporaryFolder();
  const entry = join(folder, 'entry.js');
  writeFileSync(entry, "import { a } from './a.js';\nimport('./a.js').then((late) => a(late));\n");
  writeFileSync(join(folder, 'a.js'), 'export const a = (late) => late;\n');
  const output = { ...config.output, dir: join(folder, 'dist') };
  await expect(build({ ...config, input: { cli: entry }, output })).rejects.toThrow(/warning of the bundler: .*a\.js/);
});
