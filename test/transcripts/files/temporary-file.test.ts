import { rm } from 'node:fs/promises';
import { expect, onTestFinished, test, vi } from 'vitest';
import { withTemporaryFile } from '../../../src/files/temporary-file.ts';

vi.mock('node:fs', async (original) => ({
  ...(await original<typeof import('node:fs')>()),
  rmSync: () => {
    throw Object.assign(new Error('in use'), { code: 'EACCES' });
  },
}));

test('a folder that cannot be deleted is named, and the work stands', async () => {
  const warnings: string[] = [];
  const edited = withTemporaryFile(
    'a.txt',
    async (file) => file.path,
    (line) => warnings.push(line),
  );
  const folder = (await edited).replace(/.a\.txt$/, '');
  onTestFinished(() => rm(folder, { recursive: true }));
  expect(warnings).toEqual([`cannot delete ${folder}: permission denied (EACCES); delete it yourself`]);
});
