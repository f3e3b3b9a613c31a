import { writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { beforeEach, describe, expect, it } from 'vitest';
import { findFolders } from '../../../src/files/folders.ts';
import { authUrlOf, baseUrlOf, normaliseSetting, resolveSettings } from '../../../src/settings/settings.ts';
import { originText, settingNames } from '../../../src/settings/table.ts';
import { freshFolder } from '../../transcripts/files/folder.ts';

type Words = Readonly<Record<string, string>>;
let folder = '';
beforeEach(() => {
  folder = freshFolder();
});

function settingsOf(config: unknown, flags: Words = {}, env: Words = {}, warnings: string[] = []) {
  if (config !== undefined) {
    writeFileSync(join(folder, 'config.json'), typeof config === 'string' ? config : JSON.stringify(config), {
      mode: 0o600,
    });
  }
  const folders = () => findFolders({ STACKOPS_CONFIG_DIR: folder }, 'linux');
  return resolveSettings({ flags, env, folders, warn: (line) => warnings.push(line) });
}

const config = {
  active_profile: 'work',
  profiles: {
    work: { stack: 'shop', output: 'json', account: 12, protected: true },
    home: { stack: 'blog', base_url: 'https://home.example/api/3' },
  },
  preferences: { output: 'tsv', timeout: '60s', stack: 'ignored' },
};

describe('precedence', () => {
  it.each([
    ['stack', { stack: 'flagged' }, { STACKOPS_STACK: 'env' }, 'flagged', 'flag --stack'],
    ['stack', {}, { STACKOPS_STACK: 'env' }, 'env', 'environment STACKOPS_STACK'],
    ['stack', {}, { STACKOPS_STACK: '' }, 'shop', 'profile work'],
    ['stack', { profile: 'home' }, { STACKOPS_PROFILE: 'work' }, 'blog', 'profile home'],
    ['stack', {}, { STACKOPS_PROFILE: 'home' }, 'blog', 'profile home'],
    ['stack', { profile: 'default' }, {}, undefined, 'default'],
    ['output', {}, {}, 'json', 'profile work'],
    ['output', { profile: 'home' }, {}, 'tsv', 'preferences'],
    ['output', { output: 'table' }, {}, 'table', 'flag --output'],
    ['timeout', {}, {}, '60s', 'preferences'],
    ['retries', {}, {}, '3', 'default'],
    ['account', {}, {}, '12', 'profile work'],
    ['protected', {}, {}, 'true', 'profile work'],
    ['protected', { profile: 'home' }, {}, 'false', 'default'],
    ['sandbox', {}, { STACKOPS_SANDBOX: '1' }, 'true', 'environment STACKOPS_SANDBOX'],
    ['scope_separator', {}, {}, 'comma', 'default'],
    ['auth_url', { profile: 'home' }, {}, 'https://home.example', 'origin of base_url'],
    ['profile', {}, {}, 'work', 'active profile'],
  ] as const)('%s with %j and %j', (name, flags, env, value, origin) => {
    const found = settingsOf(config, flags, env).get(name);
    expect([found.value, originText(found.origin)]).toEqual([value, origin]);
  });

  it('needs no file', () => {
    const settings = settingsOf(undefined);
    expect(settings.profile).toBe('default');
    expect(settings.get('stack')).toEqual({ value: undefined, origin: { kind: 'default' } });
    expect(settingNames().map((name) => settings.get(name)).length).toBeGreaterThan(10);
  });
});

describe('bad values', () => {
  it.each([
    [
      { base_url: 'http://host.example' },
      {},
      '--base-url must be an https:// address (http:// only for this machine), not "http://host.example"',
    ],
    [{}, { STACKOPS_BASE_URL: 'x' }, 'STACKOPS_BASE_URL must be an address such as https://host/api/3, not "x"'],
    [{ base_url: '' }, {}, '--base-url must be an address such as https://host/api/3, not ""'],
  ])('%j %j', (flags, env, message) => {
    expect(() => settingsOf(config, flags, env).get('base_url')).toThrow(
      expect.objectContaining({ kind: 'usage', message }),
    );
  });

  it('names the profile a bad value is stored in', () => {
    const settings = settingsOf({ profiles: { default: { retries: 'many' } } });
    expect(() => settings.get('retries')).toThrow(
      'retries (profile default) must be a whole number between 0 and 10, not "many"',
    );
  });
});

describe('an unknown profile', () => {
  const hint = { hint: { path: 'profile list' } };
  it.each([
    [{ profile: 'wrok' }, {}, 'unknown profile "wrok" (flag --profile); known: default, work, home'],
    [{}, { STACKOPS_PROFILE: 'x' }, 'unknown profile "x" (environment STACKOPS_PROFILE); known: default, work, home'],
  ])('%j %j is refused', (flags, env, message) => {
    const settings = settingsOf(config, { stack: 'typed', ...flags }, env);
    const error = expect.objectContaining({ kind: 'usage', message, details: hint });
    expect(() => settings.profile).toThrow(error);
    expect(() => settings.get('stack')).toThrow(error);
    expect(() => settings.get('base_url')).toThrow(error);
  });

  it('is refused when the file itself names it', () => {
    const settings = settingsOf({ active_profile: 'gone' });
    expect(() => settings.profile).toThrow('unknown profile "gone" (active profile); known: default');
  });

  it('still lets the commands run that repair it, and counts as protected', () => {
    const settings = settingsOf(config, { profile: 'new' });
    expect(settings.get('output')).toEqual({ value: 'tsv', origin: { kind: 'preferences' } });
    expect(settings.requestedProfile).toEqual({ value: 'new', origin: { kind: 'flag', name: '--profile' } });
    expect(settings.get('protected')).toEqual({ value: 'true', origin: { kind: 'unknown profile' } });
  });

  it('is not one that every object has', () => {
    expect(() => settingsOf(config, { profile: 'constructor' }).profile).toThrow('unknown profile "constructor"');
  });
});

describe('a file that cannot be used', () => {
  it.each([
    ['{"profiles": [', 'invalid JSON at line 1, column 15'],
    ['null', 'it is not a JSON object'],
    ['{"profiles": []}', '"profiles" must be an object'],
    ['{"profiles": {"work": 1}}', '"work" must be an object'],
    ['{"active_profile": 1}', 'active_profile must be a string'],
    ['{"preferences": {"output": ["json"]}}', '"output" of "preferences" must be a string'],
    ['{"profiles": {"work": {"stack": null}}}', '"stack" of profile "work" must be a string'],
  ])('%s', (text, reason) => {
    expect(() => settingsOf(text).get('stack')).toThrow(
      expect.objectContaining({ kind: 'usage', message: `cannot use ${join(folder, 'config.json')}: ${reason}` }),
    );
  });

  it('does not stop a job that brings its token, which then counts as protected and read-only', () => {
    const warnings: string[] = [];
    const settings = settingsOf('{', { stack: 'shop' }, { STACKOPS_TOKEN: 't' }, warnings);
    expect(settings.get('stack').value).toBe('shop');
    expect(settings.get('timeout').value).toBe('120s');
    expect(settings.get('protected').value).toBe('true');
    expect(settings.get('readonly').value).toBe('true');
    expect(warnings).toEqual([
      `cannot use ${join(folder, 'config.json')}: invalid JSON at line 1, column 2; ignoring the file and treating the profile as protected and read-only`,
    ]);
  });
});

describe('without a home', () => {
  const homeless = (flags: Words) => resolveSettings({ flags, env: {}, folders: () => findFolders({}, 'linux') });

  it('works from flags, environment and defaults', () => {
    expect(homeless({ stack: 'shop' }).get('stack').value).toBe('shop');
    expect(homeless({}).get('timeout').value).toBe('120s');
  });

  it('says so when a profile is asked for', () => {
    expect(() => homeless({ profile: 'work' }).profile).toThrow('no folder for the files of stackops: HOME is not set');
  });
});

describe('addresses', () => {
  it('come from the settings', () => {
    const settings = settingsOf(config, { profile: 'home' });
    expect(baseUrlOf(settings).href).toBe('https://home.example/api/3');
    expect(authUrlOf(settings).href).toBe('https://home.example/');
    expect(authUrlOf(settingsOf(config, { auth_url: 'https://sign.example/in' })).href).toBe('https://sign.example/in');
  });

  it('are asked for when there are none', () => {
    expect(() => baseUrlOf(settingsOf(config))).toThrow(
      expect.objectContaining({
        kind: 'usage',
        message: 'no service address yet; with --sandbox none is needed',
        details: { hint: 'set base_url, such as https://host/api/3: stackops profile set --help' },
      }),
    );
  });
});

it.each([
  ['https://ann:hunter22@host.example/api/3', 'https://***@host.example/api/3'],
  ['ann:hunter22@host.example', '***@host.example'],
  ['https://host.example/?token=hunter22', 'https://host.example/?***'],
])('an address that is refused is told without what may be a password: %s', (value, shown) => {
  expect(() => normaliseSetting('base_url', value, { kind: 'flag', name: '--base-url' })).toThrow(`, not "${shown}"`);
});
