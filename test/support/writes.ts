import { join, relative } from 'node:path';

const stack = ['-s', '5f3c9a1e7b2d4c8f9e0a1b2c3d4e5f60'];
const group = [...stack, '-g', '21'];
const server = 'c1a7d3e95b2f4860a1b2c3d4e5f60718';
const productionBlog = 'b92c7d1e5f30584a9d6e7f8091a2b3c4';
const otherStack = 'a81b6c0d4e2f49738c5d6e7f80912a3b';
// From where the tests run, so that no folder above with a blank in its name parts the words.
const variablesFile = relative('', join(import.meta.dirname, 'changed.env'));
const device = ['--type', 'ios', '--sub-type', 'ipad', '--token-stdin'];

/** How a run ends when its one change is answered, when it is lost before, and when it is lost after it was made. */
export interface Write {
  readonly words: readonly string[];
  readonly stdin?: string;
  readonly env?: Readonly<Record<string, string>>;
  /** What must have been done before. */
  readonly first?: readonly string[];
  /** Whether looking tells that a lost change was made (0), only that it probably was (8), or nothing (11). */
  readonly cut: 0 | 8 | 11;
  /** Whether --wait has an end to wait for. */
  readonly waits?: true;
}

/** What makes many changes one after the other has tests of its own. */
export const writesOfTheirOwn = ['variant ramp'];

/** One line per command that changes something; test/contract/catalogue.test.ts tells when one is missing. */
export const writes: readonly Write[] = [
  { words: ['stack', 'env', 'set', 'MOTTO=Read', ...stack], cut: 0 },
  { words: ['stack', 'env', 'set', 'LOG_LEVEL=debug', ...stack], cut: 0 },
  { words: ['stack', 'env', 'unset', 'LOG_LEVEL', '-y', ...stack], cut: 0 },
  { words: ['stack', 'env', 'rollback', 'LOG_LEVEL', ...stack], cut: 0 },
  { words: ['stack', 'env', 'import', variablesFile, '-y', ...stack], cut: 0 },
  { words: ['stack', 'env', 'edit', 'LOG_LEVEL', '-y', ...stack], env: { EDITOR: 'sed -i s/info/debug/' }, cut: 0 },
  { words: ['stack', 'env', 'copy', 'NODE_ENV', '--from', otherStack, '--overwrite', '-y', ...stack], cut: 0 },
  { words: ['stack', 'settings', 'set', 'git.branch=release', ...stack], cut: 0, waits: true },
  { words: ['server', 'settings', 'set', server, 'server.name=web', ...stack], cut: 0, waits: true },
  { words: ['server', 'reboot', server, '-y', ...stack], cut: 11, waits: true },
  { words: ['deployment', 'create', '-y', ...stack], cut: 0, waits: true },
  { words: ['redeploy', '-y', ...stack], cut: 0, waits: true },
  { words: ['restart', '-y', ...stack], cut: 0, waits: true },
  {
    words: ['deployment', 'cancel', '1042', '-y', ...stack],
    first: ['redeploy', '-y', ...stack],
    cut: 11,
    waits: true,
  },
  { words: ['deployment', 'rollback', '-y', '--detach', ...stack], cut: 0 },
  {
    words: ['deployment', 'promote', '--from', otherStack, '--to', productionBlog, '--allow-failed', '-y'],
    cut: 0,
    waits: true,
  },
  { words: ['variant', 'weight', 'va-canary', '25', ...stack], cut: 0 },
  { words: ['variant', 'commit', 'va-canary', '-y', ...stack], cut: 11 },
  { words: ['variant', 'delete', 'va-preview', '-y', ...stack], cut: 0 },
  { words: ['process', 'scale', 'worker=3', ...stack], cut: 0, waits: true },
  { words: ['tags', 'set', `server/${server}`, 'a', 'b'], cut: 0 },
  { words: ['tags', 'patch', `server/${server}`, '--add', 'a'], cut: 0 },
  { words: ['tags', 'add', `server/${server}`, 'a'], cut: 0 },
  { words: ['tags', 'remove', `server/${server}`, 'nightly'], cut: 0 },
  { words: ['tags', 'clear', `server/${server}`, '--confirm', `server/${server}`], cut: 0 },
  { words: ['db', 'create', 'reports', ...group], cut: 0, waits: true },
  { words: ['db', 'delete', 'shop_events', '--confirm', 'shop_events', ...group], cut: 0, waits: true },
  { words: ['db', 'user', 'create', 'reporting', ...group], cut: 0, waits: true },
  { words: ['db', 'user', 'regenerate-password', 'app', '--confirm', 'app', ...group], cut: 11, waits: true },
  { words: ['db', 'user', 'delete', 'analytics', '--confirm', 'analytics', ...group], cut: 0, waits: true },
  { words: ['gateway', 'create', '--name', 'bastion-3', '--address', '203.0.113.9', '-a', '42'], cut: 0 },
  { words: ['gateway', 'update', '5', '--name', 'bastion-9', '-a', '42'], cut: 0 },
  { words: ['gateway', 'delete', '5', '--confirm', 'bastion-1', '-a', '42'], cut: 0 },
  { words: ['cluster', 'reboot', 'prod-eu', '--confirm', 'prod-eu'], cut: 11, waits: true },
  { words: ['backup', 'create', '--db-type', 'postgresql', ...stack], cut: 11, waits: true },
  {
    words: [
      'backup',
      'import',
      '--group',
      '12',
      '--db-type',
      'postgresql',
      '--url',
      'https://files.example/a',
      '-y',
      ...stack,
    ],
    cut: 11,
    waits: true,
  },
  { words: ['user', 'update', '9', '--set', 'can_payment=true', '-y'], cut: 0 },
  { words: ['user', 'device', 'register', '7', ...device], stdin: 'new-token', cut: 0 },
  {
    words: ['user', 'device', 'update', '7', ...device],
    first: ['user', 'device', 'register', '7', '--type', 'ios', '--sub-type', 'iphone', '--token-stdin'],
    stdin: 'new-token',
    cut: 0,
  },
  {
    words: ['user', 'device', 'delete', '7', '--token-stdin'],
    first: ['user', 'device', 'register', '7', ...device],
    stdin: 'new-token',
    cut: 0,
  },
  { words: ['account', 'otp'], cut: 11 },
  {
    words: ['api', 'PUT', `/stacks/${stack[1]}/application_variants/va-canary`, '-f', 'operation=commit'],
    cut: 11,
  },
];
