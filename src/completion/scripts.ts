import { text as zsh } from '../../completions/_stackops';
import { text as bash } from '../../completions/stackops.bash';
import { text as fish } from '../../completions/stackops.fish';
import { text as powershell } from '../../completions/stackops.ps1';
import type { Shell } from './shells.ts';

/** True for a script of any version of stackops, recognized by its first comment (in zsh below the `#compdef` line). */
export function isOurScript(text: string): boolean {
  return /^(#compdef stackops\n)?# \w+ completion of stackops: /.test(text);
}

/** The completion script of each shell. It contains no command names: at every TAB it calls stackops for candidates. */
export const completionScripts: Readonly<Record<Shell, string>> = { bash, zsh, fish, powershell };
