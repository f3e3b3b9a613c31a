import { readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import { copyEnvironment } from '../../src/cli/host.ts';
import { safeName } from '../../src/commands/backup/download.ts';
import { editorCommand } from '../../src/commands/env/editor.ts';
import { commandText } from '../../src/contract/command-line.ts';
import { findFolders } from '../../src/files/folders.ts';
import { renameFile } from '../../src/files/replace-file.ts';
import { candidateFiles, spawnArguments } from '../../src/programs/start.ts';
import { isStandalone, ownEnvironment, preloading, runShell, start } from '../support/built.ts';
import { unchanged } from '../support/phrases.ts';
import { anyText, property } from '../support/property.ts';
import { startService } from '../support/service.ts';
import { run, temporaryFolder } from '../support/stackops.ts';

/** What depends on the platform takes it as a value, so every machine can show what all of them do. */
const posixes = ['linux', 'darwin'] as const;

describe('the environment', () => {
  const env = { Path: 'a', STACKOPS_STACK: 'shop' };

  test.each(posixes)('%s keeps every name', (platform) => {
    expect(copyEnvironment(env, platform)).toEqual(env);
  });

  test('win32: a name is found however it is spelled', () => {
    expect(copyEnvironment(env, 'win32')).toEqual({ PATH: 'a', STACKOPS_STACK: 'shop' });
  });
});

describe('folders', () => {
  test.each(posixes)('%s: below HOME', (platform) => {
    expect({ ...findFolders({ HOME: '/home/ann', APPDATA: 'C:\\Roaming' }, platform) }).toEqual({
      config: '/home/ann/.config/stackops',
      state: '/home/ann/.local/state/stackops',
      cache: '/home/ann/.cache/stackops',
    });
  });

  test('win32: below APPDATA and LOCALAPPDATA', () => {
    const env = { HOME: '/home/ann', APPDATA: 'C:\\Roaming', LOCALAPPDATA: 'C:\\Local' };
    expect({ ...findFolders(env, 'win32; node v24.0.0') }).toEqual({
      config: 'C:\\Roaming\\stackops\\config',
      state: 'C:\\Local\\stackops\\state',
      cache: 'C:\\Local\\stackops\\cache',
    });
    expect({ ...findFolders({ ...env, STACKOPS_CONFIG_DIR: 'D:\\own' }, 'win32') }).toMatchObject({
      config: 'D:\\own',
    });
  });

  test('win32: a missing folder has a hint for PowerShell', () => {
    expect(() => findFolders({}, 'win32').state).toThrow(
      expect.objectContaining({
        message: 'no folder for the files of stackops: LOCALAPPDATA is not set',
        details: { hint: "$env:STACKOPS_CONFIG_DIR = 'C:\\absolute\\folder'" },
      }),
    );
  });
});

describe('a program', () => {
  test.each(posixes)('%s: is looked up in PATH under its name', (platform) => {
    expect(candidateFiles('npm', { PATH: '/a:/b c' }, platform)).toEqual(['/a/npm', '/b c/npm']);
    expect(candidateFiles('./npm', { PATH: '/a' }, platform)).toEqual(['./npm']);
    expect(spawnArguments('/a/npm.cmd', ['a b'], {}, platform)).toEqual({ file: '/a/npm.cmd', args: ['a b'] });
  });

  test('win32: is looked up with the endings of PATHEXT, and not in the working folder', () => {
    const env = { PATH: 'C:\\a;;C:\\b c', PATHEXT: '.EXE;.CMD' };
    expect(candidateFiles('npm', env, 'win32')).toEqual([
      'C:\\a\\npm.EXE',
      'C:\\a\\npm.CMD',
      'C:\\b c\\npm.EXE',
      'C:\\b c\\npm.CMD',
    ]);
    expect(candidateFiles('npm.cmd', env, 'win32')).toEqual(['C:\\a\\npm.cmd', 'C:\\b c\\npm.cmd']);
    expect(candidateFiles('.\\npm', env, 'win32')).toEqual(['npm.EXE', 'npm.CMD']);
  });

  const batch = 'C:\\a b\\npm.cmd';
  const commandLine = (...args: string[]) => spawnArguments(batch, args, { COMSPEC: 'C:\\cmd.exe' }, 'win32');

  test('win32: a program is started as it is, a batch file by cmd', () => {
    expect(spawnArguments('C:\\a\\node.exe', ['a b'], {}, 'win32')).toEqual({ file: 'C:\\a\\node.exe', args: ['a b'] });
    expect(commandLine('run', 'a&b')).toEqual({
      file: 'C:\\cmd.exe',
      args: ['/d', '/s', '/c', '"C:\\a^ b\\npm.cmd ^^^"run^^^" ^^^"a^^^&b^^^""'],
      windowsVerbatimArguments: true,
    });
  });

  test('win32: an argument with a line break is refused', () => {
    expect(() => commandLine('a\nb')).toThrow(
      expect.objectContaining({ kind: 'usage', details: expect.objectContaining({ exitCode: 126 }) }),
    );
  });

  property(
    'win32: every argument reaches a batch file as it was given, and none is a command',
    [fc.array(anyText.filter((text) => !/[\r\n\0]/.test(text)))],
    (args) => {
      const [, , , line = ''] = commandLine(...args).args;
      // Outside of quotes cmd takes away one ^ before each character, and would act on a character without one.
      let text = line.slice(1, -1);
      expect(text.replace(/\^./gsu, '')).not.toMatch(/["&|<>()%!]/);
      text = readCarets(text);
      // The batch file hands its arguments to a line of its own, which is read again.
      const [, rest = ''] = /^C:\\a b\\npm\.cmd(?: (.*))?$/s.exec(text) ?? [];
      expect(rest.replace(/\^./gsu, '')).not.toMatch(/["&|<>()%!]/);
      expect(readArguments(readCarets(rest))).toEqual(args);
    },
    [[['"', '\\', 'a\\"b\\\\', '%PATH%', '^', '', ' ', '&calc', '!x!']]],
  );
});

const readCarets = (text: string) => text.replace(/\^(.)/gsu, '$1');

/** As programs of Windows part their line: 2n backslashes and a quote are n backslashes and the end of the quotes. */
function readArguments(line: string): readonly string[] {
  return [...line.matchAll(/"((?:[^"\\]|\\+(?!\\*")|(?:\\\\)*\\"|(?:\\\\)+(?="))*)"/gu)].map(([, inner = '']) =>
    inner.replace(/(\\+)("|$)/g, (_, slashes: string, quote: string) => slashes.slice(0, slashes.length / 2) + quote),
  );
}

describe('a printed command', () => {
  const line = (...operands: string[]) => ({ path: 'x', operands });

  test.each([undefined, ...posixes])('%s: is quoted for sh', (platform) => {
    expect(commandText(line('plain', 'a b', "it's"), { platform })).toBe("stackops x plain 'a b' 'it'\\''s'");
    expect(commandText(line('web,eu'), { platform })).toBe('stackops x web,eu');
  });

  test.each([
    ['plain', 'plain'],
    ['KEY=a/b', 'KEY=a/b'],
    ['C:\\a', 'C:\\a'],
    ['--flag', '--flag'],
    ['a b', '"a b"'],
    ["it's", '"it\'s"'],
    ['', '""'],
    // Of these PowerShell makes a list, two words, a variable, or the end of the quotes.
    ['web,eu', '"web,eu"'],
    ['-n=1.5', '"-n=1.5"'],
    ['@x', '"@x"'],
  ])('win32: %j is written %s', (word, written) => {
    expect(commandText(line(word), { platform: 'win32; node v24.0.0' })).toBe(
      `stackops x${word.startsWith('-') ? ' --' : ''} ${written}`,
    );
  });

  test.each(['$HOME', 'say "x"', '%PATH%', 'it’s $1', 'a`b', 'a b\\'])(
    'win32: %j, which PowerShell and cmd read differently, makes no line',
    (word) => expect(commandText(line(word), { platform: 'win32; node v24.0.0' })).toBeUndefined(),
  );

  test.each([
    ['linux', "'eu west'"],
    ['darwin', "'eu west'"],
    ['win32', '"eu west"'],
  ])('%s: an undo, a hint and the history write %s', async (platform, written) => {
    const folder = temporaryFolder();
    const env = {
      STACKOPS_CONFIG_DIR: folder,
      XDG_STATE_HOME: folder,
      LOCALAPPDATA: join(folder, 'local'),
      HOME: folder,
    };
    const act = (...words: string[]) => run([...words, '--sandbox'], { env, platform });
    await act('tags', 'set', 'server/shop-web-1', 'eu west', '-s', 'shop', '-y');
    const undo = `stackops tags set server/shop-web-1 role:web ${written} -s `;
    expect(await act('tags', 'set', 'server/shop-web-1', 'eu', '-s', 'shop', '-y')).toMatchObject({
      stderr: expect.stringContaining(`\nundo: ${undo}shop --sandbox\n`),
    });
    const { stdout } = await act('history', 'show', '2', '--json');
    expect(JSON.parse(stdout).undo).toMatch(undo);
    const { stderr } = await act('variant', 'wieght', 'eu west', '50', '-s', 'shop');
    expect(stderr).toContain(`hint: stackops variant weight ${written} 50 -s shop --sandbox\n`);
  });
});

describe('the name of a download', () => {
  test.each(posixes)('%s: stays', (platform) => {
    expect(safeName('12:30 "a".tar ', platform)).toBe('12:30 "a".tar ');
  });

  test('win32: holds nothing that means something else there', () => {
    expect(safeName('12:30 <a|b>?*"c".tar.', 'win32')).toBe('12_30 _a_b____c_.tar_');
  });
});

describe('a rename', () => {
  const refuse = (code: string, times: number) => {
    const seen = { renames: 0, pauses: 0 };
    const rename = () => {
      seen.renames += 1;
      if (seen.renames <= times) throw Object.assign(new Error(code), { code });
    };
    const pause = () => {
      seen.pauses += 1;
    };
    return { seen, rename, pause };
  };

  test.each(posixes)('%s: is tried once', (platform) => {
    const { seen, rename, pause } = refuse('EACCES', 1);
    expect(() => renameFile('a', 'b', { platform, rename, pause })).toThrow('EACCES');
    expect(seen).toEqual({ renames: 1, pauses: 0 });
  });

  test.each(['EPERM', 'EACCES', 'EBUSY'])('win32: is tried again for half a second after %s', (code) => {
    const once = refuse(code, 1);
    renameFile('a', 'b', { platform: 'win32', ...once });
    expect(once.seen).toEqual({ renames: 2, pauses: 1 });
    const always = refuse(code, 99);
    expect(() => renameFile('a', 'b', { platform: 'win32', ...always })).toThrow(code);
    expect(always.seen).toEqual({ renames: 10, pauses: 9 });
  });

  test('win32: another failure is final', () => {
    const { seen, rename, pause } = refuse('ENOSPC', 1);
    expect(() => renameFile('a', 'b', { platform: 'win32', rename, pause })).toThrow('ENOSPC');
    expect(seen).toEqual({ renames: 1, pauses: 0 });
  });
});

test.each([
  ['linux', ['sh', '-c', "exec env code --wait '/tmp/a b'"]],
  ['darwin', ['sh', '-c', "exec env code --wait '/tmp/a b'"]],
  ['win32', ['cmd.exe', '/d', '/c', 'code --wait "/tmp/a b"']],
])('%s: an editor is a line of its shell', (platform, words) => {
  expect(editorCommand('code --wait', '/tmp/a b', platform)).toEqual(words);
});

describe('doctor', () => {
  test.each([
    ...posixes.map((platform) => [platform, 'is private'] as const),
    ['win32', 'rights are not checked on Windows'] as const,
  ])('%s: of the config folder it says: %s', async (platform, found) => {
    const folder = temporaryFolder();
    const env = { STACKOPS_CONFIG_DIR: folder, HOME: folder, LOCALAPPDATA: join(folder, 'local') };
    const { stdout } = await run(['doctor', '--sandbox'], { env, platform });
    expect(/^config folder\t.*$/m.exec(stdout)?.[0]).toContain(found);
  });
});

describe('the built program', () => {
  /** Loads a line first, in every Node that the program is. */
  function first(line: string) {
    const hook = join(temporaryFolder(), 'hook.cjs');
    writeFileSync(hook, line);
    return preloading(hook);
  }

  const signalled = posixes.map((platform) => [platform, null, 'SIGINT'] as const);
  const numbered = [['win32', 130, null] as const];

  // The platform is a constant of a standalone program.
  test.each([...signalled, ...(isStandalone ? [] : numbered)])(
    '%s: Ctrl-C ends it with code %s and signal %s',
    async (platform, code, signal) => {
      let arrived = () => {};
      const asked = new Promise<void>((resolve) => {
        arrived = resolve;
      });
      const service = await startService(() => arrived());
      const env = ownEnvironment({
        ...first(`Object.defineProperty(process, 'platform', { value: '${platform}' });`),
        STACKOPS_BASE_URL: service.url,
        LOCALAPPDATA: join(temporaryFolder(), 'local'),
      });
      const running = start(['stack', 'list'], { env });
      await asked;
      running.kill('SIGINT');
      const stderr = `error: interrupted${unchanged}\n`;
      expect(await running.ended).toEqual({ code, signal, stdout: '', stderr });
    },
  );

  test.each(['fstatSync', 'fstatSync", "writeSync'])('writes into a file that "%s" do not know', async (names) => {
    const env = first(`
      const fs = require('node:fs');
      for (const name of ["${names}"]) {
        const real = fs[name];
        fs[name] = (descriptor, ...more) => {
          if (descriptor === 1 && !new Error().stack.includes('node:tty') && !new Error().stack.includes('SyncWriteStream')) {
            throw Object.assign(new Error('EBADF'), { code: 'EBADF' });
          }
          return real(descriptor, ...more);
        };
      }
    `);
    const out = join(temporaryFolder(), 'out');
    const line = 'stackops stack list -q --sandbox > "$OUT"; echo "$?"';
    const { stdout } = await runShell(line, ownEnvironment({ ...env, OUT: out }));
    expect(stdout).toBe('0\n');
    expect(readFileSync(out, 'utf8')).toMatch(/^[0-9a-f]{32}\n/);
  });
});

test('win32: what a question needs, and the lines of ssh, are quoted for PowerShell and cmd', async () => {
  const folder = temporaryFolder();
  const env = { STACKOPS_SANDBOX: '1', STACKOPS_CONFIG_DIR: folder, XDG_STATE_HOME: folder, LOCALAPPDATA: folder };
  const play = (words: readonly string[]) => run(words, { env, platform: 'win32; node v24.0.0' });
  await play(['gateway', 'create', '--name', 'two words', '--address', '203.0.113.9']);
  const { stderr } = await play(['gateway', 'delete', 'two words']);
  expect(stderr).toContain('"gateway delete" needs --confirm "two words" (');
  const { stdout } = await play(['server', 'ssh', 'shop-web-1', '-s', 'shop', '-n', '--', 'df -h']);
  expect(stdout).toMatch(/ "df -h"\n$/);
});
