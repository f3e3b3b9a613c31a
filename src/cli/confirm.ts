import type { Confirm } from '../contract/command.ts';
import { flagWords } from '../contract/command-line.ts';
import type { Question } from '../contract/plan.ts';
import { Problem } from '../problems/problem.ts';
import type { Options } from './words/options.ts';

/** A change that needs somebody's consent: `Delete gateway bastion-1 (203.0.113.7, not open)?` */
export type Consent = Pick<Confirm, 'level' | 'act'> & Omit<Question, 'level'>;

export interface Asking {
  readonly options: Pick<Options, 'yes' | 'confirm'>;
  /** Prints a question and reads a line; absent when nobody can answer. */
  readonly ask: ((question: string) => Promise<string | undefined>) | undefined;
}

/**
 * Returns when the change may go ahead: the question that a person answered, or undefined where flags consented. Throws
 * usage (no answer possible, wrong name) or a declined Problem.
 */
export async function consentTo(consent: Consent, { options, ask }: Asking): Promise<string | undefined> {
  const { level, act } = consent;
  if (level === 'yes' && options.yes && options.confirm === undefined) return undefined;
  const name = await nameOf(consent);
  // A name that was typed is taken at its word, also where a yes would do.
  if (options.confirm !== undefined) checkName(options.confirm, name);
  if (level === 'yes' ? options.yes : options.confirm !== undefined) return undefined;
  if (!ask) throw cannotAsk(`${act} ${name}`, level === 'yes' ? ['-y'] : flagWords('--confirm', name));
  const question = await questionOf(consent);
  if (level === 'yes') {
    checkYes(await ask(`${question}? [y/N] `));
    return question;
  }
  const answer = await ask(`${question}? Type ${name} to go ahead: `);
  if (answer === undefined || answer.trim() === '') throw declined('no name was typed');
  checkName(answer.trim(), name);
  return question;
}

/** The question with its facts, as they are now. */
export async function questionOf(consent: Consent): Promise<string> {
  const known = await consent.facts();
  const text = (await consent.text?.()) ?? `${consent.act} ${await nameOf(consent)}`;
  return [text, known.length > 0 ? ` (${known.join(', ')})` : ''].join('');
}

async function nameOf({ name }: Pick<Question, 'name'>): Promise<string> {
  return typeof name === 'string' ? name : name();
}

function checkYes(answer: string | undefined): void {
  if (answer === undefined) throw declined('no answer was given');
  if (!/^y(es)?$/i.test(answer.trim())) throw declined('answered No');
}

function checkName(given: string, name: string): void {
  if (given === name) return;
  throw new Problem('usage', `the typed name "${given}" is not "${name}"; nothing was changed`);
}

function cannotAsk(act: string, flags: readonly string[]): Problem {
  const message = `${act} needs a confirmation, and there is no terminal to ask on; nothing was changed`;
  return new Problem('usage', message, { retry: { with: flags } });
}

function declined(how: string): Problem {
  return new Problem('interrupted', `${how}; nothing was changed`, { exitCode: 1 });
}
