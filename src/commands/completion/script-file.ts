import { basename, isAbsolute, join } from 'node:path';
import { type Shell, shells } from '../../completion/shells.ts';
import { shellWord } from '../../contract/values/text.ts';
import { CliError } from '../../errors/cli-error.ts';
import { mebibyte, readNamedFile } from '../../files/named-file.ts';

type Env = Readonly<Record<string, string | undefined>>;

/** The file from which a shell loads a completion script, and the next step of the operator. */
interface ScriptTarget {
  readonly file: string;
  readonly next: string;
}

/** The shell in $SHELL; undefined for an unknown one. */
export function ownShell(env: Env): Shell | undefined {
  const name = basename(env['SHELL'] ?? '');
  return shells.find((shell) => shell === name);
}

/**
 * The completion file of the user's shell; undefined for PowerShell, which has no such folder. Throws usage without
 * HOME.
 */
export function scriptTarget(shell: Shell, env: Env): ScriptTarget | undefined {
  if (shell === 'bash') {
    const file = join(xdg(env, 'XDG_DATA_HOME', '.local/share'), 'bash-completion/completions/stackops');
    return {
      file,
      next: `Open a new shell. If the package bash-completion is not installed, add to ~/.bashrc (on macOS ~/.bash_profile): source ${shellWord(file)}`,
    };
  }
  if (shell === 'fish') {
    const file = join(xdg(env, 'XDG_CONFIG_HOME', '.config'), 'fish/completions/stackops.fish');
    return { file, next: 'Open a new shell.' };
  }
  if (shell === 'zsh') {
    const file = join(home(env), '.zfunc/_stackops');
    const line = 'fpath=(~/.zfunc $fpath); autoload -Uz compinit && compinit';
    return { file, next: `Add to ~/.zshrc if missing, then open a new shell: ${line}` };
  }
  return undefined;
}

/** The text of the file; undefined if it does not exist. Throws usage for a folder or another special file. */
export function scriptIn({ file }: ScriptTarget): string | undefined {
  const bytes = readNamedFile(file, mebibyte);
  return bytes && Buffer.from(bytes).toString('utf8');
}

function xdg(env: Env, variable: string, belowHome: string): string {
  const given = env[variable];
  return given && isAbsolute(given) ? given : join(home(env), belowHome);
}

function home(env: Env): string {
  const given = env['HOME'];
  if (given && isAbsolute(given)) return given;
  throw new CliError('usage', 'no folder for the script: HOME is not an absolute path', {
    hint: { path: 'completion', flags: ['--help'] },
  });
}
