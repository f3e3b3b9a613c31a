import type { Ask } from '../contract/command.ts';
import { flagWords } from '../contract/command-line.ts';
import { Problem } from '../problems/problem.ts';
import type { Options } from './words/options.ts';

export interface Asking {
  readonly options: Pick<Options, 'yes' | 'confirm'>;
  /** Prints a question and reads a line; absent when nobody can answer. */
  readonly ask: ((question: string) => Promise<string | undefined>) | undefined;
}

/** Returns when the change may go ahead; throws usage (no answer possible, wrong name) or a declined Problem. */
export async function settle({ level, act, target }: Ask, { options, ask }: Asking): Promise<void> {
  const question = [`${act} ${target.name}`, target.facts.length > 0 ? ` (${target.facts.join(', ')})` : ''].join('');
  // A name that was typed is taken at its word, also where a yes would do.
  if (options.confirm !== undefined) checkName(options.confirm, target.name);
  if (level === 'yes' ? options.yes : options.confirm !== undefined) return;
  if (!ask) throw cannotAsk(question, level === 'yes' ? ['-y'] : flagWords('--confirm', target.name));
  if (level === 'yes') return checkYes(await ask(`${question}? [y/N] `));
  const answer = await ask(`${question}? Type ${target.name} to go ahead: `);
  if (answer === undefined || answer.trim() === '') throw declined('no name was typed');
  checkName(answer.trim(), target.name);
}

function checkYes(answer: string | undefined): void {
  if (answer === undefined) throw declined('no answer was given');
  if (!/^y(es)?$/i.test(answer.trim())) throw declined('answered No');
}

function checkName(given: string, name: string): void {
  if (given === name) return;
  throw new Problem('usage', `the typed name "${given}" is not "${name}"; nothing was changed`);
}

function cannotAsk(question: string, flags: readonly string[]): Problem {
  const message = `${question} needs a confirmation, and there is no terminal to ask on; nothing was changed`;
  return new Problem('usage', message, { retry: { with: flags } });
}

function declined(how: string): Problem {
  return new Problem('interrupted', `${how}; nothing was changed`, { exitCode: 1 });
}
