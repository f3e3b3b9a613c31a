import { text as zsh } from '../../completions/_stackops';
import { text as bash } from '../../completions/stackops.bash';
import { text as fish } from '../../completions/stackops.fish';
import { text as powershell } from '../../completions/stackops.ps1';
import type { Shell } from './shells.ts';

/** True for any version of our script. It is known by its first comment, which zsh allows only on the second line. */
export function isOurScript(text: string): boolean {
  return /^(#compdef stackops\n)?# \w+ completion of stackops: /.test(text);
}

/** The scripts contain no commands: at every TAB they call the program and show its answer (`shells.ts`). */
export const scripts: Readonly<Record<Shell, string>> = { bash, zsh, fish, powershell };
