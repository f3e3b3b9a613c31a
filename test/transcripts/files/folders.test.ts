import { describe, expect, it } from 'vitest';
import { findFolders } from '../../../src/files/folders.ts';

describe('findFolders', () => {
  it.each([
    [
      { HOME: '/home/ann' },
      '/home/ann/.config/stackops',
      '/home/ann/.local/state/stackops',
      '/home/ann/.cache/stackops',
    ],
    [
      { HOME: '/home/ann', XDG_CONFIG_HOME: '/c', XDG_STATE_HOME: '/s', XDG_CACHE_HOME: '/k' },
      '/c/stackops',
      '/s/stackops',
      '/k/stackops',
    ],
    [
      { HOME: '/home/ann', XDG_CONFIG_HOME: 'c', XDG_STATE_HOME: './s', XDG_CACHE_HOME: '' },
      '/home/ann/.config/stackops',
      '/home/ann/.local/state/stackops',
      '/home/ann/.cache/stackops',
    ],
    [
      { HOME: '/home/ann', STACKOPS_CONFIG_DIR: '/own', XDG_CONFIG_HOME: '/c' },
      '/own',
      '/home/ann/.local/state/stackops',
      '/home/ann/.cache/stackops',
    ],
  ])('%j', (env, config, state, cache) => {
    expect({ ...findFolders(env, 'linux') }).toEqual({ config, state, cache });
  });

  it.each([
    [{}, 'no folder for the files of stackops: HOME is not set'],
    [{ HOME: '' }, 'no folder for the files of stackops: HOME is empty'],
    [{ HOME: 'ann' }, 'HOME must be an absolute path, not "ann"'],
    [{ HOME: '/home/ann', STACKOPS_CONFIG_DIR: 'own' }, 'STACKOPS_CONFIG_DIR must be an absolute path, not "own"'],
  ])('refuses %j only when the folder is needed', (env, message) => {
    const folders = findFolders(env, 'linux');
    expect(() => folders.config).toThrow(
      expect.objectContaining({
        kind: 'usage',
        message,
        details: { hint: 'export STACKOPS_CONFIG_DIR=/absolute/folder' },
      }),
    );
  });

  it('needs no home for a configuration folder of its own', () => {
    expect(findFolders({ STACKOPS_CONFIG_DIR: '/own' }, 'linux').config).toBe('/own');
  });
});
