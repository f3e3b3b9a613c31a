import { chmodSync, chownSync, existsSync, mkdirSync, statSync } from 'node:fs';
import module from 'node:module';
import { join } from 'node:path';
import { afterEach, beforeEach, expect, test, vi } from 'vitest';
import { enableCompileCache } from '../../../src/files/compile-cache.ts';
import { temporaryFolder } from '../../support/stackops.ts';

/** Node 20 does not have it. */
const original: unknown = Reflect.get(module, 'enableCompileCache');
const enable = vi.fn();
let home: string;

beforeEach(() => {
  home = temporaryFolder();
  enable.mockReset();
  Reflect.set(module, 'enableCompileCache', enable);
});
afterEach(() => {
  Reflect.set(module, 'enableCompileCache', original);
});

const user = process.geteuid?.();
const code = () => join(home, '.cache', 'stackops', 'code');
const start = () => enableCompileCache({ env: { HOME: home }, user });

test('code is kept in the cache folder, which only we can enter', () => {
  start();
  expect(enable.mock.calls).toEqual([[code()]]);
  expect(statSync(code()).mode & 0o777).toBe(0o700);
});

test('XDG_CACHE_HOME is the folder of all caches, unless it is relative', () => {
  enableCompileCache({ env: { HOME: home, XDG_CACHE_HOME: join(home, 'caches') }, user });
  enableCompileCache({ env: { HOME: home, XDG_CACHE_HOME: 'caches' }, user });
  expect(enable.mock.calls).toEqual([[join(home, 'caches', 'stackops', 'code')], [code()]]);
});

test.each([
  ['a parent that all can write to', '.cache', 0o777],
  ['a folder that others can enter', '.cache/stackops/code', 0o755],
])('no code is read from %s', (_, folder, mode) => {
  mkdirSync(code(), { recursive: true, mode: 0o700 });
  chmodSync(join(home, folder), mode);
  start();
  expect(enable).not.toHaveBeenCalled();
});

test('no folder is made in the home of another user', () => {
  const other = 54_321;
  if (user === 0) chownSync(home, other, other);
  enableCompileCache({ env: { HOME: home }, user: user === 0 ? user : other });
  expect(existsSync(join(home, '.cache'))).toBe(false);
});

test.each([[{}], [{ HOME: '' }], [{ HOME: 'here' }], [{ HOME: '/proc/no/home' }], [{ HOME: '/dev/null' }]])(
  'without a home folder (%j) nothing is kept, and nothing fails',
  (env) => {
    enableCompileCache({ env, user });
    expect(enable).not.toHaveBeenCalled();
  },
);

test('a Node without a compile cache gets no folder', () => {
  Reflect.set(module, 'enableCompileCache', undefined);
  start();
  expect(existsSync(join(home, '.cache'))).toBe(false);
});
