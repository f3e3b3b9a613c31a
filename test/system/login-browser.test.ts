import { existsSync, readFileSync, statSync } from 'node:fs';
import { join } from 'node:path';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { ownEnvironment, type Running, start } from '../support/built.ts';
import { type Browser, findChromium, openBrowser } from '../support/chromium.ts';
import { startSandbox } from '../support/sandbox.ts';
import { run, temporaryFolder } from '../support/stackops.ts';

const chromium = findChromium();
interface SigningIn {
  readonly login: Running;
  readonly address: string;
  readonly folder: string;
  readonly env: Readonly<Record<string, string>>;
}

/** A served sandbox, and a login to it that waits for the browser. */
async function signIn(): Promise<SigningIn> {
  const sandbox = await startSandbox();
  const folder = join(temporaryFolder(), 'config');
  const env = ownEnvironment({
    STACKOPS_CONFIG_DIR: folder,
    STACKOPS_BASE_URL: sandbox.url.href,
    STACKOPS_AUTH_URL: sandbox.url.origin,
    STACKOPS_CLIENT_ID: 'sandbox-client',
    STACKOPS_CLIENT_SECRET: 'sandbox-secret',
    STACKOPS_TOKEN: '',
  });
  const login = start(['auth', 'login', '--no-browser', '--callback-port', '0', '--scope', 'public,redeploy'], { env });
  const [, address = ''] = await login.tells(/^(http:\S+)\n/m);
  return { login, address, folder, env };
}

describe.skipIf(chromium === undefined)(
  'sign-in through the pages of a sandbox in Chromium (skipped where there is none)',
  () => {
    let browser: Browser;
    beforeAll(() => {
      browser = openBrowser(chromium ?? '');
    });
    afterAll(() => browser.close());

    test('Accept: the token is stored and works', async () => {
      const { login, address, folder, env } = await signIn();
      const page = await browser.newPage();
      const asked = await page.open(address);
      expect(asked).toContain('sandbox-client requests access with these scopes');
      expect(asked).toContain('Start and cancel deployments, and change application variants.');
      expect(await page.click('#accept')).toContain('You are signed in.');
      const { code, stdout, stderr } = await login.ended;
      expect({ code, stdout }).toMatchObject({
        code: 0,
        stdout: expect.stringContaining('Signed in as '),
      });
      const file = join(folder, 'credentials.json');
      const { tokens } = JSON.parse(readFileSync(file, 'utf8'));
      const { token } = tokens.default;
      expect(token).toMatch(/^sandbox_.{20}/);
      expect((statSync(file).mode & 0o777).toString(8)).toBe('600');
      expect((statSync(folder).mode & 0o777).toString(8)).toBe('700');
      expect(stdout + stderr).not.toContain(token);
      const status = await run(['auth', 'status', '--json'], { env, now: () => new Date() });
      expect(status).toMatchObject({ code: 0, stderr: '' });
      expect(JSON.parse(status.stdout)).toMatchObject({
        verdict: 'valid (limited scopes)',
        scopes: ['public', 'redeploy'],
      });
    });

    test('Deny: exit 4, nothing saved', async () => {
      const { login, address, folder, env } = await signIn();
      const page = await browser.newPage();
      await page.open(address);
      expect(await page.click('#deny')).toContain('You are not signed in, because access was denied.');
      expect(await login.ended).toMatchObject({ code: 4, stdout: '', stderr: expect.stringContaining('error: ') });
      expect(existsSync(join(folder, 'credentials.json'))).toBe(false);
      expect((await run(['auth', 'status'], { env })).code).toBe(4);
    });
  },
);
