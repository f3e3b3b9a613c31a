import { existsSync, mkdirSync, readdirSync, readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { vi } from 'vitest';
import { type Environment, ownEnvironment } from './built.ts';
import { reply, type Service, startService } from './service.ts';
import { temporaryFolder } from './stackops.ts';

const stackUid = '5f3c9a1e7b2d4c8f9e0a1b2c3d4e5f60';

/** A server as the service lists it. */
export function serverRow(name: string, more: object = {}) {
  const known = { uid: `uid-of-${name}`, name, server_roles: ['web'], address: '192.0.2.1', int_ipv4: '10.0.0.1' };
  return { ...known, user_name: 'deploy', ...more };
}

/** What a server says that is behind this gateway. */
export const behind = {
  has_deploy_gateway: true,
  deploy_gateway_address: '203.0.113.9',
  deploy_gateway_user_name: 'jump',
};

export const gateway = { id: 5, name: 'bastion-1', address: '203.0.113.9', username: 'ops', ttl: null };

export interface Machine {
  readonly service: Service;
  readonly env: Environment;
  /** What runs left in the folder of temporary files. */
  readonly left: () => readonly string[];
  /** Puts a program in front of all others; `calls` is what it was called with, a word a line. */
  provide(name: string, script: string): void;
  readonly folder: string;
}

interface Listed {
  readonly servers?: readonly object[];
  readonly gateways?: readonly object[];
  readonly env?: Environment;
  readonly stack?: { readonly uid: string; readonly name: string };
}

/** A machine with programs of its own, and a service with these servers. */
export async function sshMachine({
  servers = [serverRow('web-1')],
  gateways = [],
  env = {},
  stack = { uid: stackUid, name: 'shop' },
}: Listed = {}): Promise<Machine> {
  let open = gateways;
  const service = await startService(({ method, path, body }, response) => {
    if (path === '/stacks') {
      return reply(response, { response: [{ ...stack, environment: 'production' }] });
    }
    if (path.endsWith('/servers')) return reply(response, { response: servers });
    if (method === 'PUT') {
      open = gateways.map((one) => ({ ...one, ttl: '2035-01-01T00:00:00Z', was: body }));
      return reply(response, { ok: true, message: 'updated' });
    }
    return reply(response, { response: open });
  });
  const folder = temporaryFolder();
  const [bin, TMPDIR] = [join(folder, 'bin'), join(folder, 'tmp')];
  mkdirSync(bin);
  mkdirSync(TMPDIR, { mode: 0o700 });
  // For runs in this process.
  vi.stubEnv('TMPDIR', TMPDIR);
  return {
    service,
    folder,
    left: () => readdirSync(TMPDIR).filter((name) => !name.startsWith('stackops-test-')),
    provide: (name, script) => writeFileSync(join(bin, name), script, { mode: 0o755 }),
    env: ownEnvironment({
      PATH: `${bin}:${process.env['PATH']}`,
      TMPDIR,
      FOLDER: folder,
      STACKOPS_BASE_URL: service.url,
      STACKOPS_ACCOUNT: '42',
      STACKOPS_STACK: stack.name,
      ...env,
    }),
  };
}

/** A program that keeps its words and its configuration in the folder, then does this. */
export function recorder(script = ''): string {
  return [
    '#!/bin/bash',
    'config() { while [ $# -gt 1 ]; do [ "$1" = -F ] && { echo "$2"; return; }; shift; done; }',
    'file=$(config "$@")',
    `printf '%s\\0' "$@" >"$FOLDER/words"`,
    '[ "$file" ] && { cat "$file" >"$FOLDER/config"; stat -c %a "$file" "$(dirname "$file")" >"$FOLDER/rights"; }',
    script,
    '',
  ].join('\n');
}

/** What the recorder kept; the path of the configuration is CONFIG. */
export function recorded(folder: string) {
  const read = (name: string) => (existsSync(join(folder, name)) ? readFileSync(join(folder, name), 'utf8') : '');
  const words = read('words').split('\0').slice(0, -1);
  return {
    words: words.map((word, at) => (words[at - 1] === '-F' ? 'CONFIG' : word)),
    config: read('config'),
    rights: read('rights'),
  };
}
