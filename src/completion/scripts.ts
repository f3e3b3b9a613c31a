import { text as zsh } from '../../completions/_stackops';
import { text as bash } from '../../completions/stackops.bash';
import { text as fish } from '../../completions/stackops.fish';
import { text as powershell } from '../../completions/stackops.ps1';
import type { Shell } from './typed-words.ts';

/** The first words of every script, by which an older one of ours is known. */
export const scriptMark = 'completion of stackops';

/**
 * The script of a shell. None knows a word of ours: at every TAB it passes on what is typed and shows what comes back,
 * in the form that `answer.ts` describes.
 */
export const scripts: Readonly<Record<Shell, string>> = { bash, zsh, fish, powershell };
