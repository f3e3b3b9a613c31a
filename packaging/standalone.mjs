import { createHash } from 'node:crypto';
import { chmodSync, cpSync, mkdirSync, readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { inTemporaryFolder, read, run } from './run.mjs';
import { zipOf } from './zip.mjs';

/** Bun is used only here, so it is not a dependency of the package: npm fetches it, or has it in its cache. */
export const bunVersion = '1.4.5';

/** For distributors of a program: licences that those of the packages do not cover. */
export const bunNotice = `Bun ${bunVersion}, in the programs that need no Node

Bun is MIT-licensed. It contains JavaScriptCore, which is licensed under the LGPL 2, and other libraries with licences of
their own: https://github.com/oven-sh/bun/blob/bun-v${bunVersion}/LICENSE.md
`;

/** The npm package of Bun for each system, and its checksum. Bun's programs for Intel Macs have no valid signature. */
const buns = {
  'linux-x64': {
    name: '@oven/bun-linux-x64',
    sha512: 'IWX9BELoGHAUtMonkeSaNaZwXzRk+oDw6Mk+HBFXd3KHYIBNBsIGRupMZPcgNoDbJpLu6gAJjIoIVPZtt1aJ1g==',
  },
  'linux-arm64': {
    name: '@oven/bun-linux-aarch64',
    sha512: '4BXmsSKnjOrlGWqZV4x/oWa7AVoR+B6lCXddMzOAXBIm3t50eslg9wb66gmtW1AamEQ1l1CDvmmruysEhqOWMg==',
  },
  'darwin-arm64': {
    name: '@oven/bun-darwin-aarch64',
    sha512: '4MIFXHmctH2EhAxLXm2/qxNtv17dFtLJylvaOCsrgq6KSqHTs6eW5YSrJjRbJxYUJaR901fsN8JfZOa+CsWpWQ==',
  },
  'windows-x64': {
    name: '@oven/bun-windows-x64',
    sha512: 'FNvply651vcE/GHgNWz6mZvhmkwBuu8Hw54oNzA+CQog+HW+542rXQmZqNHRkFxazD9L3xi+iTtvO3engAgJfw==',
  },
};

export const targets = Object.keys(buns);
export const ownTarget = `${process.platform === 'win32' ? 'windows' : process.platform}-${process.arch}`;

/** The name of the program for a system, in a release. */
export function programName(target) {
  return `stackops-${target}${isWindows(target) ? '.zip' : ''}`;
}

function isWindows(target) {
  return target.startsWith('windows');
}

/**
 * Makes programs that need no Node from the files in `dist`, and reports each that is missing because its Bun is not
 * available.
 */
export function makeStandalones({ dist, targets: wanted, folder, say, fetch = fetchBun }) {
  inTemporaryFolder((work) => {
    const own = fetch(ownTarget, work);
    if (own.lacks) return say(`skipped ${wanted.map(programName).join(', ')}: ${own.lacks}`);
    const source = join(work, 'source');
    cpSync(dist, source, { recursive: true });
    const order = startOrder(own.bun, source, work);
    for (const target of wanted) {
      const { bun, lacks } = target === ownTarget ? own : fetch(target, work);
      if (lacks) say(`skipped ${programName(target)}: ${lacks}`);
      else put(compile({ compiler: own.bun, bun, target, source, order }), target, folder);
    }
  });
}

/**
 * `{ bun }`, the path of the Bun for a target, or `{ lacks }`, the reason for none. Fails for a Bun whose checksum is
 * not `sha512`.
 */
export function fetchBun(target, work) {
  const known = buns[target];
  if (!known) return { lacks: `Bun ${bunVersion} knows no ${target}` };
  const packed = join(work, target);
  mkdirSync(packed);
  try {
    // Without retries, so that a machine without network fails at once.
    const words = ['pack', `${known.name}@${bunVersion}`, '--prefer-offline', '--fetch-retries=0', '--silent'];
    read('npm', ...words, '--pack-destination', packed);
  } catch {
    return { lacks: `no ${known.name} ${bunVersion} here: neither the cache nor the registry of npm has it` };
  }
  const tarball = join(packed, `${known.name.slice(1).replace('/', '-')}-${bunVersion}.tgz`);
  const found = createHash('sha512').update(readFileSync(tarball)).digest('base64');
  if (found !== known.sha512) throw new Error(`the SHA-512 of ${known.name} is ${found}, not ${known.sha512}`);
  run('tar', ['-xzf', tarball, '-C', packed]);
  return { bun: join(packed, 'package/bin', isWindows(target) ? 'bun.exe' : 'bun') };
}

/**
 * The order in which a start reads the compiled code, so that this code is in one place. Only reads are run: the order
 * of a write depends on which of its replies comes first.
 */
function startOrder(bun, source, work) {
  const program = compile({ compiler: bun, bun, target: ownTarget, source });
  return [
    [process.execPath, join(source, 'cli.cjs'), 'sandbox', 'run', '--', program, 'stack', 'list'],
    [program, 'help'],
  ].map((commandLine, at) => {
    // On a busy machine a run may last until a timer calls one more function: such a recording is not used.
    const recordings = [1, 2, 3].map((time) => recordOrder(commandLine, join(work, `order-${at}-${time}.txt`), work));
    return recordings.toSorted((one, other) => one.called - other.called)[0].list;
  });
}

/** Runs a command line and writes the order into `list`; `called` is the number of functions that were called. */
function recordOrder([command, ...words], list, work) {
  run(command, words, { env: { ...ownHome(work), BUN_BYTECODE_ORDER_OUT: list } });
  return { list, called: readFileSync(list, 'utf8').match(/^F /gm).length };
}

/** An environment without the settings of this machine. */
function ownHome(work) {
  const set = Object.keys(process.env).filter((name) => /^(?:STACKOPS|BUN|XDG)_/.test(name));
  return { ...Object.fromEntries(set.map((name) => [name, undefined])), HOME: work, USERPROFILE: work };
}

/** Without the two `autoload` flags the program would read `.env` and `bunfig.toml` of its working folder. */
function compile({ compiler, bun, target, source, order }) {
  const inside = isWindows(target) ? 'B:/~BUN/root' : '/$bunfs/root';
  const flags = [
    ...['--compile', '--minify', '--bytecode', '--no-compile-autoload-dotenv', '--no-compile-autoload-bunfig'],
    `--target=bun-${target}`,
    ...(bun === compiler ? [] : [`--compile-executable-path=${bun}`]),
    // A program that only shows the order needs no optimized bytecode, which halves the time.
    ...(order ? [`--bytecode-order=${order.join(',')}`, '--compile-jit-policy=10'] : ['--no-optimize-bytecode']),
    // The pages of --help are inside, and no program contains the path of the build folder.
    '--asset=help',
    ...['--define', `__dirname=${JSON.stringify(inside)}`, '--define', `__filename="${inside}/stackops"`],
  ];
  run(compiler, ['build', ...flags, './cli.cjs', '--outfile', 'stackops'], { cwd: source, env: ownHome(source) });
  return join(source, isWindows(target) ? 'stackops.exe' : 'stackops');
}

function put(program, target, folder) {
  const file = join(folder, programName(target));
  if (isWindows(target)) return writeFileSync(file, zipOf('stackops.exe', readFileSync(program)));
  cpSync(program, file);
  chmodSync(file, 0o755);
}
