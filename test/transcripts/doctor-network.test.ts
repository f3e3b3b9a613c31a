import { createServer } from 'node:http';
import https from 'node:https';
import type { AddressInfo } from 'node:net';
import { join } from 'node:path';
import { describe, expect, onTestFinished, test } from 'vitest';
import { unsent } from '../support/phrases.ts';
import { run, temporaryFolder } from '../support/stackops.ts';
import { answer, consult, doctorSetup, serve, well } from './doctor-setup.ts';
import { certificate, key } from './http/certificate.ts';
import { closedPort } from './http/servers.ts';

describe('connection', () => {
  test('nobody listens', async () => {
    const url = await closedPort();
    const { about, code } = await consult(doctorSetup({ STACKOPS_BASE_URL: url.href }));
    expect(code).toBe(1);
    expect(about('connection')).toEqual({
      state: 'problem',
      found: `TCP failed: cannot connect to ${url.host} (ECONNREFUSED)`,
      repair: 'stackops config list --origin',
    });
    expect(about('clock')).toEqual({ state: 'skipped', found: 'no response to compare with', repair: null });
    expect(about('token accepted')).toEqual({ state: 'skipped', found: 'no connection', repair: null });
  });

  test('no such host', async () => {
    const { about } = await consult(doctorSetup({ STACKOPS_BASE_URL: 'https://stacks.invalid/api/3' }));
    expect(about('connection').found).toMatch(
      /^DNS failed: (host stacks\.invalid not found|cannot resolve the host stacks\.invalid)/,
    );
    expect(about('TLS')).toEqual({ state: 'skipped', found: 'no connection', repair: null });
  });

  test.each([
    [302, '{}', 'problem', ': it redirects', 'stackops config list --origin'],
    [503, '{}', 'problem', ': service error', 'run stackops doctor again in a minute'],
    [404, '{}', 'warning', ': this may not be the service address', 'stackops config list --origin'],
    [200, '<html>', 'warning', ', but not JSON: this may not be the service address', 'stackops config list --origin'],
  ])('an answer %i %s', async (status, text, state, words, repair) => {
    const service = await serve(answer(status, text));
    const { about } = await consult(doctorSetup({ STACKOPS_BASE_URL: service.url }));
    const found = `GET /reference/webserver_modules returned ${status} in 0 ms${words}`;
    expect(about('connection')).toEqual({ state, found, repair });
  });

  test.each([
    ['Mon, 04 May 2026 12:01:00 GMT', 'ok', '60 s from the service clock'],
    ['Mon, 04 May 2026 12:01:01 GMT', 'warning', '61 s behind the service clock'],
    ['Mon, 04 May 2026 11:55:00 GMT', 'warning', '300 s ahead of the service clock'],
    ['yesterday', 'skipped', 'the response has no Date header'],
  ])('the clock of a service where it is %s', async (date, state, found) => {
    const service = await serve((response) => {
      response.setHeader('date', date);
      well(response);
    });
    const { about, code } = await consult(doctorSetup({ STACKOPS_BASE_URL: service.url }));
    expect(about('clock')).toMatchObject({ state, found });
    expect(code).toBe(0);
  });

  test('Ctrl-C ends it', async () => {
    const stop = new AbortController();
    const service = await serve(() => stop.abort('SIGINT'));
    const { env } = doctorSetup({ STACKOPS_BASE_URL: service.url });
    expect(await run(['doctor'], { env, signal: stop.signal })).toMatchObject({ code: 130, stdout: '' });
  });
});

describe('TLS', () => {
  async function serveTls(): Promise<string> {
    const server = https.createServer({ key, cert: certificate }, (_, response) => well(response));
    await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
    onTestFinished(() => void server.close());
    return `https://localhost:${(server.address() as AddressInfo).port}/api/3`;
  }

  test('a certificate that nobody vouches for', async () => {
    const url = await serveTls();
    const { about, stderr, code } = await consult(doctorSetup({ STACKOPS_BASE_URL: url }));
    const { host } = new URL(url);
    const found = `the certificate of ${host} is not trusted (DEPTH_ZERO_SELF_SIGNED_CERT)`;
    expect(about('TLS')).toEqual({
      state: 'problem',
      found,
      repair:
        'set NODE_EXTRA_CA_CERTS to the CA certificate file; or, from Node 22.19, set NODE_USE_SYSTEM_CA=1 to use the system store',
    });
    expect(about('connection')).toEqual({
      state: 'problem',
      found: `${host} responds, but TLS fails`,
      repair: null,
    });
    expect(JSON.parse(stderr).error.message).toBe('2 problems: connection, TLS');
    expect(code).toBe(1);
  });

  test('TLS spoken to a plain port', async () => {
    const url = (await serve()).url.replace('http:', 'https:');
    const { about } = await consult(doctorSetup({ STACKOPS_BASE_URL: url }));
    expect(about('TLS')).toMatchObject({ state: 'problem', repair: 'stackops config list --origin' });
  });

  test('variables that weaken or fail to strengthen it', async () => {
    const { url } = await serve();
    const blind = await consult(doctorSetup({ STACKOPS_BASE_URL: url, NODE_TLS_REJECT_UNAUTHORIZED: '0' }));
    expect(blind.about('TLS')).toEqual({
      state: 'warning',
      found: 'NODE_TLS_REJECT_UNAUTHORIZED=0: certificates are not checked',
      repair: 'unset NODE_TLS_REJECT_UNAUTHORIZED',
    });
    const missing = join(temporaryFolder(), 'ca.pem');
    const lost = await consult(doctorSetup({ STACKOPS_BASE_URL: url, NODE_EXTRA_CA_CERTS: missing }));
    expect(lost.about('TLS')).toEqual({
      state: 'warning',
      found: `NODE_EXTRA_CA_CERTS: file not found: ${missing}`,
      repair: 'unset NODE_EXTRA_CA_CERTS',
    });
  });

  test('with no certificate checked nothing goes to another machine', async () => {
    const env = { STACKOPS_BASE_URL: 'https://stacks.invalid/api/3', NODE_TLS_REJECT_UNAUTHORIZED: '0' };
    const { about } = await consult(doctorSetup(env));
    expect(about('connection')).toEqual({
      state: 'problem',
      found: `NODE_TLS_REJECT_UNAUTHORIZED=0 lets anyone read the token${unsent}`,
      repair: 'unset NODE_TLS_REJECT_UNAUTHORIZED',
    });
  });
});

describe('proxy', () => {
  const proxied = {
    STACKOPS_BASE_URL: 'https://stacks.invalid/api/3',
    HTTPS_PROXY: 'http://me:secret-word@proxy.invalid:3128',
  };

  test('is named without its password', async () => {
    const { about, stdout, stderr } = await consult(doctorSetup(proxied));
    expect(about('proxy').found).toBe('HTTPS_PROXY set; stacks.invalid is reached through proxy.invalid:3128');
    expect(about('connection')).toMatchObject({
      state: 'problem',
      repair: 'check the proxy, or exempt the service with no_proxy',
    });
    expect(stdout + stderr).not.toContain('secret-word');
  });

  test.each(['*', 'invalid', '.invalid', 'other.example, stacks.invalid', 'STACKS.invalid:443'])(
    'is passed by with no_proxy=%s',
    async (no_proxy) => {
      const { about } = await consult(doctorSetup({ ...proxied, no_proxy }));
      expect(about('proxy').found).toBe('HTTPS_PROXY, no_proxy set; stacks.invalid is reached directly');
      expect(about('connection').found).toMatch(/^DNS failed: .*stacks\.invalid/);
    },
  );

  test.each(['stacks.invalid:8443', 'acks.invalid', 'other.example'])('is used with no_proxy=%s', async (no_proxy) => {
    const { about } = await consult(doctorSetup({ ...proxied, no_proxy }));
    expect(about('proxy').found).toContain('through proxy.invalid:3128');
    expect(about('connection').found).toContain('no connection through the proxy proxy.invalid:3128');
  });

  test('is never used for this machine', async () => {
    const { url } = await serve();
    const { about } = await consult(doctorSetup({ STACKOPS_BASE_URL: url, http_proxy: 'http://proxy.invalid' }));
    expect(about('proxy').found).toBe(`http_proxy set; ${new URL(url).host} is reached directly (this machine)`);
  });

  test('is a problem when its address makes no sense', async () => {
    const { about } = await consult(doctorSetup({ ...proxied, HTTPS_PROXY: 'secret-word' }));
    expect(about('proxy')).toEqual({
      state: 'problem',
      found: 'invalid proxy address in HTTPS_PROXY: it must look like http://proxy.example:3128',
      repair: 'unset HTTPS_PROXY',
    });
  });
});

test('a callback port that is taken', async () => {
  const server = createServer();
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  onTestFinished(() => void server.close());
  const { port } = server.address() as AddressInfo;
  const one = doctorSetup({ STACKOPS_BASE_URL: (await serve()).url }, { callback_port: port });
  expect((await consult(one)).about('callback port')).toEqual({
    state: 'warning',
    found: `cannot listen on port ${port} of 127.0.0.1: the port is in use`,
    repair: 'stackops auth login --callback-port 0',
  });
  await new Promise((resolve) => server.close(resolve));
  expect((await consult(one)).about('callback port').found).toBe(`${port} is free (preferences)`);
});
