import { text as zsh } from '../../completions/_stackops';
import { text as bash } from '../../completions/stackops.bash';
import { text as fish } from '../../completions/stackops.fish';
import { text as powershell } from '../../completions/stackops.ps1';
import type { Shell } from './typed-words.ts';

/** Whether a script is one of ours, be it an older one: its first line says so, below the one that zsh wants there. */
export function isOurScript(text: string): boolean {
  return /^(#compdef stackops\n)?# \w+ completion of stackops: /.test(text);
}

/**
 * The script of a shell. None knows a word of ours: at every TAB it passes on what is typed and shows what comes back,
 * in the form that `answer.ts` describes.
 */
export const scripts: Readonly<Record<Shell, string>> = { bash, zsh, fish, powershell };
