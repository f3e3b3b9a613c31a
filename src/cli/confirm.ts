import type { Ask } from '../contract/command.ts';
import { Problem } from '../problems/problem.ts';
import type { Options } from './options.ts';

export interface Asking {
  readonly options: Pick<Options, 'yes' | 'confirm' | 'dryRun' | 'curl'>;
  /** The command as typed, for the hint that repeats it with the flag added. */
  readonly typed: string;
  /** Prints a question and reads a line; absent when nobody can answer. */
  readonly ask: ((question: string) => Promise<string | undefined>) | undefined;
}

/** Returns when the change may go ahead; throws usage (no answer possible, wrong name) or a declined Problem. */
export async function settle({ level, act, target }: Ask, { options, typed, ask }: Asking): Promise<void> {
  const question = [`${act} ${target.name}`, target.facts.length > 0 ? ` (${target.facts.join(', ')})` : ''].join('');
  if (level === 'yes' && options.yes) return;
  if (level === 'typed' && options.confirm !== undefined) return checkName(options.confirm, target.name);
  if (!ask) throw cannotAsk(question, `${typed} ${level === 'yes' ? '-y' : `--confirm ${shellWord(target.name)}`}`);
  if (level === 'yes') {
    const answer = await ask(`${question}? [y/N] `);
    if (!/^y(es)?$/i.test(answer?.trim() ?? '')) throw declined();
    return;
  }
  const answer = await ask(`${question}? Type ${target.name} to go ahead: `);
  if (answer === undefined || answer.trim() === '') throw declined();
  checkName(answer.trim(), target.name);
}

function checkName(given: string, name: string): void {
  if (given === name) return;
  throw new Problem('usage', `the typed name "${given}" is not "${name}"; nothing was changed`);
}

function cannotAsk(question: string, command: string): Problem {
  return new Problem(
    'usage',
    `${question} needs a confirmation, and there is no terminal to ask on; nothing was changed`,
    {
      hint: command,
    },
  );
}

function declined(): Problem {
  return new Problem('interrupted', 'answered No; nothing was changed', { exitCode: 1 });
}

/** A word as a shell takes it back: bare when harmless, else in single quotes. */
export function shellWord(word: string): string {
  return /^[\w@%+=:,./-]+$/.test(word) ? word : `'${word.replaceAll("'", `'\\''`)}'`;
}
