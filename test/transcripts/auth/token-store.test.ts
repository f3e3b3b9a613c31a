import { chmodSync, mkdirSync, readdirSync, readFileSync, statSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { beforeEach, describe, expect, it } from 'vitest';
import { readSourceStates } from '../../../src/auth/source-states.ts';
import { environmentOrigin, findToken, withRenewalHint } from '../../../src/auth/token-source.ts';
import { openTokenStore, type StoredToken, type TokenStore } from '../../../src/auth/token-store.ts';
import { CliError } from '../../../src/errors/cli-error.ts';
import { findFolders } from '../../../src/files/folders.ts';
import { freshFolder } from '../files/folder.ts';

const kept: StoredToken = {
  token: 'stored-token-of-work-0123456789',
  origin: 'https://host.example',
  scopes: ['public', 'redeploy'],
  obtained_at: '2026-05-04T12:00:00.000Z',
};
let folder = '';
let store: TokenStore;
let warnings: string[] = [];
const folders = () => findFolders({ STACKOPS_CONFIG_DIR: folder }, 'linux');
beforeEach(() => {
  folder = join(freshFolder(), 'stackops');
  warnings = [];
  store = openTokenStore(folders, (line) => warnings.push(line));
});

describe('token store', () => {
  it('keeps a token by profile, for us alone', async () => {
    await store.write('work', kept);
    await store.write('home', { ...kept, token: 'other' });
    expect(store.read('work')).toEqual(kept);
    expect(store.read('home')?.token).toBe('other');
    expect(store.read('default')).toBeUndefined();
    expect(store.read('constructor')).toBeUndefined();
    expect((statSync(store.file).mode & 0o777).toString(8)).toBe('600');
    expect((statSync(folder).mode & 0o777).toString(8)).toBe('700');
  });

  it('forgets one token, and sweeps what killed writes left', async () => {
    await store.write('work', kept);
    await store.write('home', kept);
    writeFileSync(`${store.file}.tmp-0123456789abcdef`, JSON.stringify(kept));
    expect(await store.forget('work')).toBe(true);
    expect(await store.forget('work')).toBe(false);
    expect(store.read('home')).toEqual(kept);
    expect(readdirSync(folder)).toEqual(['credentials.json']);
    expect(readFileSync(store.file, 'utf8')).not.toContain('"work"');
  });

  it('P21 tightens rights and says so', async () => {
    await store.write('work', kept);
    chmodSync(store.file, 0o644);
    store.read('work');
    expect(warnings).toEqual([`${store.file} could be read by other users; its permissions are now 0600`]);
  });

  it.each([
    ['[]', 'it is not a JSON object'],
    ['{"tokens":[]}', '"tokens" must be an object'],
    ['{"tokens":{"work":null}}', 'profile work has no usable token and origin'],
    [
      '{"tokens":{"work":{"token":"s3cret value","origin":"https://host.example"}}}',
      'profile work has no usable token and origin',
    ],
    ['{"tokens":{"work":{"token":"s3cret"}}}', 'profile work has no usable token and origin'],
  ])('P19 refuses %s without showing it', (text, reason) => {
    mkdirSync(folder);
    writeFileSync(store.file, text, { mode: 0o600 });
    expect(() => store.read('work')).toThrow(
      expect.objectContaining({ kind: 'usage', message: `cannot use ${store.file}: ${reason}` }),
    );
  });

  it('P22 probes the folder without writing', async () => {
    await store.probe();
    expect(readdirSync(folder)).toEqual([]);
    writeFileSync(join(folder, 'file'), '');
    folder = join(folder, 'file');
    await expect(store.probe()).rejects.toThrow(`cannot write ${folder}: a part of the path is not a folder (ENOTDIR)`);
  });

  it('O29 keeps the tokens of sign-ins that end at once', async () => {
    const names = Array.from({ length: 20 }, (_, n) => `p${n}`);
    await Promise.all(names.map((name) => store.write(name, { ...kept, token: name })));
    expect(names.map((name) => store.read(name)?.token)).toEqual(names);
  });
});

const work = { kind: 'profile', name: 'work' } as const;

describe('findToken', () => {
  const find = (env: Readonly<Record<string, string>>, address = 'https://host.example/api/3') =>
    findToken({ env, folders, profile: 'work', command: () => undefined, baseUrl: new URL(address) });

  it('prefers the environment, and does not even open the file then', async () => {
    mkdirSync(folder);
    writeFileSync(store.file, 'broken');
    expect(await find({ STACKOPS_TOKEN: 'from-env' })).toEqual({
      token: 'from-env',
      origin: { kind: 'environment', name: 'STACKOPS_TOKEN' },
    });
  });

  it('P28 needs no home with a token from the environment', async () => {
    const env = { STACKOPS_TOKEN: 'from-env' };
    const homeless = { env, folders: () => findFolders({}, 'linux'), profile: 'work', command: () => undefined };
    expect((await findToken({ ...homeless, baseUrl: new URL('https://host.example') }))?.token).toBe('from-env');
    expect(readSourceStates(homeless)[2]).toEqual({ origin: work, state: 'unreadable' });
    await expect(findToken({ ...homeless, env: {}, baseUrl: new URL('https://host.example') })).rejects.toThrow(
      'HOME is not set',
    );
  });

  it('takes the stored one, with what login asked for', async () => {
    await store.write('work', kept);
    expect(await find({ STACKOPS_TOKEN: '' })).toEqual({
      token: kept.token,
      origin: work,
      scopes: ['public', 'redeploy'],
      requested: ['public', 'redeploy'],
    });
  });

  it('finds none', async () => {
    expect(await find({})).toBeUndefined();
  });

  it.each([
    'http://host.example/api/3',
    'https://host.example:8443/api/3',
    'https://api.host.example/api/3',
    'https://host.example./api/3',
    'https://evil.example/api/3',
  ])('U24 does not send the stored one to %s', async (address) => {
    await store.write('work', kept);
    await expect(find({}, address)).rejects.toThrow(
      expect.objectContaining({
        kind: 'unauthenticated',
        message: `the token of profile work is for https://host.example; it is not sent to ${new URL(address).origin}`,
      }),
    );
  });

  it.each(['HTTPS://HOST.EXAMPLE/other', 'https://host.example:443/', 'https://ann@host.example/'])(
    'sends it to %s',
    async (address) => {
      await store.write('work', kept);
      expect((await find({}, address))?.token).toBe(kept.token);
    },
  );

  it.each(['with space', 'new\nline', 'x'.repeat(4097), 'crét', 'nul\0'])(
    'refuses %j without showing it',
    async (token) => {
      await expect(find({ STACKOPS_TOKEN: token })).rejects.toThrow(
        expect.objectContaining({
          kind: 'usage',
          message:
            'the token from environment STACKOPS_TOKEN must be 1 to 4096 visible ASCII characters without spaces',
        }),
      );
    },
  );

  it('P36 keeps sandbox tokens on this machine', async () => {
    expect((await find({ STACKOPS_TOKEN: 'sandbox_x' }, 'http://127.0.0.1:8080/api/3'))?.token).toBe('sandbox_x');
    await expect(find({ STACKOPS_TOKEN: 'sandbox_x' })).rejects.toThrow(
      expect.objectContaining({
        kind: 'usage',
        message: 'the token from environment STACKOPS_TOKEN is a sandbox token; it is not sent to https://host.example',
      }),
    );
  });

  it.each([
    [work, 'stackops auth login'],
    [environmentOrigin, 'STACKOPS_TOKEN overrides the saved token: set another token, or unset it'],
    [{ kind: 'token_command', name: 'op' }, 'the token comes from token_command (op): renew it there'],
    [{ kind: 'sandbox' }, undefined],
  ] as const)('advises to sign in only where that helps: %j', (origin, hint) => {
    const refused = new CliError('unauthenticated', 'no', { status: 401, hint: 'stackops auth login' });
    expect(withRenewalHint(refused, origin).details).toEqual({ status: 401, ...(hint && { hint }) });
  });

  it('lists the places, masked', async () => {
    await store.write('work', kept);
    const sources = { folders, profile: 'work', command: () => undefined };
    expect(readSourceStates({ ...sources, env: { STACKOPS_TOKEN: 'short-token' } })).toEqual([
      { origin: environmentOrigin, state: 'used', token: '****' },
      { origin: { kind: 'token_command' }, state: 'not set' },
      { origin: work, state: 'overridden', token: '****6789' },
    ]);
    expect(readSourceStates({ ...sources, env: {} })).toEqual([
      { origin: environmentOrigin, state: 'not set' },
      { origin: { kind: 'token_command' }, state: 'not set' },
      { origin: work, state: 'used', token: '****6789' },
    ]);
  });
});
