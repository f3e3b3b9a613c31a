import { existsSync, readdirSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { beforeEach, describe, expect, it } from 'vitest';
import { openTokenStore } from '../../../src/auth/token-store.ts';
import { authCommands } from '../../../src/commands/auth/index.ts';
import { CliError } from '../../../src/errors/cli-error.ts';
import { runsOf } from '../../support/does.ts';
import { transcript, transcriptFile } from '../../support/transcript.ts';
import { freshFolder } from '../files/folder.ts';
import { type RunOptions, setUp } from './command-context.ts';
import { startSignInService } from './sign-in-service.ts';

const token = 'stored-token-of-work-0123456789';
let folder = '';
beforeEach(() => {
  folder = freshFolder();
});

async function run(
  words: string,
  options: Omit<RunOptions, 'folder'> = {},
  input: Readonly<Record<string, unknown>> = {},
) {
  const commandRun = setUp({ folder, ...options });
  const command = authCommands[words];
  return { value: await runsOf(command).run(commandRun.context, input), said: commandRun.said, command };
}

const refused = () => Promise.reject(new CliError('forbidden', 'no', { status: 403 }));

async function storeToken(origin: string): Promise<void> {
  const { context } = setUp({ folder });
  const scopes = ['public', 'redeploy'];
  await openTokenStore(context.host.folders, () => undefined).write('default', {
    token,
    origin,
    scopes,
    obtained_at: '2026-05-01T00:00:00.000Z',
  });
}

describe('auth status', () => {
  it('shows who won, masked, and what the service says', async () => {
    const service = await startSignInService();
    await storeToken(service.origin);
    const { value } = await run('auth status', {
      flags: { base_url: `${service.origin}/api/3` },
      call: async () => ({ ok: true, user_name: 'ada@harbour.example' }),
    });
    expect(value).toEqual({
      profile: 'default',
      base_url: `${service.origin}/api/3`,
      auth_url: `${service.origin}/`,
      user: 'ada@harbour.example',
      token: '****6789',
      origin: 'profile default',
      verdict: 'valid',
      scopes: ['public', 'redeploy'],
      obtained_at: '2026-05-01T00:00:00.000Z',
      expires_at: null,
      places: ['environment STACKOPS_TOKEN: not set', 'token_command: not set', 'profile default: used, ****6789'],
    });
  });

  it('shows the hidden one too', async () => {
    const service = await startSignInService({ apiStatus: 403 });
    await storeToken('https://other.example');
    const { value } = await run('auth status', {
      flags: { base_url: service.origin },
      env: { STACKOPS_TOKEN: 'env-token' },
      call: refused,
    });
    expect(value).toMatchObject({
      user: null,
      origin: 'environment STACKOPS_TOKEN',
      verdict: 'valid (limited scopes)',
      scopes: [],
      places: [
        'environment STACKOPS_TOKEN: used, ****',
        'token_command: not set',
        'profile default: overridden, ****6789',
      ],
    });
  });

  it('knows the user without /ping/auth when there is only one to read', async () => {
    const service = await startSignInService();
    await storeToken(service.origin);
    const call = async ({ path }: { readonly path: string }) =>
      path === '/users' ? [{ email: 'ada@harbour.example' }] : refused();
    const { value } = await run('auth status', { flags: { base_url: service.origin }, call });
    expect(value).toMatchObject({ user: 'ada@harbour.example' });
  });

  it('is an error with every place in it when the token is refused', async () => {
    const service = await startSignInService({ apiStatus: 401 });
    await storeToken(service.origin);
    await expect(run('auth status', { flags: { base_url: service.origin } })).rejects.toThrow(
      expect.objectContaining({
        kind: 'unauthenticated',
        message: `${service.origin} refused the token (environment STACKOPS_TOKEN: not set; token_command: not set; profile default: used, ****6789)`,
        details: { status: 401, hint: { path: 'auth login' } },
      }),
    );
  });

  it.each(['auth status', 'auth token'])(
    '%s is an error when there is no token, with or without an address',
    async (words) => {
      await expect(run(words)).rejects.toThrow(
        expect.objectContaining({
          kind: 'unauthenticated',
          message: 'not signed in: STACKOPS_TOKEN is not set and profile default has no token',
          details: { hint: { path: 'auth login' } },
        }),
      );
    },
  );

  it('is an error when the stored token belongs elsewhere', async () => {
    await storeToken('https://other.example');
    await expect(run('auth status', { flags: { base_url: 'https://host.example' } })).rejects.toThrow(
      'the token of profile default is for https://other.example; it is not sent to https://host.example',
    );
  });
});

describe('auth token', () => {
  it('is the bare token', async () => {
    await storeToken('https://host.example');
    const { value, command } = await run('auth token', { flags: { base_url: 'https://host.example/api/3' } });
    expect(runsOf(command).present?.(value, {}, { terminal: false, reveal: false })).toEqual({
      kind: 'value',
      text: token,
    });
  });
});

describe('auth logout', () => {
  it('forgets the token, sweeps, and says what is left', async () => {
    await storeToken('https://host.example');
    writeFileSync(join(folder, 'credentials.json.tmp-0123456789abcdef'), token);
    const { value, said } = await run('auth logout', { env: { STACKOPS_TOKEN: 'env-token' } });
    expect(value).toEqual({ profile: 'default', forgotten: true, file: join(folder, 'credentials.json') });
    expect(said).toEqual([
      'Removed the token of profile default.',
      'The token is still valid; revoke it in the Apps area of the web interface.',
      'warning: STACKOPS_TOKEN is set and is still used',
    ]);
    expect(readdirSync(folder)).toEqual(['credentials.json']);
  });

  it('has nothing to forget', async () => {
    const { said } = await run('auth logout');
    expect(said).toEqual(['Profile default has no token.']);
    expect(existsSync(join(folder, 'credentials.json'))).toBe(false);
  });

  it('removes nothing with --dry-run', async () => {
    await storeToken('https://host.example');
    const { value, said } = await run('auth logout', { dryRun: true });
    expect(value).toMatchObject({ forgotten: false });
    expect(said).toEqual(['would remove the token of profile default']);
    expect((await run('auth logout')).value).toMatchObject({ forgotten: true });
  });
});

it('the embedded sandbox is signed in, and says so', transcriptFile);

it('an address comes before the sign-in', () =>
  transcript(
    `
    $ stackops auth login
    ! error: no service address yet; with --sandbox none is needed
    ! hint: set base_url, such as https://host/api/3: stackops profile set --help
    = 2
  `,
    { env: { STACKOPS_SANDBOX: '' } },
  ));

it('is all about this machine: no operation of the service', () => {
  expect(Object.entries(authCommands).map(([words, command]) => [words, command.calls])).toEqual([
    ['auth login', []],
    ['auth status', []],
    ['auth check', []],
    ['auth token', []],
    ['auth logout', []],
  ]);
});
