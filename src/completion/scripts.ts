import { basename, isAbsolute, join } from 'node:path';
import { text as zsh } from '../../completions/_stackops';
import { text as bash } from '../../completions/stackops.bash';
import { text as fish } from '../../completions/stackops.fish';
import { text as powershell } from '../../completions/stackops.ps1';
import type { Environment } from '../contract/host.ts';
import { shellWord } from '../contract/values/text.ts';
import { CliError } from '../errors/cli-error.ts';
import { mebibyte, readNamedFile } from '../files/named-file.ts';
import { type Shell, shells } from './shells.ts';

/** True for a script of any version of stackops, recognized by its first comment (in zsh below the `#compdef` line). */
export function isOurScript(text: string): boolean {
  return /^(#compdef stackops\n)?# \w+ completion of stackops: /.test(text);
}

/** The completion script of each shell. It contains no command names: at every TAB it calls stackops for candidates. */
export const completionScripts: Readonly<Record<Shell, string>> = { bash, zsh, fish, powershell };

type ScriptTarget = { readonly file: string; readonly nextStep: string };

export function findUserShell(env: Environment): Shell | undefined {
  return shells.find((shell) => shell === basename(env['SHELL'] ?? ''));
}

/** Returns undefined for PowerShell: it has no script folder. Throws `usage` if HOME is needed and not absolute. */
export function findScriptTarget(shell: Shell, env: Environment): ScriptTarget | undefined {
  if (shell === 'bash') {
    const file = join(xdgFolder(env, 'XDG_DATA_HOME', '.local/share'), 'bash-completion/completions/stackops');
    const nextStep = `Open a new shell. If the package bash-completion is not installed, add to ~/.bashrc (on macOS ~/.bash_profile): source ${shellWord(file)}`;
    return { file, nextStep };
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

function xdgFolder(env: Environment, variable: string, belowHome: string): string {
  const folder = env[variable];
  return folder && isAbsolute(folder) ? folder : join(homeFolder(env), belowHome);
}

function homeFolder(env: Environment): string {
  const folder = env['HOME'];
  if (folder && isAbsolute(folder)) return folder;
  throw new CliError('usage', 'no folder for the script: HOME is not an absolute path', {
    hint: { path: 'completion', flags: ['--help'] },
  });
}
