import {
  chmodSync,
  existsSync,
  lstatSync,
  mkdirSync,
  readFileSync,
  renameSync,
  statSync,
  symlinkSync,
  writeFileSync,
} from 'node:fs';
import { dirname, join } from 'node:path';
import { describe, expect, test } from 'vitest';
import { completionScripts } from '../../../src/completion/scripts.ts';
import { unchanged } from '../../support/phrases.ts';
import { run, temporaryFolder } from '../../support/stackops.ts';

describe('scripts', () => {
  test.each([
    ['bash', 'stackops.bash'],
    ['zsh', '_stackops'],
    ['fish', 'stackops.fish'],
    ['powershell', 'stackops.ps1'],
  ])('of %s is printed as completions/ holds it', async (shell, name) => {
    const stdout = readFileSync(join(import.meta.dirname, '../../../completions', name), 'utf8');
    expect(await run(['completion', shell])).toEqual({ code: 0, stdout, stderr: '' });
  });

  // Where no PowerShell is, its script is only read.
  test('PowerShell passes what is typed, and shows what comes back', () => {
    expect(completionScripts.powershell).toContain('Register-ArgumentCompleter -Native -CommandName stackops');
    expect(completionScripts.powershell).toContain(`& stackops __complete powershell '--' @before "$wordToComplete."`);
    expect(completionScripts.powershell).toContain('-split "`t", 3');
    expect(completionScripts.powershell.match(/[{([]/g)?.length).toBe(
      completionScripts.powershell.match(/[})\]]/g)?.length,
    );
  });
});

describe('completion install', () => {
  const places = {
    bash: '.local/share/bash-completion/completions/stackops',
    zsh: '.zfunc/_stackops',
    fish: '.config/fish/completions/stackops.fish',
  };

  test.each(Object.entries(places))('%s: says where, asks, writes', async (shell, place) => {
    const home = temporaryFolder();
    const file = join(home, place);
    const env = { HOME: home, SHELL: `/usr/bin/${shell}`, NO_COLOR: '1' };
    const declined = await run(['completion', 'install'], { env, terminal: 200, typed: ['n'] });
    expect(declined).toMatchObject({ code: 1, stdout: '' });
    expect(declined.stderr).toBe(`Write ${file} (completion for ${shell})? [y/N] error: cancelled${unchanged}\n`);
    expect(existsSync(file)).toBe(false);
    const ran = await run(['completion', 'install'], { env, terminal: 200, typed: ['y'] });
    expect(ran.code).toBe(0);
    expect(ran.stdout.split('\n')[0]).toBe(`${file} written`);
    expect(readFileSync(file, 'utf8')).toBe(completionScripts[shell as keyof typeof places]);
    const again = await run(['completion', 'install'], { env, terminal: 200 });
    expect(again).toMatchObject({ code: 0, stderr: '' });
    expect(again.stdout.split('\n')[0]).toBe(`${file} unchanged`);
  });

  test('without a terminal it wants -y; --dry-run writes nothing; folders that are there keep their rights', async () => {
    const home = temporaryFolder();
    const env = { HOME: home, SHELL: '/bin/bash', XDG_CONFIG_HOME: join(home, 'c') };
    const file = join(home, 'c/fish/completions/stackops.fish');
    mkdirSync(join(home, 'c'));
    chmodSync(join(home, 'c'), 0o755);
    const words = ['completion', 'install', '--shell', 'fish'];
    expect(await run(words, { env })).toMatchObject({ code: 2, stdout: '' });
    expect(await run([...words, '-n'], { env })).toEqual({ code: 0, stdout: '', stderr: `would write ${file}\n` });
    expect(existsSync(file)).toBe(false);
    expect(await run([...words, '-y'], { env })).toMatchObject({
      code: 0,
      stdout: `${file} written\nOpen a new shell.\n`,
    });
    expect((statSync(join(home, 'c')).mode & 0o777).toString(8)).toBe('755');
  });

  test('an older script of ours is replaced, a file of somebody else is not', async () => {
    const home = temporaryFolder();
    const file = join(home, places.fish);
    const words = ['completion', 'install', '--shell', 'fish', '-y'];
    mkdirSync(dirname(file), { recursive: true });
    writeFileSync(file, '# fish completion of stackops: an older one\n');
    expect(await run(words, { env: { HOME: home } })).toMatchObject({ code: 0 });
    const linked = join(home, 'dotfiles');
    renameSync(file, linked);
    symlinkSync(linked, file);
    writeFileSync(linked, '# fish completion of stackops: an older one\n');
    expect(await run(words, { env: { HOME: home } })).toMatchObject({ code: 0 });
    expect([lstatSync(file).isSymbolicLink(), readFileSync(file, 'utf8')]).toEqual([false, completionScripts.fish]);
    expect(readFileSync(linked, 'utf8')).toBe('# fish completion of stackops: an older one\n');
    writeFileSync(file, 'mine\n');
    expect(await run(words, { env: { HOME: home } })).toEqual({
      code: 6,
      stdout: '',
      stderr: `error: ${file} exists and is not from stackops${unchanged}\nhint: mv ${file} ${file}.bak\n`,
    });
    expect(readFileSync(file, 'utf8')).toBe('mine\n');
    writeFileSync(file, `mine\n${completionScripts.fish}`);
    expect(await run(words, { env: { HOME: home } })).toMatchObject({ code: 6 });
  });

  test('a line to add is one that the shell takes', async () => {
    const home = join(temporaryFolder(), 'two words');
    const { stdout } = await run(['completion', 'install', '--shell', 'bash', '-y'], { env: { HOME: home } });
    expect(stdout).toContain(`add to ~/.bashrc (on macOS ~/.bash_profile): source '${join(home, places.bash)}'\n`);
  });

  test('PowerShell is told what to add', async () => {
    expect(await run(['completion', 'install', '--shell', 'powershell'])).toEqual({
      code: 0,
      stdout: 'Add to the file in $PROFILE: stackops completion powershell | Out-String | Invoke-Expression\n',
      stderr: '',
    });
  });

  test('a shell that is none is a mistake', async () => {
    const { code, stderr } = await run(['completion', 'install'], { env: { SHELL: '/bin/tcsh' } });
    expect({ code, stderr }).toEqual({
      code: 2,
      stderr:
        'error: unknown shell: $SHELL is "/bin/tcsh"; use --shell with bash, zsh, fish, powershell\nhint: stackops completion install --shell bash\n',
    });
  });
});

describe('doctor', () => {
  const check = async (env: Readonly<Record<string, string>>) => {
    const { stdout } = await run(['doctor', '--sandbox', '--json'], { env });
    const rows = JSON.parse(stdout) as readonly { readonly check: string }[];
    return rows.find((row) => row.check === 'completion');
  };

  test('knows whether the script of the shell in use is there, and current', async () => {
    const home = temporaryFolder();
    const file = join(home, '.zfunc/_stackops');
    const env = { HOME: home, SHELL: '/bin/zsh' };
    const repair = 'stackops completion install';
    expect(await check(env)).toMatchObject({
      state: 'warning',
      found: `not installed for zsh: ${file} not found`,
      repair,
    });
    await run(['completion', 'install', '-y'], { env });
    expect(await check(env)).toMatchObject({ state: 'ok', found: `installed: ${file}`, repair: null });
    writeFileSync(file, '# zsh completion of stackops: an older one\n');
    expect(await check(env)).toMatchObject({ state: 'warning', found: `${file} is from another version`, repair });
    writeFileSync(file, 'mine\n');
    expect(await check(env)).toMatchObject({
      state: 'warning',
      found: `${file} is not from stackops`,
      repair: `mv ${file} ${file}.bak && ${repair}`,
    });
    expect(await check({ HOME: home, SHELL: '/bin/tcsh' })).toMatchObject({
      state: 'skipped',
      found: 'not available for /bin/tcsh',
    });
  });
});
