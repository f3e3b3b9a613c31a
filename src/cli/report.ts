import { type Destination, hintText } from '../contract/command-line.ts';
import { shortened } from '../contract/values/text.ts';
import { CliError, exitCodeOf } from '../errors/cli-error.ts';
import type { Line, Stderr } from '../output/safe/create-output.ts';
import type { App, ErrorFormat } from './app.ts';
import { wordsBeforeDashes } from './arguments/options.ts';
import { findAgentVariable, wantsColour } from './host.ts';

export async function reportError(error: unknown, argv: readonly string[], app: App, json: boolean): Promise<number> {
  const cliError = error instanceof CliError ? withSignalExitCode(error, app) : internalError(error, app);
  const { platform, env, err } = app;
  const colour = wantsColour({ value: typedColour(argv), origin: { kind: 'flag' } }, env, err.terminal);
  await printError(cliError, { json, colour, platform, forAgent: findAgentVariable(env) !== undefined }, err);
  return exitCodeOf(cliError);
}

function withSignalExitCode(error: CliError, app: App): CliError {
  if (error.kind !== 'interrupted' || error.details.exitCode !== undefined) return error;
  return error.with({ exitCode: exitCodeOf(error, app.signal.reason) });
}

function internalError(error: unknown, { env }: App): CliError {
  const stackTrace = error instanceof Error ? error.stack : String(error);
  const text = env['STACKOPS_DEBUG'] ? `: ${stackTrace}` : '';
  return new CliError('internal', `this is a bug in stackops${text}`, {
    hint: 'run it again with STACKOPS_DEBUG=1 and report what it prints',
  });
}

function typedColour(argv: readonly string[]): string | undefined {
  // The flag is read from the words, because the command line may be the error and then has no parsed options.
  const words = wordsBeforeDashes(argv);
  const at = words.indexOf('--color');
  return at < 0 ? words.find((word) => word.startsWith('--color='))?.slice(8) : words[at + 1];
}

interface ErrorView extends Readonly<ErrorFormat>, Pick<Destination, 'platform' | 'forAgent'> {
  readonly colour: boolean;
}

/** Prints `error: …` and `hint: …`, or one line of JSON. The hint is quoted for the shells of the platform. */
export async function printError(error: CliError, view: ErrorView, err: Stderr): Promise<void> {
  // The message is redacted before it is cut, because half a credential would not be recognized.
  const redactedError = error.with({}, err.redact(error.message));
  const hint = redactedError.details.hint && hintText(redactedError.details.hint, view);
  return view.json ? err.json(errorJson(redactedError, hint)) : err.lines(errorLines(redactedError, hint, view.colour));
}

/** Returns the lines of a message, cut to 500 characters each: a message may quote long text from the service. */
const messageLinesOf = ({ message }: CliError) => message.split('\n').map((line) => shortened(line, 500));

function errorLines(cliError: CliError, hint: string | undefined, isRed: boolean): readonly Line[] {
  const [firstLine = '', ...moreLines] = indentLines(messageLinesOf(cliError), 7);
  const labelledMessage = [{ label: 'error:', colour: isRed ? 31 : undefined, text: firstLine }, ...moreLines];
  if (!hint) return labelledMessage;
  const [firstOfHint = '', ...moreOfHint] = indentLines(hint.split('\n'), 6);
  return [...labelledMessage, { label: 'hint:', text: firstOfHint }, ...moreOfHint];
}

function indentLines(lines: readonly string[], columns: number): readonly string[] {
  // Indented, so that no line from the service looks like one of our labels.
  return lines.map((line, at) => (at === 0 ? '' : ' '.repeat(columns)) + line);
}

function errorJson(cliError: CliError, hint: string | undefined): unknown {
  const { status, requestId, extra } = cliError.details;
  const error = {
    code: cliError.kind,
    message: messageLinesOf(cliError).join('\n'),
    status: status ?? null,
    hint: hint ?? null,
    exit_code: exitCodeOf(cliError),
    operation: cliError.details.operation ?? null,
    request_id: requestId ?? null,
  };
  // `error` is spread twice: its keys come first, and `extra` cannot replace their values.
  return { error: { ...error, ...extra, ...error } };
}
