import { basename, isAbsolute, join } from 'node:path';
import { type Shell, shells } from '../../completion/shells.ts';
import { shellWord } from '../../contract/values/text.ts';
import { CliError } from '../../errors/cli-error.ts';
import { mebibyte, readNamedFile } from '../../files/named-file.ts';

type Env = Readonly<Record<string, string | undefined>>;

interface ScriptTarget {
  readonly file: string;
  readonly nextStep: string;
}

/** Returns the shell that $SHELL names; undefined for an unknown shell. */
export function findUserShell(env: Env): Shell | undefined {
  const name = basename(env['SHELL'] ?? '');
  return shells.find((shell) => shell === name);
}

/** Returns undefined for PowerShell: it has no script folder. Throws `usage` if HOME is needed and not absolute. */
export function findScriptTarget(shell: Shell, env: Env): ScriptTarget | undefined {
  if (shell === 'bash') {
    const file = join(xdgFolder(env, 'XDG_DATA_HOME', '.local/share'), 'bash-completion/completions/stackops');
    return {
      file,
      nextStep: `Open a new shell. If the package bash-completion is not installed, add to ~/.bashrc (on macOS ~/.bash_profile): source ${shellWord(file)}`,
    };
  }
  if (shell === 'fish') {
    const file = join(xdgFolder(env, 'XDG_CONFIG_HOME', '.config'), 'fish/completions/stackops.fish');
    return { file, nextStep: 'Open a new shell.' };
  }
  if (shell === 'zsh') {
    const file = join(homeFolder(env), '.zfunc/_stackops');
    const line = 'fpath=(~/.zfunc $fpath); autoload -Uz compinit && compinit';
    return { file, nextStep: `Add to ~/.zshrc if missing, then open a new shell: ${line}` };
  }
  return undefined;
}

/** Returns the text of a script file; undefined if there is no file. Throws `usage` for a folder or special file. */
export function readScript({ file }: ScriptTarget): string | undefined {
  const bytes = readNamedFile(file, mebibyte);
  return bytes && Buffer.from(bytes).toString('utf8');
}

function xdgFolder(env: Env, variable: string, belowHome: string): string {
  const folder = env[variable];
  return folder && isAbsolute(folder) ? folder : join(homeFolder(env), belowHome);
}

function homeFolder(env: Env): string {
  const folder = env['HOME'];
  if (folder && isAbsolute(folder)) return folder;
  throw new CliError('usage', 'no folder for the script: HOME is not an absolute path', {
    hint: { path: 'completion', flags: ['--help'] },
  });
}
