import { readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { beforeEach, expect, it } from 'vitest';
import { findFolders } from '../../../src/files/folders.ts';
import { activateProfile, changePreferences, changeProfile, deleteProfile } from '../../../src/settings/config-file.ts';
import { resolveSettings } from '../../../src/settings/settings.ts';
import { freshFolder, quiet } from '../../transcripts/files/folder.ts';

let file = '';
let folder = '';
beforeEach(() => {
  folder = freshFolder();
  file = join(folder, 'config.json');
});
const { warn } = quiet;
const content = () => JSON.parse(readFileSync(file, 'utf8'));

it('writes values of a profile and keeps what it does not know', async () => {
  writeFileSync(file, '{"later":{"x":1},"profiles":{"work":{"stack":"a","novelty":true}}}');
  await changeProfile({ file, warn }, 'work', { stack: undefined, account: '7' });
  await changeProfile({ file, warn }, 'home', { stack: 'blog' });
  expect(content()).toEqual({
    later: { x: 1 },
    profiles: { work: { novelty: true, account: '7' }, home: { stack: 'blog' } },
  });
});

it('writes and forgets preferences', async () => {
  await changePreferences({ file, warn }, { output: 'json', timeout: '60s' });
  await changePreferences({ file, warn }, { output: undefined });
  expect(content()).toEqual({ preferences: { timeout: '60s' } });
});

it('goes on with the default profile when the active one is deleted', async () => {
  await changeProfile({ file, warn }, 'work', { stack: 'shop' });
  await activateProfile({ file, warn }, 'work');
  await deleteProfile({ file, warn }, 'work');
  expect(content()).toEqual({ profiles: {} });
  const folders = () => findFolders({ STACKOPS_CONFIG_DIR: folder }, 'linux');
  expect(resolveSettings({ flags: {}, env: {}, folders }).profile).toBe('default');
});

it('keeps the active profile when another one is deleted', async () => {
  await changeProfile({ file, warn }, 'work', { stack: 'shop' });
  await changeProfile({ file, warn }, 'home', {});
  await activateProfile({ file, warn }, 'work');
  await deleteProfile({ file, warn }, 'home');
  expect(content()).toEqual({ active_profile: 'work', profiles: { work: { stack: 'shop' } } });
});

it('loses no profile to a write at the same time', async () => {
  const names = Array.from({ length: 30 }, (_, n) => `p${n}`);
  await Promise.all(names.map((name) => changeProfile({ file, warn }, name, { stack: name })));
  expect(Object.keys(content().profiles).sort()).toEqual([...names].sort());
});

it.each([
  '{"active_profile":1}',
  '{"preferences":{"output":["json"]}}',
  '{"profiles":{"work":{"stack":{"name":"shop"}}}}',
  '{"profiles":{"other":[]}}',
])('never writes over %s', async (text) => {
  writeFileSync(file, text, { mode: 0o600 });
  const place = { file, warn };
  for (const change of [
    () => changeProfile(place, 'work', { stack: 'blog' }),
    () => changePreferences(place, { output: 'csv' }),
    () => activateProfile(place, 'work'),
    () => deleteProfile(place, 'work'),
  ]) {
    await expect(change()).rejects.toThrow(`cannot use ${file}: `);
  }
  expect(readFileSync(file, 'utf8')).toBe(text);
});
