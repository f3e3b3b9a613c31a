import { createHash } from 'node:crypto';
import { existsSync, mkdirSync, readFileSync, writeFileSync } from 'node:fs';
import { connect } from 'node:net';
import { join } from 'node:path';
import { beforeEach, describe, expect, it } from 'vitest';
import { type LoginInput, signIn } from '../../../src/commands/auth/login.ts';
import { unsent } from '../../support/phrases.ts';
import { freshFolder } from '../files/folder.ts';
import { browserThat, type RunOptions, setUp } from './command-context.ts';
import { statusOf } from './raw-request.ts';
import { issuedToken, startSignInService } from './sign-in-service.ts';

const credentials = { client_id: 'my-app', callback_port: 0 };
const secret = { STACKOPS_CLIENT_SECRET: 'app-secret' };
let folder = '';
beforeEach(() => {
  folder = join(freshFolder(), 'stackops');
});
const stored = () => JSON.parse(readFileSync(join(folder, 'credentials.json'), 'utf8'));

function start(origin: string, more: Partial<RunOptions> & { readonly input?: LoginInput } = {}) {
  const commandRun = setUp({
    folder,
    ...more,
    flags: { base_url: `${origin}/api/3`, ...more.flags },
    env: { ...secret, ...more.env },
  });
  return { ...commandRun, result: signIn(commandRun.context, { ...credentials, ...more.input }) };
}

describe('login with the browser', () => {
  it('trades the code for a token, proves it, stores it, and only then says so in the browser', async () => {
    const service = await startSignInService();
    const pages: Promise<string>[] = [];
    const { result, said } = start(service.origin, { browse: browserThat({ code: 'the-code' }, pages) });
    expect(await result).toEqual({
      profile: 'default',
      user: null,
      base_url: `${service.origin}/api/3`,
      token: '****DEFG',
      scopes: ['public', 'redeploy', 'users', 'admin'],
      file: join(folder, 'credentials.json'),
    });
    expect(statusOf((await pages[0]) ?? '')).toBe(200);
    expect(stored()).toEqual({
      tokens: {
        default: {
          token: issuedToken,
          origin: service.origin,
          scopes: ['public', 'redeploy', 'users', 'admin'],
          requested: ['public', 'redeploy', 'users', 'admin'],
          obtained_at: '2026-05-04T12:00:00.000Z',
        },
      },
    });
    expect(service.tokens).toEqual([`Bearer ${issuedToken}`]);

    const [asked] = service.authorized;
    const [form] = service.exchanged;
    const redirect = asked?.get('redirect_url') ?? '';
    expect(redirect).toMatch(/^http:\/\/127\.0\.0\.1:\d+\/callback$/);
    expect(Object.fromEntries(asked ?? [])).toEqual({
      response_type: 'code',
      client_id: 'my-app',
      redirect_url: redirect,
      redirect_uri: redirect,
      scope: 'public,redeploy,users,admin',
      state: expect.stringMatching(/^[\w-]{43}$/),
      code_challenge: createHash('sha256')
        .update(form?.get('code_verifier') ?? '')
        .digest('base64url'),
      code_challenge_method: 'S256',
    });
    expect(Object.fromEntries(form ?? [])).toEqual({
      grant_type: 'authorization_code',
      code: 'the-code',
      client_id: 'my-app',
      client_secret: 'app-secret',
      redirect_url: redirect,
      redirect_uri: redirect,
      code_verifier: expect.stringMatching(/^[\w-]{43}$/),
    });
    expect(said).toEqual([
      'Open this address to sign in:',
      `${service.origin}/oauth/authorize?${asked}`,
      `Waiting up to 300 s for the browser at ${redirect}`,
      'saved base_url to profile default',
    ]);
    expect(JSON.parse(readFileSync(join(folder, 'config.json'), 'utf8'))).toEqual({
      profiles: { default: { base_url: `${service.origin}/api/3` } },
    });
  });

  it.each([
    ['comma', 'public,redeploy'],
    ['space', 'public redeploy'],
  ])('puts a %s between scopes when that is set', async (scope_separator, scope) => {
    const service = await startSignInService();
    const { result } = start(service.origin, {
      flags: { scope_separator },
      browse: browserThat({ code: 'c' }),
      input: { scope: 'public,redeploy' },
    });
    expect((await result).scopes).toEqual(['public', 'redeploy']);
    expect(service.authorized[0]?.get('scope')).toBe(scope);
  });

  it('keeps and shows the scopes that were granted, and says which were not', async () => {
    const service = await startSignInService({
      tokenText: `access_token=${issuedToken}&token_type=bearer&scope=public+users`,
    });
    const { result, said } = start(service.origin, {
      browse: browserThat({ code: 'c' }),
      input: { scope: 'public,users,admin' },
    });
    expect((await result).scopes).toEqual(['public', 'users']);
    expect(stored().tokens.default.scopes).toEqual(['public', 'users']);
    expect(said).toContain('warning: the service did not grant the scopes admin');
  });

  it('offers a token first on a terminal without flags, and the browser on Enter', async () => {
    const service = await startSignInService();
    const answers = ['pasted-token-0123456789', ''];
    const asked: unknown[] = [];
    const setup = {
      env: { STACKOPS_CLIENT_ID: 'my-app' },
      input: { client_id: undefined, callback_port: undefined } as unknown as LoginInput,
      flags: { callback_port: '0' },
      browse: browserThat({ code: 'c' }),
      ask: async (question: string, options?: { readonly isHidden?: boolean }) => {
        asked.push([question, options?.isHidden]);
        return answers.shift();
      },
    };
    expect(await start(service.origin, setup).result).toMatchObject({ token: '****6789', scopes: [] });
    expect(service.authorized).toEqual([]);
    expect(asked).toEqual([['Paste a personal token, or press Enter to sign in with the browser: ', true]]);
    expect(await start(service.origin, setup).result).toMatchObject({ token: '****DEFG' });
    expect(service.authorized).toHaveLength(1);
  });

  it('takes a JSON reply, and notes when the token expires', async () => {
    const service = await startSignInService({
      tokenText: `{"access_token":"${issuedToken}","token_type":"bearer","expires_in":3600}`,
    });
    await start(service.origin, { browse: browserThat({ code: 'c' }) }).result;
    expect(stored().tokens.default.expires_at).toBe('2026-05-04T13:00:00.000Z');
  });

  it('takes a 403 for the proof of a valid token', async () => {
    const service = await startSignInService({ apiStatus: 403 });
    await start(service.origin, { browse: browserThat({ code: 'c' }) }).result;
    expect(stored().tokens.default.token).toBe(issuedToken);
  });

  it('asks for the secret on a terminal, hidden, and never in vain when one is set', async () => {
    const service = await startSignInService();
    const asked: unknown[] = [];
    const { result } = start(service.origin, {
      env: { STACKOPS_CLIENT_SECRET: '' },
      browse: browserThat({ code: 'c' }),
      ask: async (question, options) => {
        asked.push([question, options?.isHidden]);
        return question.startsWith('OAuth client secret') ? 'typed-secret' : undefined;
      },
    });
    await result;
    expect(asked[0]).toEqual(['OAuth client secret: ', true]);
    expect(service.exchanged[0]?.get('client_secret')).toBe('typed-secret');
  });

  it('lets two sign-ins run at once', async () => {
    const service = await startSignInService();
    const both = ['one', 'two'].map(
      (client_id) => start(service.origin, { browse: browserThat({ code: client_id }), input: { client_id } }).result,
    );
    await Promise.all(both);
    expect(service.exchanged.map((form) => form.get('code')).sort()).toEqual(['one', 'two']);
    expect(new Set(service.authorized.map((asked) => asked.get('state'))).size).toBe(2);
  });
});

describe('O19 without a browser', () => {
  it('prints the address and takes the pasted one', async () => {
    const service = await startSignInService();
    const commandRun = start(service.origin, {
      input: { no_browser: true },
      ask: async () => {
        const address = new URL(commandRun.said[1] ?? '');
        const answer = new URLSearchParams({ code: 'pasted', state: address.searchParams.get('state') ?? '' });
        return `${address.searchParams.get('redirect_url')}?${answer}`;
      },
    });
    await commandRun.result;
    expect(service.exchanged[0]?.get('code')).toBe('pasted');
  });

  it('takes a bare code, after empty lines', async () => {
    const service = await startSignInService();
    const lines = ['', '  ', 'bare-code'];
    await start(service.origin, { input: { no_browser: true }, ask: async () => lines.shift() }).result;
    expect(service.exchanged[0]?.get('code')).toBe('bare-code');
  });

  it('refuses a pasted address with another state', async () => {
    const service = await startSignInService();
    const { result } = start(service.origin, {
      input: { no_browser: true },
      ask: async () => 'http://127.0.0.1/callback?code=c&state=x',
    });
    await expect(result).rejects.toThrow('the browser returned the wrong state');
    expect(service.exchanged).toEqual([]);
  });

  it('keeps waiting for the browser when input ends, and says when none could be started', async () => {
    const service = await startSignInService();
    const open = browserThat({ code: 'later' });
    const { result, said } = start(service.origin, {
      ask: async () => undefined,
      browse: async (url) => {
        setImmediate(() => void open(url));
        return false;
      },
    });
    await result;
    expect(said[3]).toBe('Could not open a browser; open the address yourself.');
  });
});

describe('login that fails', () => {
  const elsewhere = 'http://127.0.0.1:9/x';
  it.each([
    ['O2', { error: 'access_denied' }, {}, 'sign-in was denied in the browser', 0],
    [
      'O1',
      { code: 'c', state: 'wrong' },
      {},
      'the browser returned the wrong state; the redirect may come from someone else',
      0,
    ],
    [
      'O21',
      { code: 'c' },
      { tokenStatus: 400, tokenText: '{"error":"invalid_grant"}' },
      'the sign-in service refused the code (400 invalid_grant)',
      1,
    ],
    [
      'O22',
      { code: 'c' },
      { tokenStatus: 503 },
      'no token from ORIGIN: it returned 503; the code is used up, sign in again',
      1,
    ],
    [
      'O23',
      { code: 'c' },
      { tokenStatus: 302, tokenLocation: elsewhere },
      'no token from ORIGIN: it sent a redirect (302), which is not followed; the code is used up, sign in again',
      1,
    ],
    [
      'O24',
      { code: 'c' },
      { tokenText: '<html>' },
      'the sign-in service returned an unreadable token response; sign in again',
      1,
    ],
    [
      'O26',
      { code: 'c' },
      { tokenText: 'access_token=two+words' },
      'the sign-in service returned no usable token; sign in again',
      1,
    ],
    ['401', { code: 'c' }, { apiStatus: 401 }, 'ORIGIN refused the token; nothing was saved', 1],
  ])('%s stores nothing and asks for a token at most once', async (_name, query, behaviour, message, exchanges) => {
    const service = await startSignInService(behaviour);
    const pages: Promise<string>[] = [];
    const { result } = start(service.origin, { browse: browserThat(query, pages) });
    await expect(result).rejects.toThrow(
      expect.objectContaining({ kind: 'unauthenticated', message: message.replace('ORIGIN', service.origin) }),
    );
    expect(statusOf((await pages[0]) ?? '')).toBe(400);
    expect(service.exchanged).toHaveLength(exchanges);
    expect(existsSync(join(folder, 'credentials.json'))).toBe(false);
  });

  it('stores nothing when the service cannot be asked', async () => {
    const service = await startSignInService({ apiStatus: 503 });
    const { result } = start(service.origin, { browse: browserThat({ code: 'c' }) });
    await expect(result).rejects.toThrow(expect.objectContaining({ kind: 'unavailable' }));
    expect(existsSync(join(folder, 'credentials.json'))).toBe(false);
  });

  it('O22 says that the token service did not answer', async () => {
    const service = await startSignInService();
    const { result } = start(service.origin, {
      flags: { auth_url: 'http://127.0.0.1:9' },
      browse: async (url) => {
        const redirect = new URL(url.searchParams.get('redirect_url') ?? '');
        redirect.search = new URLSearchParams({ code: 'c', state: url.searchParams.get('state') ?? '' }).toString();
        void fetch(redirect).catch(() => undefined);
        return true;
      },
    });
    await expect(result).rejects.toThrow(
      expect.objectContaining({
        kind: 'unauthenticated',
        message: expect.stringMatching(
          /^no token from http:\/\/127\.0\.0\.1:9: no response \(.*\); the code is used up, sign in again$/,
        ),
      }),
    );
  });

  it('O16 gives up when nobody answers', async () => {
    const service = await startSignInService();
    const { result } = start(service.origin, { flags: { timeout: '20ms' } });
    await expect(result).rejects.toThrow(
      expect.objectContaining({
        kind: 'unauthenticated',
        message: 'sign-in timed out: no response from the browser within 0.02 s',
      }),
    );
  });

  it('O20 ends at Ctrl-C, and the listener is gone', async () => {
    const service = await startSignInService();
    const stop = new AbortController();
    let redirect = new URL('http://127.0.0.1');
    const { result } = start(service.origin, {
      signal: stop.signal,
      browse: async (url) => {
        redirect = new URL(url.searchParams.get('redirect_url') ?? '');
        stop.abort();
        return true;
      },
    });
    await expect(result).rejects.toThrow(expect.objectContaining({ kind: 'interrupted' }));
    const fault = await new Promise((resolve) =>
      connect(Number(redirect.port), redirect.hostname).on('error', (error) => resolve('code' in error && error.code)),
    );
    expect(fault).toBe('ECONNREFUSED');
  });

  it.each([
    ['no id', { client_id: undefined }, {}, 'sign-in with the browser needs an OAuth client ID'],
    ['no secret', {}, { STACKOPS_CLIENT_SECRET: '' }, 'sign-in with the browser needs an OAuth client secret'],
    ['a bad scope', { scope: 'Public' }, {}, '--scope must be scopes such as public,redeploy, not "Public"'],
    ['two secrets', { token: 't', client_secret: 's' }, {}, 'give a personal token or a client secret, not both'],
  ])('needs no network for %s', async (_name, input, env, message) => {
    const { result } = start('http://127.0.0.1:9', { input: { ...credentials, ...input } as LoginInput, env });
    await expect(result).rejects.toThrow(expect.objectContaining({ kind: 'usage', message }));
  });

  it('P22 fails before the browser opens when nothing could be stored', async () => {
    const opened: URL[] = [];
    mkdirSync(folder);
    writeFileSync(join(folder, 'credentials.json'), 'null', { mode: 0o600 });
    const { result } = start('http://127.0.0.1:9', {
      browse: async (url) => {
        opened.push(url);
        return true;
      },
    });
    await expect(result).rejects.toThrow(`cannot use ${join(folder, 'credentials.json')}: it is not a JSON object`);
    expect(opened).toEqual([]);
  });

  it('refuses --dry-run', async () => {
    const { result } = start('http://127.0.0.1:9', { dryRun: true });
    await expect(result).rejects.toThrow(`auth login has no dry run${unsent}`);
  });
});

describe('login with a personal token', () => {
  it('stores it when the service takes it, and says when it will not be used', async () => {
    const service = await startSignInService();
    const { result, said } = start(service.origin, {
      input: { token: 'personal-token-0123456789\n' },
      env: { STACKOPS_TOKEN: 'other' },
    });
    expect(await result).toMatchObject({ token: '****6789', scopes: [] });
    expect(service.tokens).toEqual(['Bearer personal-token-0123456789']);
    expect(stored().tokens.default).toMatchObject({ token: 'personal-token-0123456789', origin: service.origin });
    expect(said[0]).toBe('warning: STACKOPS_TOKEN is set and overrides the saved token');
  });

  it.each([
    [401, 'unauthenticated'],
    [503, 'unavailable'],
  ])('does not store it after a %i', async (apiStatus, kind) => {
    const service = await startSignInService({ apiStatus });
    const { result } = start(service.origin, { input: { token: 'personal-token-0123456789' } });
    await expect(result).rejects.toThrow(expect.objectContaining({ kind }));
    expect(existsSync(join(folder, 'credentials.json'))).toBe(false);
  });

  it('refuses one that could break a header, without showing it', async () => {
    const { result } = start('http://127.0.0.1:9', { input: { token: 's3cret\r\nX-Evil: 1' } });
    await expect(result).rejects.toThrow(
      'the token from sign-in must be 1 to 4096 visible ASCII characters without spaces',
    );
  });
});
