import { chmodSync, copyFileSync, mkdirSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { stripVTControlCharacters as plain } from 'node:util';
import { type Environment, programLine } from './built.ts';
import { temporaryFolder } from './stackops.ts';
import { openTerminal } from './terminal.ts';

export type ShellName = 'bash' | 'bash without compopt' | 'zsh' | 'fish';

export interface Typed {
  /** The line as it stands after the keys. */
  readonly line: string;
  /** What was shown since the line was begun, without what drives the terminal. */
  readonly shown: string;
}

export interface Shell {
  /** Types keys into an empty line, TABs among them; the line is thrown away afterwards. */
  type(keys: string): Promise<Typed>;
}

const completions = join(import.meta.dirname, '../../completions');
/** Ctrl-G tells the line and empties it: a key like any other, it is read when the TAB before it is done. */
const tellKey = '\x07';

/** What makes each shell known to itself: no settings of the machine, a prompt, Ctrl-G, and our script where it looks. */
const setUps: Readonly<Record<ShellName, (home: string) => string>> = {
  bash: (home) => bashIn(home, ''),
  // As the bash 3.2 of macOS is.
  'bash without compopt': (home) => bashIn(home, 'enable -n compopt'),
  zsh: (home) => {
    copyFileSync(join(completions, '_stackops'), join(home, '.zfunc/_stackops'));
    const text = `PS1='> ' LISTMAX=999
unsetopt beep prompt_sp prompt_cr
fpath=(~/.zfunc $fpath)
autoload -Uz compinit && compinit -u
tell() { print -r -- $'\\n'"[[$((++told)):$BUFFER]]"; BUFFER= CURSOR=0; zle redisplay }
zle -N tell; bindkey '^G' tell
`;
    writeFileSync(join(home, '.zshrc'), text);
    return `ZDOTDIR=${home} zsh -d -i`;
  },
  fish: (home) => {
    const folder = join(home, '.config/fish');
    // Without it the first fish of a user goes through all man pages, and goes on after its end.
    mkdirSync(join(home, '.local/share/fish/generated_completions'), { recursive: true });
    copyFileSync(join(completions, 'stackops.fish'), join(folder, 'completions/stackops.fish'));
    const text = `set -g fish_autosuggestion_enabled 0
set -g fish_greeting
function fish_prompt; echo '> '; end
set -g told 0
function tell; set told (math $told + 1); printf '\\n[[%d:%s]]\\n' $told (commandline | string collect); commandline -r ''; commandline -f repaint; end
bind \\cg tell
`;
    writeFileSync(join(folder, 'config.fish'), text);
    return 'fish';
  },
};

function bashIn(home: string, first: string): string {
  const text = `PS1='> '
${first}
source '${completions}/stackops.bash'
tell() { printf '\\n[[%d:%s]]\\n' $((++told)) "$READLINE_LINE"; READLINE_LINE= READLINE_POINT=0; }
bind 'set bell-style none'; bind 'set completion-query-items 0'; bind 'set page-completions off'
bind -x '"\\C-g": tell'
`;
  writeFileSync(join(home, '.rc'), text);
  return `bash --noprofile --rcfile ${home}/.rc -i`;
}

/** A shell at its prompt in a real terminal, in which `stackops` is the built program, on PATH. */
export async function openShell(name: ShellName, env: Environment, files: readonly string[] = []): Promise<Shell> {
  const home = temporaryFolder();
  for (const folder of ['bin', 'work', '.zfunc', '.config/fish/completions']) {
    mkdirSync(join(home, folder), { recursive: true });
  }
  for (const file of files) writeFileSync(join(home, 'work', file), '');
  const program = join(home, 'bin/stackops');
  writeFileSync(program, `#!/bin/sh\nexec ${programLine} "$@"\n`);
  chmodSync(program, 0o755);
  const own = { ...env, HOME: home, PATH: `${join(home, 'bin')}:${env['PATH']}`, XDG_CONFIG_HOME: `${home}/.config` };
  const terminal = openTerminal(`cd ${home}/work; ${setUps[name](home)}`, own, 160);
  let [told, from] = [0, 0];
  await terminal.shows(/> /);
  const type = async (keys: string): Promise<Typed> => {
    told += 1;
    terminal.type(keys + tellKey);
    const telling = await terminal.shows(new RegExp(`\\[\\[${told}:(.*)\\]\\]\\r*\\n`));
    const shown = telling.input.slice(from, telling.index);
    from = telling.index + telling[0].length;
    return { line: plain(telling[1] ?? ''), shown: plain(shown) };
  };
  return { type };
}
