import { existsSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { beforeEach, describe, expect, it } from 'vitest';
import { openTokenStore } from '../../../src/auth/token-store.ts';
import { configCommands } from '../../../src/commands/config/index.ts';
import { profileCommands } from '../../../src/commands/profile/index.ts';
import { runsOf } from '../../support/does.ts';
import { type RunOptions, setUp } from '../../transcripts/auth/command-context.ts';
import { freshFolder } from '../../transcripts/files/folder.ts';

let folder = '';
beforeEach(() => {
  folder = freshFolder();
});
const content = () => JSON.parse(readFileSync(join(folder, 'config.json'), 'utf8'));

async function run(
  words: string,
  input: Readonly<Record<string, unknown>> = {},
  options: Omit<RunOptions, 'folder'> = {},
) {
  const { context, said } = setUp({ folder, ...options });
  const command = { ...profileCommands, ...configCommands }[words];
  const value = await runsOf(command).run(context, input);
  return { value, said, shown: runsOf(command).present?.(value, input, { terminal: false, reveal: false }) };
}

describe('profile', () => {
  it('is made by setting values, used, listed, and deleted without harm', async () => {
    const values = ['base_url=https://work.example/api/3/', 'protected=yes', 'stack=a=b'];
    const { said } = await run('profile set', { values }, { flags: { profile: 'work' } });
    expect(said).toEqual(['Profile work: base_url=https://work.example/api/3, protected=true, stack=a=b.']);
    const used = await run('profile use', { name: 'work' });
    expect(used.said).toEqual(['Active profile is now work.']);
    expect((await run('profile list')).value).toEqual([
      expect.objectContaining({ name: 'default', active: false, signed_in: false, stack: null }),
      expect.objectContaining({
        name: 'work',
        active: true,
        base_url: 'https://work.example/api/3',
        protected: 'true',
        stack: 'a=b',
      }),
    ]);
    expect((await run('profile show')).value).toMatchObject({ name: 'work', stack: 'a=b' });
    const inSandbox = { flags: { sandbox: 'true' } };
    expect((await run('profile show', {}, inSandbox)).value).toMatchObject({ name: 'sandbox', stack: null });

    const { context } = setUp({ folder });
    const tokens = openTokenStore(context.host.folders, () => undefined);
    await tokens.write('work', { token: 't', origin: 'https://work.example', scopes: [], obtained_at: '' });
    const deleted = await run('profile delete', { name: 'work' });
    expect(deleted.said).toEqual(['Deleted profile work.']);
    expect(tokens.read('work')).toBeUndefined();
    expect((await run('profile show')).value).toMatchObject({ name: 'default', active: true });
    expect((await run('config list')).value).toHaveLength(30);
  });

  it('forgets a value that is set to nothing', async () => {
    await run('profile set', { values: ['stack=shop', 'account=7'] });
    const { said } = await run('profile set', { values: ['stack='] });
    expect(said).toEqual(['Profile default: stack removed.']);
    expect(content()).toEqual({ profiles: { default: { account: '7' } } });
  });

  it.each([
    ['profile use', { name: 'wrok' }, 'unknown profile "wrok"; known: default'],
    ['profile show', { name: 'wrok' }, 'unknown profile "wrok"; known: default'],
    ['profile delete', { name: 'wrok' }, 'unknown profile "wrok"; known: default'],
    ['profile use', { name: '../x' }, 'profile must be up to 64 letters, digits, ".", "_" and "-", not "../x"'],
    ['profile set', { values: ['stack'] }, '"stack" has no "=": write stack=VALUE'],
    [
      'profile set',
      { values: ['base_url=http://x.example'] },
      'base_url must be an https:// address (http:// only for this machine), not "http://x.example"',
    ],
    [
      'profile set',
      { values: ['token_comand=pass'] },
      expect.stringMatching(/^unknown setting "token_comand" \(did you mean "token_command"\?\); known: base_url, /),
    ],
    ['profile set', { values: ['token=abc'] }, expect.stringMatching(/^unknown setting "token"; known: base_url, /)],
    [
      'config set',
      { values: ['stack=shop'] },
      'setting "stack" belongs to a profile; known here: callback_port, output, color, timeout, retries, reconcile, csv_raw, journal',
    ],
    ['config set', { values: ['timeout=90'] }, 'timeout must be a duration such as 90s, 5m, 8h or 7d, not "90"'],
    [
      'config unset',
      { names: ['nothing'] },
      'unknown setting "nothing"; known: callback_port, output, color, timeout, retries, reconcile, csv_raw, journal',
    ],
  ])('%s %j is refused and writes nothing', async (words, input, message) => {
    await expect(run(words, input)).rejects.toThrow(expect.objectContaining({ kind: 'usage', message }));
    expect(existsSync(join(folder, 'config.json'))).toBe(false);
  });

  it('tells where a token goes', async () => {
    await expect(run('profile set', { values: ['token=abc'] })).rejects.toThrow(
      expect.objectContaining({ details: { hint: { path: 'auth login', flags: ['--token-stdin'] } } }),
    );
  });

  it.each([
    ['profile set', { values: ['stack=shop'] }, 'would set stack=shop in profile default'],
    ['profile use', { name: 'default' }, 'would use profile default'],
    ['profile delete', { name: 'default' }, 'would delete profile default'],
    ['config set', { values: ['output=json'] }, 'would set output=json'],
    ['config unset', { names: ['output'] }, 'would remove output'],
  ])('%s --dry-run only says what it would do', async (words, input, line) => {
    const { said, shown } = await run(words, input, { dryRun: true });
    expect([said, shown]).toEqual([[line], { kind: 'nothing' }]);
    expect(existsSync(join(folder, 'config.json'))).toBe(false);
  });
});

describe('config', () => {
  it('sets, gets and forgets preferences', async () => {
    const set = await run('config set', { values: ['output=json', 'timeout=60s'] });
    expect(set.said).toEqual(['Set output=json.', 'Set timeout=60s.']);
    expect((await run('config get', { name: 'timeout' })).shown).toEqual({ kind: 'value', text: '60s' });
    const unset = await run('config unset', { names: ['timeout'] });
    expect(unset.said).toEqual(['Removed setting timeout.']);
    expect((await run('config get', { name: 'timeout' })).value).toBe('120s');
    expect(content()).toEqual({ preferences: { output: 'json' } });
  });

  it('lists every setting with its origin', async () => {
    await run('config set', { values: ['output=json'] });
    const { value } = await run('config list', {}, { flags: { stack: 'shop' }, env: { STACKOPS_RETRIES: '1' } });
    const origins = (value as { name: string; value: string; origin: string }[]).map(({ name, value, origin }) => [
      name,
      value,
      origin,
    ]);
    expect(origins).toEqual([
      ['profile', 'default', 'default'],
      ['base_url', null, 'default'],
      ['auth_url', null, 'default'],
      ['stack', 'shop', 'flag --stack'],
      ['stack_name', null, 'default'],
      ['server_group', null, 'default'],
      ['account', null, 'default'],
      ['token_command', null, 'default'],
      ['token_command_origin', null, 'default'],
      ['approve_command', null, 'default'],
      ['approve_command_trusted', null, 'default'],
      ['secret_command', null, 'default'],
      ['gateway_key', null, 'default'],
      ['gateway_key_origin', null, 'default'],
      ['notify', null, 'default'],
      ['agents', 'safe', 'default'],
      ['protected', 'false', 'default'],
      ['readonly', 'false', 'default'],
      ['client_id', null, 'default'],
      ['scope', 'public,redeploy,users,admin', 'default'],
      ['scope_separator', 'comma', 'default'],
      ['callback_port', '34543', 'default'],
      ['sandbox', 'false', 'default'],
      ['output', 'json', 'preferences'],
      ['color', 'auto', 'default'],
      ['timeout', '120s', 'default'],
      ['retries', '1', 'environment STACKOPS_RETRIES'],
      ['reconcile', 'true', 'default'],
      ['csv_raw', 'false', 'default'],
      ['journal', 'on', 'default'],
    ]);
  });

  it('says when a value is not set', async () => {
    await expect(run('config get', { name: 'stack' })).rejects.toThrow(
      expect.objectContaining({
        kind: 'not_found',
        message: 'stack is not set',
        details: { hint: { path: 'config list', flags: ['--origin'] } },
      }),
    );
  });

  it('prints its path', async () => {
    expect((await run('config path')).shown).toEqual({ kind: 'value', text: join(folder, 'config.json') });
  });
});
