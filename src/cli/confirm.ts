import type { Confirm } from '../contract/command.ts';
import { flagWords } from '../contract/command-line.ts';
import type { Question } from '../contract/plan.ts';
import { shellWord } from '../contract/values/shell-word.ts';
import { Problem } from '../problems/problem.ts';
import type { Options } from './arguments/options.ts';

/** A change to confirm: `Delete gateway bastion-1 (203.0.113.7, closed)?` */
export interface Confirmation extends Pick<Confirm, 'level' | 'act'>, Omit<Question, 'level'> {
  /** Why more is asked than usual: `protected profile`. */
  readonly because?: string;
}

export interface Prompting {
  /** The path of the command: `db delete`. */
  readonly label: string;
  readonly options: Pick<Options, 'yes' | 'confirm'>;
  /** Prints a question and reads a line; absent when nobody can answer. */
  readonly ask: ((question: string) => Promise<string | undefined>) | undefined;
  /** Why nobody can: `no terminal`, `--no-input`. */
  readonly whyNoPrompt: string;
}

/**
 * Returns once the change is confirmed: the question that a person answered, or undefined where a flag confirmed it. Throws
 * usage (nobody can be asked, wrong name) or a Problem of a cancelled command.
 */
export async function confirm(change: Confirmation, prompting: Prompting): Promise<string | undefined> {
  const { level } = change;
  const { options, ask } = prompting;
  if (level === 'yes' && options.yes && options.confirm === undefined) return undefined;
  const name = await nameOf(change);
  // --confirm is checked also where -y would do.
  if (options.confirm !== undefined && options.confirm !== name) {
    throw new Problem('usage', `--confirm must be ${name}, not "${options.confirm}"; nothing was changed`);
  }
  if (level === 'yes' ? options.yes : options.confirm !== undefined) return undefined;
  if (!ask) throw unconfirmed(change, prompting, level === 'yes' ? ['-y'] : flagWords('--confirm', name));
  const question = await questionOf(change);
  const answer = await ask(`${question} ${level === 'yes' ? '[y/N]' : `Type ${name} to confirm:`} `);
  checkAnswer(answer?.trim() ?? '', level, name);
  return question;
}

function checkAnswer(answer: string, level: Confirm['level'], name: string): void {
  if (level === 'yes' ? /^y(es)?$/i.test(answer) : answer === name) return;
  if (level === 'typed' && answer !== '') {
    throw new Problem('usage', `the name to type is ${name}, not "${answer}"; nothing was changed`);
  }
  throw new Problem('interrupted', 'cancelled; nothing was changed', { exitCode: 1 });
}

/** The question with its facts, as they are now, and its warning. */
export async function questionOf(change: Confirmation): Promise<string> {
  const known = await change.facts();
  const text = (await change.text?.()) ?? `${change.act} ${await nameOf(change)}`;
  const facts = known.length > 0 ? ` (${known.join(', ')})` : '';
  return `${text}${facts}?${change.warning ? ` ${change.warning}` : ''}`;
}

async function nameOf({ name }: Pick<Question, 'name'>): Promise<string> {
  return typeof name === 'string' ? name : name();
}

function unconfirmed({ because }: Confirmation, { label, whyNoPrompt }: Prompting, flags: readonly string[]): Problem {
  const needed = flags.map(shellWord).join(' ');
  const why = because === undefined ? whyNoPrompt : `${because}, ${whyNoPrompt}`;
  return new Problem('usage', `"${label}" needs ${needed} (${why}); nothing was changed`, {
    retry: { with: flags },
  });
}
