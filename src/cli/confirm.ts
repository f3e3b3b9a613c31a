import type { Confirm } from '../contract/command.ts';
import { flagWords } from '../contract/command-line.ts';
import type { Question, Step } from '../contract/plan.ts';
import { isObject, valueText } from '../contract/values/json.ts';
import { wordQuoter } from '../contract/values/text.ts';
import { CliError } from '../errors/cli-error.ts';
import { withoutProgress } from '../output/progress.ts';
import { assertAgentMayType } from './agents.ts';
import type { Run } from './app.ts';
import { findAgentVariable, findUnattendedVariable } from './host.ts';

/** A change to confirm: `Delete gateway bastion-1 (203.0.113.7, closed)?` */
export interface Confirmation extends Pick<Confirm, 'level' | 'act'>, Omit<Question, 'level'> {
  /** The reason for a stricter question: `protected profile`. */
  readonly because?: string;
}

/**
 * Prints `linesAbove`, asks, and returns the confirmed question; undefined if a flag confirmed it. Throws `usage`
 * if no one can be asked or a name is wrong, `interrupted` if the answer is no, and `forbidden` if agents may not type.
 */
export async function confirm(
  run: Run,
  confirmation: Confirmation,
  linesAbove: readonly string[] = [],
): Promise<string | undefined> {
  const { level } = confirmation;
  const { yes, confirm: flagValues } = run.line.options;
  if (level === 'typed') assertAgentMayType(run);
  if (confirmation.because !== undefined && run.app.call) throw needsApproverError(run);
  const isConfirmedByFlag = level === 'yes' ? yes : flagValues !== undefined;
  // A typed --confirm is checked below, even where -y is enough.
  if (isConfirmedByFlag && flagValues === undefined) return undefined;
  const name = await nameToConfirm(confirmation);
  const typedNames = flagValues?.join(', ');
  if (typedNames !== undefined && !areNamesConfirmed(typedNames, name, confirmation)) {
    const valueName = findAgentVariable(run.app.env) === undefined ? '--confirm' : 'the name to type';
    throw notConfirmedError(`${valueName} must be ${name}, not "${typedNames}"`);
  }
  if (isConfirmedByFlag) return undefined;
  const { ask, err } = run.app;
  if (!ask) throw confirmationError(run, confirmation, level === 'yes' ? ['-y'] : flagWords('--confirm', name));
  const question = await questionOf(confirmation);
  await err.lines(linesAbove);
  const answer = await withoutProgress(run.progress, () =>
    ask(`${question} ${level === 'yes' ? '[y/N]' : `Type ${name} to confirm:`} `),
  );
  checkAnswer(answer?.trim() ?? '', level, name);
  return question;
}

function areNamesConfirmed(typedText: string, nameText: string, { level, others }: Confirmation): boolean {
  const [typedNames, names] = [typedText.split(', '), nameText.split(', ')];
  const neededNames = others && level === 'yes' ? [] : names;
  const isAllowedName = (name: string) => names.includes(name) || others?.includes(name);
  return neededNames.every((name) => typedNames.includes(name)) && typedNames.every(isAllowedName);
}

function checkAnswer(answer: string, level: Confirm['level'], name: string): void {
  if (level === 'yes' ? /^y(es)?$/i.test(answer) : answer === name) return;
  if (level === 'typed' && answer !== '') throw notConfirmedError(`the name to type is ${name}, not "${answer}"`);
  throw new CliError('interrupted', 'cancelled', { nothing: 'changed', exitCode: 1 });
}

const maxShownSteps = 5;

/** Returns the changes of the steps, such as `LOG_LEVEL: info -> debug`, and the number of changes left out. */
export function stepTexts(steps: readonly Step[]): readonly string[] {
  const changingSteps = steps.filter(({ isIdle }) => !isIdle);
  const texts = changingSteps.slice(0, maxShownSteps).map(({ name, before, after }) => {
    const [from, to] = [flatText(before), flatText(after)];
    return from === undefined || to === undefined || from === to ? name : `${name}: ${from} -> ${to}`;
  });
  return [...texts, ...(changingSteps.length > maxShownSteps ? [`${changingSteps.length - maxShownSteps} more`] : [])];
}

function flatText(value: unknown): string | undefined {
  if (!isObject(value)) return valueText(value);
  const entries = Object.entries(value);
  if (entries.some(([, count]) => typeof count !== 'number')) return undefined;
  return entries.map(([name, count]) => `${name} ${count}`).join(', ');
}

async function nameToConfirm({ name }: Confirmation): Promise<string> {
  return typeof name === 'string' ? name : name();
}

export async function questionOf(confirmation: Confirmation): Promise<string> {
  const details = await confirmation.details();
  const text = (await confirmation.text?.()) ?? `${confirmation.act} ${await nameToConfirm(confirmation)}`;
  const detailsText = details.length > 0 ? ` (${details.join(', ')})` : '';
  return `${text}${detailsText}?${confirmation.warning ? ` ${confirmation.warning}` : ''}`;
}

function confirmationError(run: Run, { because }: Confirmation, flags: readonly string[]): CliError {
  const agent = findAgentVariable(run.app.env);
  if (run.app.call) return notConfirmedError(`"${run.line.path}" asks a person for a name; pass it as "confirm"`);
  if (agent !== undefined) return needsPersonError(run, agent);
  const why = because === undefined ? whyNoPrompt(run) : `${because}, ${whyNoPrompt(run)}`;
  const neededFlags = flags.map(wordQuoter(run.app.platform)).join(' ');
  return notConfirmedError(`"${run.line.path}" needs ${neededFlags} (${why})`, flags);
}

function notConfirmedError(message: string, flagsToAdd?: readonly string[]): CliError {
  return new CliError('usage', message, { nothing: 'changed', ...(flagsToAdd && { correction: { add: flagsToAdd } }) });
}

/** Returns the error for an agent. It shows no flag that consents: the agent can plan (-n), and a person confirms. */
function needsPersonError({ line }: Run, agent: string): CliError {
  return notConfirmedError(`"${line.path}" must be confirmed by a person (${agent} is set)`, ['-n']);
}

function needsApproverError({ session: { settings } }: Run): CliError {
  const message = `profile ${settings.profile} is protected; here it takes changes only with an approve_command`;
  return new CliError('forbidden', message, { nothing: 'changed' });
}

function whyNoPrompt({ line, app }: Run): string {
  if (line.options.no_input) return '--no-input';
  const variable = findUnattendedVariable(app.env);
  return variable === undefined ? 'no terminal' : `${variable} is set`;
}

/** Throws `usage` without a terminal, unless -y is given: a job may open an editor only with -y. */
export function assertEditorAllowed(run: Run): void {
  if (run.app.ask || run.line.options.yes) return;
  const agent = findAgentVariable(run.app.env);
  if (agent !== undefined) throw needsPersonError(run, agent);
  throw notConfirmedError(`"${run.line.path}" needs -y to open an editor (${whyNoPrompt(run)})`, ['-y']);
}
