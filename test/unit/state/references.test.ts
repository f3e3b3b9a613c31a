import { mkdirSync, symlinkSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { expect, test } from 'vitest';
import type { Expression } from '../../../src/state/entry.ts';
import { resolveReferences } from '../../../src/state/file/references.ts';
import { temporaryFolder } from '../../support/stackops.ts';

function repository(): string {
  const folder = join(temporaryFolder(), 'repository');
  mkdirSync(join(folder, 'secrets'), { recursive: true });
  writeFileSync(join(folder, '../outside'), 'outside');
  writeFileSync(join(folder, 'tls.pem'), 'one\ntwo\n\n');
  writeFileSync(join(folder, 'empty'), '');
  writeFileSync(join(folder, 'binary'), Buffer.from([0xff, 0xfe]));
  writeFileSync(join(folder, 'most'), 'x'.repeat(65_536));
  writeFileSync(join(folder, 'large'), 'x'.repeat(65_537));
  symlinkSync('../tls.pem', join(folder, 'secrets/link'));
  symlinkSync('../outside', join(folder, 'out'));
  symlinkSync('/dev/zero', join(folder, 'zero'));
  symlinkSync('/nowhere', join(folder, 'dangling'));
  symlinkSync('..', join(folder, 'up'));
  return folder;
}

function resolve(kind: 'env' | 'file' | 'secret', from: string, folder = repository()) {
  const expression: Expression = { kind, from };
  return resolveReferences([expression], { env: { SET: 'x\n', EMPTY: '' }, folder }).then((texts) =>
    texts.get(expression),
  );
}

test.each([
  ['env', 'SET', 'x\n'],
  ['env', 'EMPTY', ''],
  ['env', 'UNSET', ''],
  ['file', 'tls.pem', 'one\ntwo\n'],
  ['file', './secrets/link', 'one\ntwo\n'],
  ['file', 'empty', ''],
  ['file', 'missing', ''],
  ['file', 'dangling', ''],
  ['file', 'most', 'x'.repeat(65_536)],
  ['secret', 'op://a', ''],
] as const)('[6] %s %s is read; a file loses one last line end', async (kind, from, text) => {
  expect(await resolve(kind, from)).toBe(text);
});

test.each([
  ['out', 'cannot read out: it lies outside of FOLDER'],
  ['zero', 'cannot read zero: it lies outside of FOLDER'],
  ['up/outside', 'cannot read up/outside: it lies outside of FOLDER'],
  ['secrets', 'cannot read FOLDER/secrets: it is a folder'],
  ['large', 'FOLDER/large is larger than 64 KiB'],
  ['binary', 'binary is not valid UTF-8'],
])('[6] file %s is refused', async (from, message) => {
  const folder = repository();
  const expected = { kind: 'usage', message: message.replace('FOLDER', folder) };
  await expect(resolve('file', from, folder)).rejects.toMatchObject(expected);
});

test('[6] the secret_command is asked once for each reference, and loses one last line end', async () => {
  const asked: string[] = [];
  const expressions = ['op://a', 'op://b', 'op://a'].map((from): Expression => ({ kind: 'secret', from }));
  const texts = await resolveReferences([...expressions, { kind: 'literal', value: 'op://c' }], {
    env: {},
    folder: '',
    secret: async (reference) => {
      asked.push(reference);
      return `value of ${reference}\r\n`;
    },
  });
  expect(expressions.map((one) => texts.get(one))).toEqual(['value of op://a', 'value of op://b', 'value of op://a']);
  expect(asked).toEqual(['op://a', 'op://b']);
  expect(texts.size).toBe(3);
});
