import { basename, isAbsolute, join } from 'node:path';
import { type Shell, shells } from '../../completion/typed-words.ts';
import { shellWord } from '../../contract/values/shell-word.ts';
import { Problem } from '../../problems/problem.ts';

type Env = Readonly<Record<string, string | undefined>>;

/** Where a shell looks for a script, and what else it takes for it to be found there. */
export interface ScriptPlace {
  readonly file: string;
  readonly next: string;
}

/** The shell that $SHELL names; undefined for one that is not known here. */
export function ownShell(env: Env): Shell | undefined {
  const name = basename(env['SHELL'] ?? '');
  return shells.find((shell) => shell === name);
}

/** The user's own place for scripts of a shell; undefined for PowerShell, which has none. Throws usage without a home. */
export function scriptPlace(shell: Shell, env: Env): ScriptPlace | undefined {
  if (shell === 'bash') {
    const file = join(xdg(env, 'XDG_DATA_HOME', '.local/share'), 'bash-completion/completions/stackops');
    return {
      file,
      next: `Open a new shell. Without the package bash-completion, add to ~/.bashrc (on macOS ~/.bash_profile): source ${shellWord(file)}`,
    };
  }
  if (shell === 'fish') {
    const file = join(xdg(env, 'XDG_CONFIG_HOME', '.config'), 'fish/completions/stackops.fish');
    return { file, next: 'Open a new shell.' };
  }
  if (shell === 'zsh') {
    const file = join(home(env), '.zfunc/_stackops');
    const line = 'fpath=(~/.zfunc $fpath); autoload -Uz compinit && compinit';
    return { file, next: `Add to ~/.zshrc, unless it is there, and open a new shell: ${line}` };
  }
  return undefined;
}

function xdg(env: Env, variable: string, belowHome: string): string {
  const given = env[variable];
  return given && isAbsolute(given) ? given : join(home(env), belowHome);
}

function home(env: Env): string {
  const given = env['HOME'];
  if (given && isAbsolute(given)) return given;
  throw new Problem('usage', 'there is no place for the script: HOME is not set to an absolute path', {
    hint: { path: 'completion', flags: ['--help'] },
  });
}
