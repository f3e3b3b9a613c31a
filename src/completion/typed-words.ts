import type { Quote } from './bash-line.ts';
import { readBashLine } from './bash-line.ts';

export const shells = ['bash', 'zsh', 'fish', 'powershell'] as const;
export type Shell = (typeof shells)[number];

/** The command line as a shell passes it on TAB. */
export interface TypedWords {
  readonly shell: Shell;
  readonly before: readonly string[];
  readonly current: string;
  /** Only for bash: see `BashLine`. */
  readonly fixed: number;
  readonly quote: Quote;
  readonly isRedirected: boolean;
  /** Only for bash: true when it lists candidates without inserting one, and the terminal width. */
  readonly isListing: boolean;
  readonly width: number;
}

/**
 * Reads the arguments of the completion scripts: the words up to the cursor. Bash passes its line, COMP_WORDBREAKS,
 * COMP_TYPE and the width. Fish keeps the quotes of the last word. PowerShell adds a dot to it, because PowerShell
 * before 7.3 drops empty arguments. Undefined for an unknown shell.
 */
export function readTypedWords(name: string | undefined, given: readonly string[]): TypedWords | undefined {
  const shell = shells.find((one) => one === name);
  if (!shell) return undefined;
  if (shell === 'bash') return fromBash(given);
  const last = given.at(-1) ?? '';
  return { ...plain, shell, before: given.slice(0, -1), current: currentIn(shell, last) };
}

const plain = { fixed: 0, quote: '', isRedirected: false, isListing: false, width: 80 } as const;

function fromBash([line = '', breaks = '', type = '9', columns = '']: readonly string[]): TypedWords {
  // ?, ! and @: a second TAB, or show-all-if-ambiguous and show-all-if-unmodified.
  const isListing = ['63', '33', '64'].includes(type);
  return { shell: 'bash', ...readBashLine(line, breaks), isListing, width: Number(columns) || plain.width };
}

function currentIn(shell: Shell, word: string): string {
  if (shell === 'fish') return withoutFishQuotes(word);
  return shell === 'powershell' ? word.replace(/\.$/, '').replace(/^["']/, '') : word;
}

/** Between single quotes only a quote and a backslash can be escaped. */
function withoutFishQuotes(word: string): string {
  const parts = word.matchAll(/'((?:\\.|[^'\\])*)'?|"((?:\\.|[^"\\])*)"?|\\(.)|([^\\'"]+)/gsu);
  return [...parts]
    .map(([, single, double, escaped, bare]) => {
      if (single !== undefined) return single.replace(/\\([\\'])/g, '$1');
      if (double !== undefined) return double.replace(/\\([\\"$])/g, '$1');
      return escaped ?? bare ?? '';
    })
    .join('');
}
