import { expect, test } from 'vitest';
import { envFileText, readVariables, updatedFileText } from '../../../src/env-file/formats.ts';

const mebibyte = 1024 * 1024;
const read = (text: string, format: 'dotenv' | 'shell' | 'yaml') => readVariables({ text, source: 'F' }, format);

/** A reader that tried each of a million signs anew would take minutes; this takes part of a second. */
test.each([
  ['dotenv', `A=x${' '.repeat(mebibyte)}y`],
  ['dotenv', `A=x${' \t'.repeat(mebibyte)}`],
  ['dotenv', `A="${'\\n'.repeat(mebibyte)}"`],
  ['dotenv', `A=x${' #'.repeat(mebibyte)}`],
  ['dotenv', `${' '.repeat(mebibyte)}A=1`],
  ['dotenv', `A${' '.repeat(mebibyte)}=1`],
  ['dotenv', 'A='.padEnd(mebibyte, '\'"')],
  ['shell', `A=${"'x'\\y".repeat(mebibyte)}`],
] as const)('a long line of %s is read in one go (%#)', { timeout: 10_000 }, async (format, text) => {
  expect(await read(text, format).catch(() => [{ key: 'A' }])).toMatchObject([{ key: 'A' }]);
});

test('YAML that env export wrote is read at any length, other YAML up to 64 KiB', async () => {
  const values = new Map(Array.from({ length: 50_000 }, (_, index) => [`KEY_${index}`, `"${index}" \\ é\n`]));
  const text = envFileText(values, 'yaml');
  expect(new Map((await read(text, 'yaml')).map(({ key, value }) => [key, value]))).toEqual(values);
  const updated = await updatedFileText(
    { text, source: 'F' },
    'yaml',
    new Map([
      ['KEY_7', 'seven'],
      ['NEW', 'x'],
    ]),
  );
  expect(updated).toBe(envFileText(new Map([...values, ['KEY_7', 'seven'], ['NEW', 'x']]), 'yaml'));
  for (const odd of [`A: ${'"'.repeat(100_000)}`, '['.repeat(300_000), `# ours\n${text}`]) {
    await expect(read(odd, 'yaml')).rejects.toThrow(
      'F: YAML over 64 KiB must be one KEY: "VALUE" a line, as env export writes it',
    );
  }
  await expect(read(`A: ${'"'.repeat(60_000)}`, 'yaml')).rejects.toThrow('F line 1: not valid YAML');
});
