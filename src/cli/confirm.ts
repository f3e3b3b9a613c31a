import type { Confirm } from '../contract/command.ts';
import { flagWords } from '../contract/command-line.ts';
import type { Question, Step } from '../contract/plan.ts';
import { isObject, valueText } from '../contract/values/json.ts';
import { wordQuoter } from '../contract/values/text.ts';
import { CliError } from '../errors/cli-error.ts';
import { withoutProgress } from '../output/progress.ts';
import { assertAgentMayType } from './agents.ts';
import type { Run } from './app.ts';
import { agentIn, unattendedBy } from './host.ts';

/** A change to confirm: `Delete gateway bastion-1 (203.0.113.7, closed)?` */
export interface Confirmation extends Pick<Confirm, 'level' | 'act'>, Omit<Question, 'level'> {
  /** The reason for a stricter question: `protected profile`. */
  readonly because?: string;
}

/** Asks below the lines `above` and returns the answered question; undefined when a flag confirmed it. Throws usage. */
export async function confirm(
  run: Run,
  change: Confirmation,
  above: readonly string[] = [],
): Promise<string | undefined> {
  const { level } = change;
  const { options } = run.line;
  if (level === 'typed') assertAgentMayType(run);
  if (change.because !== undefined && run.app.call) throw needsApprover(run);
  const isConfirmed = level === 'yes' ? options.yes : options.confirm !== undefined;
  // --confirm is checked even where -y is enough.
  if (isConfirmed && options.confirm === undefined) return undefined;
  const name = await confirmedName(change);
  if (options.confirm !== undefined && !areConfirmed(namesIn(options.confirm.join(separator)), namesIn(name), change)) {
    const shown = agentIn(run.app.env) === undefined ? '--confirm' : 'the name to type';
    throw notConfirmed(`${shown} must be ${name}, not "${options.confirm.join(separator)}"`);
  }
  if (isConfirmed) return undefined;
  const { ask, err } = run.app;
  if (!ask) throw confirmationError(run, change, level === 'yes' ? ['-y'] : flagWords('--confirm', name));
  const question = await questionOf(change);
  await err.lines(above);
  const answer = await withoutProgress(run.progress, () =>
    ask(`${question} ${level === 'yes' ? '[y/N]' : `Type ${name} to confirm:`} `),
  );
  checkAnswer(answer?.trim() ?? '', level, name);
  return question;
}

/** Separates the names of several resources in a confirmation. */
const separator = ', ';

function namesIn(names: string): readonly string[] {
  return names.split(separator);
}

function areConfirmed(given: readonly string[], named: readonly string[], { level, others }: Confirmation): boolean {
  const needed = others && level === 'yes' ? [] : named;
  return (
    needed.every((name) => given.includes(name)) && given.every((name) => [...named, ...(others ?? [])].includes(name))
  );
}

function checkAnswer(answer: string, level: Confirm['level'], name: string): void {
  if (level === 'yes' ? /^y(es)?$/i.test(answer) : answer === name) return;
  if (level === 'typed' && answer !== '') throw notConfirmed(`the name to type is ${name}, not "${answer}"`);
  throw new CliError('interrupted', 'cancelled', { nothing: 'changed', exitCode: 1 });
}

const mostSteps = 5;

/** `LOG_LEVEL: info -> debug` */
export function stepTexts(steps: readonly Step[]): readonly string[] {
  const changing = steps.filter(({ isIdle }) => !isIdle);
  const texts = changing.slice(0, mostSteps).map(({ name, before, after }) => {
    const [was, is] = [flatText(before), flatText(after)];
    return was === undefined || is === undefined || was === is ? name : `${name}: ${was} -> ${is}`;
  });
  return [...texts, ...(changing.length > mostSteps ? [`${changing.length - mostSteps} more`] : [])];
}

function flatText(value: unknown): string | undefined {
  if (!isObject(value)) return valueText(value);
  const entries = Object.entries(value);
  if (entries.some(([, one]) => typeof one !== 'number')) return undefined;
  return entries.map(([name, count]) => `${name} ${count}`).join(', ');
}

async function confirmedName({ name }: Confirmation): Promise<string> {
  return typeof name === 'string' ? name : name();
}

export async function questionOf(change: Confirmation): Promise<string> {
  const details = await change.details();
  const text = (await change.text?.()) ?? `${change.act} ${await confirmedName(change)}`;
  const inParentheses = details.length > 0 ? ` (${details.join(', ')})` : '';
  return `${text}${inParentheses}?${change.warning ? ` ${change.warning}` : ''}`;
}

function confirmationError(run: Run, { because }: Confirmation, flags: readonly string[]): CliError {
  const agent = agentIn(run.app.env);
  if (run.app.call) return notConfirmed(`"${run.line.path}" asks a person for a name; pass it as "confirm"`);
  if (agent !== undefined) return needsPerson(run, agent);
  const why = because === undefined ? whyNoPrompt(run) : `${because}, ${whyNoPrompt(run)}`;
  const needed = flags.map(wordQuoter(run.app.platform)).join(' ');
  return notConfirmed(`"${run.line.path}" needs ${needed} (${why})`, flags);
}

function notConfirmed(message: string, add?: readonly string[]): CliError {
  return new CliError('usage', message, { nothing: 'changed', ...(add && { correction: { add } }) });
}

/** An agent is shown no flag that consents: it can plan, and a person confirms. */
function needsPerson({ line }: Run, agent: string): CliError {
  return notConfirmed(`"${line.path}" must be confirmed by a person (${agent} is set)`, ['-n']);
}

function needsApprover({ session: { settings } }: Run): CliError {
  const message = `profile ${settings.profile} is protected; here it takes changes only with an approve_command`;
  return new CliError('forbidden', message, { nothing: 'changed' });
}

function whyNoPrompt({ line, app }: Run): string {
  if (line.options.no_input) return '--no-input';
  const variable = unattendedBy(app.env);
  return variable === undefined ? 'no terminal' : `${variable} is set`;
}

/** Throws usage without a terminal: a job opens an editor only with -y. */
export function refuseEditor(run: Run): void {
  if (run.app.ask || run.line.options.yes) return;
  const agent = agentIn(run.app.env);
  if (agent !== undefined) throw needsPerson(run, agent);
  throw notConfirmed(`"${run.line.path}" needs -y to open an editor (${whyNoPrompt(run)})`, ['-y']);
}
