import { execFileSync } from 'node:child_process';
import {
  appendFileSync,
  chownSync,
  existsSync,
  lstatSync,
  mkdirSync,
  readdirSync,
  readFileSync,
  rmSync,
  statSync,
  symlinkSync,
  truncateSync,
  writeFileSync,
} from 'node:fs';
import { basename, join } from 'node:path';
import { afterEach, describe, expect, onTestFinished, test, vi } from 'vitest';
import { mebibyte } from '../../src/files/named-file.ts';
import { replaceFile } from '../../src/files/replace-file.ts';
import { mark } from '../support/phrases.ts';
import { type Ran, run as runHere, temporaryFolder } from '../support/stackops.ts';

/** What every rename of the program replaced: `undefined` where nothing was there. */
const replaced: (string | undefined)[] = [];
const recorded = vi.hoisted(() => ({ note: (_: string): void => undefined, grow: (): void => undefined }));
recorded.note = (target) => {
  const found = lstatSync(target, { throwIfNoEntry: false });
  // Of our own files a link is replaced, never its target.
  const isFit = found?.isFile() || (found?.isSymbolicLink() && !target.includes('file.env'));
  replaced.push(found && (isFit ? 'file' : `no regular file: ${target}`));
};
vi.mock('node:fs', async (original) => {
  const fs = await original<typeof import('node:fs')>();
  return {
    ...fs,
    renameSync: (from: string, to: string) => {
      recorded.note(to);
      fs.renameSync(from, to);
    },
    readSync: (handle: number, bytes: Uint8Array) => {
      recorded.grow();
      return fs.readSync(handle, bytes);
    },
  };
});
vi.mock('node:fs/promises', async (original) => {
  const fs = await original<typeof import('node:fs/promises')>();
  return {
    ...fs,
    rename: (from: string, to: string) => {
      recorded.note(to);
      return fs.rename(from, to);
    },
  };
});

afterEach(() => {
  expect(replaced.filter((found) => found !== undefined && found !== 'file')).toEqual([]);
  replaced.length = 0;
});

const isRoot = process.getuid?.() === 0;
const stranger = 4711;

async function run(words: readonly string[]): Promise<Ran> {
  const ran = await runHere(words, { env: { STACKOPS_SANDBOX: '1', NO_COLOR: '1' } });
  return { ...ran, stderr: ran.stderr.replace(mark, '') };
}

/** Command lines with the file that a person names in the place of FILE. */
const readers: Readonly<Record<string, string>> = {
  'env set --from-file': 'stack env set VALUE --from-file FILE -s shop --dry-run',
  'env import': 'stack env import FILE -s shop --dry-run',
  'env diff': 'stack env diff FILE -s shop',
  'env check': 'stack env check FILE -s shop',
  '--key-file': 'gateway update bastion-2 --key-file FILE --ttl 8h --dry-run',
  'user update': 'user update mara@harbour.example --from-file FILE --dry-run',
  'api --input': 'api PUT /stacks/{stack}/env_vars/1 --input FILE -s shop --dry-run',
  '-s @FILE': 'stack env list -s @FILE',
};
const writer = 'stack env export CURRENCY -s shop --to FILE';

interface Odd {
  readonly make: (folder: string) => string;
  /** What follows `cannot read FILE: `, or the whole message behind a `!`. */
  readonly read: string;
  readonly write: string;
  readonly skip?: boolean;
}
const named = (folder: string, make: (path: string) => void): string => {
  const path = join(folder, 'file.env');
  make(path);
  return path;
};
const linkTo = (target: string) => (folder: string) => named(folder, (path) => symlinkSync(target, path));

const odd: Readonly<Record<string, Odd>> = {
  '/dev/null': { make: () => '/dev/null', read: 'not a regular file', write: 'not a regular file' },
  '/dev/zero': { make: () => '/dev/zero', read: 'not a regular file', write: 'not a regular file' },
  '/dev/full': { make: () => '/dev/full', read: 'not a regular file', write: 'not a regular file' },
  'a named pipe': {
    make: (folder) => named(folder, (path) => execFileSync('mkfifo', [path])),
    read: 'no program writes to it',
    write: 'not a regular file',
  },
  'a folder': { make: (folder) => folder, read: 'it is a folder', write: 'it is a folder' },
  'a link to a device': { make: linkTo('/dev/zero'), read: 'not a regular file', write: 'not a regular file' },
  'a link to nothing': { make: linkTo('/nowhere/at/all'), read: 'file not found', write: 'it is a link' },
  'a file without rights': {
    make: (folder) => named(folder, (path) => writeFileSync(path, 'A=1\n', { mode: 0 })),
    read: 'permission denied (EACCES)',
    write: '!cannot read FILE: permission denied (EACCES)',
    skip: isRoot,
  },
  'a file of 100 MB': {
    make: (folder) =>
      named(folder, (path) => {
        writeFileSync(path, 'A=1\n');
        truncateSync(path, 100_000_000);
      }),
    read: '!FILE is larger than SIZE MiB',
    write: '!FILE is larger than 16 MiB',
  },
  'a file that grows': { make: growing, read: '!FILE is larger than SIZE MiB', write: '!FILE is larger than 16 MiB' },
};

/** Each time that somebody reads, there is more of it; 64 MiB in all. */
function growing(folder: string): string {
  return named(folder, (path) => {
    writeFileSync(path, 'A=');
    const more = 'x'.repeat(mebibyte);
    let times = 0;
    recorded.grow = () => {
      times += 1;
      if (times < 64) appendFileSync(path, more);
    };
    onTestFinished(() => {
      recorded.grow = () => undefined;
    });
  });
}

const cases = Object.entries(odd).flatMap(([what, { skip, ...one }]) =>
  skip ? [] : Object.keys(readers).map((place) => ({ what, place, ...one })),
);

/** What a reader leaves as it is, in words of `lstat`. */
function identityOf(path: string) {
  const { ino, rdev, mode, uid, size, mtimeMs } = lstatSync(path);
  return { ino, rdev, mode, uid, size, mtimeMs };
}

test.each(cases)('$place says what is wrong with $what, at once', async ({ what, place, make, read }) => {
  const path = make(temporaryFolder());
  const before = identityOf(path);
  const { code, stdout, stderr } = await run(wordsOf(readers[place] ?? '', path));
  const size = ['env import', 'env diff', 'env check'].includes(place) ? 16 : 1;
  const message = read.startsWith('!') ? read.slice(1) : `cannot read FILE: ${read}`;
  expect({ code, stdout }).toEqual({ code: 2, stdout: '' });
  expect(stderr).toContain(`error: ${message.replace('FILE', path).replace('SIZE', String(size))}\n`);
  if (what !== 'a file that grows') expect(identityOf(path)).toEqual(before);
});

describe('env export --to', () => {
  test.each(Object.entries(odd).filter(([, { skip }]) => !skip))(
    'leaves %s as it is',
    async (what, { make, write }) => {
      const folder = temporaryFolder();
      const path = make(folder);
      const before = lstatSync(path);
      replaced.length = 0;
      const { code, stdout, stderr } = await run(wordsOf(writer, path));
      const message = write.startsWith('!') ? write.slice(1) : `cannot write FILE: ${write}`;
      expect({ code, stdout }).toEqual({ code: 2, stdout: '' });
      expect(stderr).toContain(`error: ${message.replace('FILE', path)}\n`);
      expect(replaced.filter(Boolean)).toEqual([]);
      const { ino, rdev, mode, uid } = lstatSync(path);
      expect({ ino, rdev, mode, uid }).toEqual({
        ino: before.ino,
        rdev: before.rdev,
        mode: before.mode,
        uid: before.uid,
      });
      if (what !== 'a folder') expect(readdirSync(folder).filter((name) => name !== 'file.env')).toEqual([]);
    },
  );

  test('names the file that a link leads to', async () => {
    const folder = temporaryFolder();
    const real = join(folder, 'real.env');
    writeFileSync(real, 'CURRENCY=SEK\n');
    const link = linkTo(real)(folder);
    const { code, stderr } = await run(wordsOf(writer, link));
    expect({ code, stderr }).toEqual({
      code: 2,
      stderr: `error: cannot write ${link}: it is a link\nhint: stackops stack env export CURRENCY --to ${real} -s shop\n`,
    });
    // The hint was run, as every printed line is.
    expect(readFileSync(link, 'utf8')).toBe('CURRENCY=EUR\n');
    expect(lstatSync(link).isSymbolicLink()).toBe(true);
  });

  test.skipIf(!isRoot)('refuses the file of another user, and names the owner', async () => {
    const file = named(temporaryFolder(), (path) => writeFileSync(path, 'A=1\n'));
    chownSync(file, stranger, stranger);
    const { code, stderr } = await run(wordsOf(writer, file));
    expect({ code, stderr }).toEqual({
      code: 2,
      stderr: `error: cannot write ${file}: it belongs to another user (${stranger})\n`,
    });
    expect(readFileSync(file, 'utf8')).toBe('A=1\n');
    expect(statSync(file).uid).toBe(stranger);
    expect((await run(wordsOf('stack env diff FILE -s shop', file))).code).toBe(0);
  });

  test.each(['dotenv', 'shell'])('keeps the bytes of lines that are not its own (%s)', async (format) => {
    const file = named(temporaryFolder(), () => undefined);
    const own = Buffer.from("# caf\xe9 \xf0\x9f\nNAME='caf\xe9'\n# caf\xc3\xa9 \xf0\x9f\x92\xa7\nCURRENCY=", 'latin1');
    writeFileSync(file, Buffer.concat([own, Buffer.from("SEK\nLAST='\xff\xfe'", 'latin1')]), { mode: 0o600 });
    replaced.length = 0;
    const { code, stderr } = await run([...wordsOf(writer, file), '--format', format]);
    expect({ code, stderr }).toEqual({ code: 0, stderr: '' });
    expect(readFileSync(file)).toEqual(Buffer.concat([own, Buffer.from("EUR\nLAST='\xff\xfe'", 'latin1')]));
    expect(replaced).toContain('file');
  });

  test.each(['json', 'yaml'])('does not guess at bytes in %s', async (format) => {
    const file = named(temporaryFolder(), (path) => writeFileSync(path, Buffer.from('caf\xe9: x\n', 'latin1')));
    const { code, stderr } = await run([...wordsOf(writer, file), '--format', format]);
    expect({ code, stderr: stderr.split('\n')[0] }).toEqual({ code: 2, stderr: `error: ${file} is not valid UTF-8` });
  });

  test('loses nothing when several run at once: a run either writes, or is told to try again', async () => {
    const folder = temporaryFolder();
    const file = join(folder, 'all.env');
    const keys = ['APP_NAME', 'CURRENCY', 'GREETING', 'LOG_LEVEL', 'ROBOTS', 'STACK_NAME'];
    const ran = await Promise.all(
      keys.map(async (key) => ({
        key,
        ...(await run(['stack', 'env', 'export', key, '-s', 'shop', '--to', file])),
      })),
    );
    const done = ran.filter(({ code }) => code === 0).map(({ key }) => key);
    expect(ran.map(({ code }) => code).filter((code) => code !== 0 && code !== 6)).toEqual([]);
    expect(done).not.toEqual([]);
    const text = readFileSync(file, 'utf8');
    expect(done.filter((key) => !text.includes(`${key}=`))).toEqual([]);
    expect(readdirSync(folder)).toEqual(['all.env']);
  });

  test('waits for nobody who is writing the file, and says who may be left over', async () => {
    const file = named(temporaryFolder(), (path) => writeFileSync(path, 'A=1\n'));
    writeFileSync(`${file}.stackops-new`, '');
    const { code, stderr } = await run(wordsOf(writer, file));
    expect({ code, stderr }).toEqual({
      code: 6,
      stderr:
        `error: cannot write ${file}: another stackops is writing it\n` +
        `hint: if no other stackops is running: rm ${file}.stackops-new\n`,
    });
    expect(readFileSync(file, 'utf8')).toBe('A=1\n');
    expect(existsSync(`${file}.stackops-new`)).toBe(true);
  });
});

test('env import reads what env export wrote, up to 16 MiB', async () => {
  const file = join(temporaryFolder(), 'large.env');
  writeFileSync(file, `LARGE='${'x'.repeat(15 * mebibyte)}'\n`);
  const { code } = await run(['stack', 'env', 'import', file, '-s', 'shop', '--dry-run']);
  expect(code).toBe(0);
  writeFileSync(file, `LARGE='${'x'.repeat(16 * mebibyte)}'\n`);
  const larger = await run(['stack', 'env', 'import', file, '-s', 'shop', '--dry-run']);
  expect(larger).toMatchObject({ code: 2, stderr: `error: ${file} is larger than 16 MiB\n` });
});

test('backup download replaces a regular file only', async () => {
  const folder = temporaryFolder();
  const words = ['backup', 'download', '901', '-s', 'shop', '--to', folder, '--force'];
  expect((await run(words)).code).toBe(0);
  const [name = ''] = readdirSync(folder);
  replaced.length = 0;
  expect((await run(words)).code).toBe(0);
  expect(replaced).toContain('file');
  expect(replaced.filter((found) => found !== undefined && found !== 'file')).toEqual([]);
  for (const make of [
    (path: string) => symlinkSync('/dev/null', path),
    (path: string) => execFileSync('mkfifo', [path]),
    (path: string) => mkdirSync(path),
  ]) {
    const target = temporaryFolder();
    make(join(target, name));
    replaced.length = 0;
    const { code, stderr } = await run([...words.slice(0, -2), target, '--force']);
    expect({ code, stderr }).toEqual({
      code: 1,
      stderr: `error: cannot write ${join(target, name)}: it exists and is not a regular file\n`,
    });
    expect(replaced.filter(Boolean)).toEqual([]);
  }
});

test('a named pipe is not renamed over', () => {
  const path = named(temporaryFolder(), (fresh) => execFileSync('mkfifo', [fresh]));
  expect(() => replaceFile(path, 'text', { force: true })).toThrow(`cannot use ${path}: it is not a regular file`);
  expect(lstatSync(path).isFIFO()).toBe(true);
});

test('no file of our own is renamed over a folder of its name', async () => {
  const [config, state] = [temporaryFolder(), temporaryFolder()];
  const env = { STACKOPS_SANDBOX: '1', STACKOPS_CONFIG_DIR: config, XDG_STATE_HOME: state, XDG_CACHE_HOME: state };
  const all = async () => {
    for (const words of [
      'config set output=table',
      'stack use shop',
      'env set A=1',
      'env list -s shop',
      'sandbox reset',
    ]) {
      await runHere(words.split(' '), { env });
    }
    await runHere(['auth', 'login', '--token-stdin', '--base-url', 'https://a.example/api/3'], {
      env: { ...env, STACKOPS_SANDBOX: '' },
      stdin: 'token-of-this-test',
    });
  };
  await all();
  const files = [config, state].flatMap((folder) =>
    readdirSync(folder, { recursive: true, encoding: 'utf8' })
      .map((name) => join(folder, name))
      .filter((path) => lstatSync(path).isFile()),
  );
  expect(files.map((path) => basename(path)).sort()).toEqual(['config.json', 'journal-keys.json', 'sandbox.json']);
  for (const file of files) {
    rmSync(file);
    mkdirSync(file);
    await all();
    expect(lstatSync(file).isFile(), file).toBe(false);
    rmSync(file, { recursive: true });
    await all();
  }
});

function wordsOf(line: string, path: string): readonly string[] {
  return line.split(' ').map((word) => word.replace('FILE', path));
}
