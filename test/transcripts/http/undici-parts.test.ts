// own process: undici compiles its parser once in each
import { readdirSync, readFileSync } from 'node:fs';
import { join, resolve } from 'node:path';
import { describe, expect, test } from 'vitest';
import { keepParserUnoptimised } from '../../../src/http/transport/transport.ts';
import { openTransport } from './clients.ts';
import { closedPort, json, serveHttp } from './servers.ts';

describe('the parts of undici are where an update may have moved them from', () => {
  test('client', async () => {
    const { default: Client } = await import('undici/lib/dispatcher/client.js');
    const client = new Client((await closedPort()).origin);
    expect(typeof client.dispatch).toBe('function');
    await client.destroy();
  });

  test('proxy agent', async () => {
    const { default: ProxyAgent } = await import('undici/lib/dispatcher/proxy-agent.js');
    const agent = new ProxyAgent({ uri: (await closedPort()).origin });
    expect(typeof agent.dispatch).toBe('function');
    await agent.destroy();
  });

  test('connect', async () => {
    const { default: connect } = await import('undici/lib/api/api-connect.js');
    expect(connect).toBeTypeOf('function');
  });

  test.each([
    '../../../node_modules/undici/lib/dispatcher/client-h2.js',
    '../../../node_modules/undici/lib/llhttp/llhttp-wasm.js',
  ])('%s, which the bundle leaves out', async (path) => {
    expect(await import(path)).toHaveProperty('default');
  });
});

/** .config/rolldown.mjs puts stand-ins in the place of `node:http`, `node:assert` and undici's own tables, which know only this much. */
test('undici asks the stand-ins of the bundle for no more than they know', () => {
  const lib = resolve(import.meta.dirname, '../../../node_modules/undici/lib');
  const bundled = readdirSync(lib, { recursive: true, encoding: 'utf8' })
    .filter((file) => file.endsWith('.js') && !/^(web|mock)\W|wasm/.test(file))
    .map((file) => readFileSync(join(lib, file), 'utf8'));
  const asked = bundled.flatMap((text) => [
    ...[...text.matchAll(/\b(assert|http)\.[a-z]\w*/gi)].map(([use]) => use),
    ...[...text.matchAll(/\bconstants\.[A-Z]+/g)].map(([use]) => use),
    ...[...text.matchAll(/(\w+|\{[^}]*\}) = require\('(node:(http|assert)(\/\w+)?|\S*llhttp\/constants\.js)'\)/g)].map(
      ([use]) => use,
    ),
  ]);
  expect([...new Set(asked)].sort()).toEqual([
    "assert = require('node:assert')",
    "constants = require('../llhttp/constants.js')",
    'constants.ERROR',
    'constants.TYPE',
    "http = require('node:http')",
    'http.maxHeaderSize',
    "{ IncomingMessage } = require('node:http')",
  ]);
});

describe('the parser on Node 20', () => {
  const moduleNow = (): unknown => Reflect.get(globalThis, 'WebAssembly').Module;

  test('is compiled once, and the constructor is given back', async () => {
    const original = moduleNow();
    const server = await serveHttp((_, response) => json(response, { a: 1 }));
    const send = await openTransport(server.url, { v8Version: '11.3.244.8-node.38' });
    expect(moduleNow()).not.toBe(original);
    const request = { method: 'GET', path: '/x', query: new URLSearchParams(), body: undefined } as const;
    expect((await send(request, undefined, new AbortController().signal)).text).toBe('{"a":1}');
    expect(moduleNow()).toBe(original);
    await send.close();
    await server.close();
  });

  test('newer versions are left alone', () => {
    const original = moduleNow();
    keepParserUnoptimised('12.4.254.21-node.33');
    expect(moduleNow()).toBe(original);
  });
});
