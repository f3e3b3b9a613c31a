import {
  chmodSync,
  chownSync,
  existsSync,
  lstatSync,
  mkdirSync,
  readFileSync,
  rmSync,
  statSync,
  symlinkSync,
  utimesSync,
  writeFileSync,
} from 'node:fs';
import { dirname, join } from 'node:path';
import { beforeEach, describe, expect, test } from 'vitest';
import { openNameCache } from '../../../src/completion/name-cache.ts';
import { completionScripts } from '../../../src/completion/scripts.ts';
import { openPart } from '../../../src/files/part-file.ts';
import { type Ran, run } from '../../support/stackops.ts';
import { freshFolder } from './folder.ts';

/** Only root can give a file to somebody else. */
const ofOthers = test.skipIf(process.getuid?.() !== 0);
const stranger = 4711;

let home = '';
beforeEach(() => {
  home = freshFolder();
});
const path = (name: string) => join(home, name);
const modeOf = (file: string) => (statSync(file).mode & 0o7777).toString(8);

function make(file: string, text: string): void {
  mkdirSync(dirname(file), { recursive: true, mode: 0o700 });
  writeFileSync(file, text, { mode: 0o600 });
}

/** One command with everything below `home`, which is `~` in what comes back. */
async function act(words: string, env: Readonly<Record<string, string>> = {}): Promise<Ran> {
  const folders = { STACKOPS_CONFIG_DIR: '', XDG_CONFIG_HOME: path('c'), XDG_STATE_HOME: path('s'), HOME: home };
  const { code, stdout, stderr } = await run(words.split(' '), { env: { ...folders, ...env } });
  return { code, stdout: stdout.replaceAll(home, '~'), stderr: stderr.replaceAll(home, '~') };
}

const token = { token: 'token-of-the-test', origin: 'https://a.example', scopes: [], obtained_at: '' };
const sandboxed = { STACKOPS_SANDBOX: '1', STACKOPS_JOURNAL: 'required' };
/** A file that is read and written: what it holds, and a command for each. */
interface Kept {
  readonly file: string;
  readonly text?: string;
  readonly read: string;
  readonly write: string;
  readonly env?: Readonly<Record<string, string>>;
  /** How the write says that it did not write. */
  readonly refusal?: string;
}
const kept: readonly Kept[] = [
  {
    file: 'c/stackops/config.json',
    text: '{"preferences":{"color":"never"}}',
    read: 'config get color',
    write: 'config set output=json',
  },
  {
    file: 'c/stackops/credentials.json',
    text: JSON.stringify({ tokens: { default: token } }),
    read: 'auth token --base-url https://a.example/api/3',
    write: 'auth logout',
  },
  { file: 's/stackops/sandbox.json', read: 'stack list', write: 'stack env set K=v -s shop', env: sandboxed },
  {
    file: 's/stackops/journal-sandbox.jsonl',
    read: 'history list',
    write: 'stack env set K=v -s shop',
    env: sandboxed,
    refusal: 'not sent: the change could not be recorded in the journal: ',
  },
];

test.each(kept.slice(0, 2))('TAB, which can say nothing, leaves the rights of $file', async ({ file, text = '' }) => {
  make(path(file), text);
  chmodSync(path(file), 0o666);
  await act('__complete fish -- -p ');
  await act('__complete fish -- stack get ', { STACKOPS_BASE_URL: 'http://127.0.0.1:9/api/3' });
  expect(modeOf(path(file))).toBe('666');
});

describe.each(kept)('$file', ({ file, text, read, write, env = {}, refusal = '' }) => {
  beforeEach(async () => {
    if (text !== undefined) make(path(file), text);
    else await act('stack env set A=1 -s shop', sandboxed);
  });

  test('of ours alone', async () => {
    expect((await act(read, env)).code).toBe(0);
    expect((await act(write, env)).code).toBe(0);
    expect(modeOf(path(file))).toBe('600');
  });

  test('open to others: they lose their rights, which is said', async () => {
    chmodSync(path(file), 0o666);
    const { code, stderr } = await act(read, env);
    expect(code).toBe(0);
    expect(stderr).toContain(`warning: ~/${file} could be changed by other users; its permissions are now 0600\n`);
    expect(modeOf(path(file))).toBe('600');
  });

  test('in the place of a link: it is read there, replaced when it is written, and its target stays', async () => {
    const [real, own] = [path('dotfiles'), path(file)];
    make(real, readFileSync(own, 'utf8'));
    const before = readFileSync(real, 'utf8');
    rmSync(own);
    symlinkSync(real, own);
    expect((await act(read, env)).code).toBe(0);
    expect(lstatSync(own).isSymbolicLink()).toBe(true);
    expect((await act(write, env)).code).toBe(0);
    expect(lstatSync(own).isSymbolicLink()).toBe(false);
    expect(readFileSync(real, 'utf8')).toBe(before);
    expect(readFileSync(own, 'utf8')).not.toBe(before);
  });

  ofOthers('of another user: neither read nor written', async () => {
    chownSync(path(file), stranger, stranger);
    const before = readFileSync(path(file), 'utf8');
    const words = `cannot use ~/${file}: it belongs to another user (${stranger})\n`;
    for (const [command, start] of [
      [read, ''],
      [write, refusal],
    ] as const) {
      const { code, stderr } = await act(command, env);
      expect([command, code]).toEqual([command, 2]);
      expect(stderr).toContain(`error: ${start}${words}`);
    }
    expect(readFileSync(path(file), 'utf8')).toBe(before);
    expect(statSync(path(file)).uid).toBe(stranger);
  });

  describe('in a folder', () => {
    const folder = dirname(file);

    test('that others can write to: they lose that right', async () => {
      chmodSync(path(folder), 0o777);
      expect((await act(read, env)).code).toBe(0);
      expect(modeOf(path(folder))).toBe('755');
      chmodSync(path(folder), 0o777);
      expect((await act(write, env)).code).toBe(0);
      expect(modeOf(path(folder))).toBe('700');
    });

    test('below one that others can write to: neither read nor written', async () => {
      const above = dirname(folder);
      chmodSync(path(above), 0o777);
      const words = `cannot use ~/${folder}: others can write to ~/${above}\nhint: chmod o-w ~/${above}\n`;
      expect(await act(read, env)).toMatchObject({ code: 2, stderr: expect.stringContaining(`error: ${words}`) });
      expect(await act(write, env)).toMatchObject({ code: 2, stderr: expect.stringContaining(words) });
      chmodSync(path(above), 0o1777);
      expect((await act(write, env)).code).toBe(0);
    });

    ofOthers.each([folder, dirname(folder)])(
      'of which %s is another user’s: neither read nor written',
      async (theirs) => {
        chownSync(path(theirs), stranger, stranger);
        const who = theirs === folder ? 'it' : `~/${theirs}`;
        const words = `cannot use ~/${folder}: ${who} belongs to another user (${stranger})\n`;
        expect(await act(read, env)).toMatchObject({ code: 2, stderr: expect.stringContaining(words) });
        expect(await act(write, env)).toMatchObject({ code: 2, stderr: expect.stringContaining(words) });
      },
    );
  });
});

describe('names for completion', () => {
  const cacheIn = () => openNameCache(path('k/stackops'), 'default', 'a', () => new Date(0));
  const names = [{ value: 'shop', about: '' }];
  const file = () => path('k/stackops/completion/default.json');
  const keepAndFind = () => {
    cacheIn().store('stacks', names);
    return cacheIn().find('stacks', 1000);
  };

  test('are kept for us alone', () => {
    expect(keepAndFind()).toEqual(names);
    expect(modeOf(file())).toBe('600');
  });

  test('replace a link, never what it leads to', () => {
    make(path('bashrc'), 'mine\n');
    mkdirSync(dirname(file()), { recursive: true });
    symlinkSync(path('bashrc'), file());
    expect(keepAndFind()).toEqual(names);
    expect(readFileSync(path('bashrc'), 'utf8')).toBe('mine\n');
  });

  ofOthers.each(['k', 'k/stackops', 'k/stackops/completion'])(
    'are gone without where %s is another user’s',
    (theirs) => {
      mkdirSync(path(theirs), { recursive: true });
      chownSync(path(theirs), stranger, stranger);
      chmodSync(path(theirs), 0o777);
      expect(keepAndFind()).toBeUndefined();
      expect(existsSync(file())).toBe(false);
    },
  );
});

describe('files that are put where others may be', () => {
  test('a script for completion replaces a link to an older one, never what it leads to', async () => {
    const script = path('.config/fish/completions/stackops.fish');
    const older = '# fish completion of stackops: an older one\n';
    make(path('dotfiles'), older);
    mkdirSync(dirname(script), { recursive: true });
    symlinkSync(path('dotfiles'), script);
    const words = 'completion install --shell fish -y';
    expect((await act(words, { XDG_CONFIG_HOME: '' })).code).toBe(0);
    expect(readFileSync(path('dotfiles'), 'utf8')).toBe(older);
    expect([lstatSync(script).isSymbolicLink(), readFileSync(script, 'utf8')]).toEqual([false, completionScripts.fish]);
  });

  test('a part of a download is never written through a link', async () => {
    make(path('bashrc'), 'mine\n');
    symlinkSync(path('bashrc'), path('shop.tar.part'));
    await expect(openPart(path('shop.tar'), { force: true })).rejects.toMatchObject({ kind: 'internal' });
    expect(readFileSync(path('bashrc'), 'utf8')).toBe('mine\n');
  });

  test.each(['config.json.lock', 'config.json.lock.break'])('%s is never written through a link', async (lock) => {
    make(path('bashrc'), 'mine\n');
    mkdirSync(path('c/stackops'), { recursive: true });
    symlinkSync(path('bashrc'), path(`c/stackops/${lock}`));
    const then = new Date(Date.now() - 3_600_000);
    utimesSync(path('bashrc'), then, then);
    expect((await act('config set output=json')).code).toBe(0);
    expect(readFileSync(path('bashrc'), 'utf8')).toBe('mine\n');
  });
});
