import { CliError } from '../errors/cli-error.ts';
import { exitCodeOf } from '../errors/exit-codes.ts';
import { printError } from '../output/error-text.ts';
import type { App } from './app.ts';
import { beforeDashes } from './arguments/options.ts';
import { agentIn, wantsColour } from './environment.ts';

export async function reportError(
  error: unknown,
  { argv, app, json }: { readonly argv: readonly string[]; readonly app: App; readonly json: boolean },
): Promise<number> {
  const cliError = error instanceof CliError ? bySignal(error, app) : asInternal(error, app);
  const { platform, env, err } = app;
  const colour = wantsColour({ value: typedColour(argv), origin: { kind: 'flag' } }, env, err.terminal);
  await printError(cliError, { json, colour, platform, forAgent: agentIn(env) !== undefined }, err);
  return exitCodeOf(cliError);
}

function bySignal(error: CliError, app: App): CliError {
  if (error.kind !== 'interrupted' || error.details.exitCode !== undefined) return error;
  return error.with({ exitCode: exitCodeOf(error, app.signal.reason) });
}

function asInternal(error: unknown, { env }: App): CliError {
  const stack = error instanceof Error ? error.stack : String(error);
  const text = env['STACKOPS_DEBUG'] ? `: ${stack}` : '';
  return new CliError('internal', `this is a bug in stackops${text}`, {
    hint: 'run it again with STACKOPS_DEBUG=1 and report what it prints',
  });
}

function typedColour(argv: readonly string[]): string | undefined {
  // Read from the words: parsing them may have failed.
  const words = beforeDashes(argv);
  const at = words.indexOf('--color');
  return at < 0 ? words.find((word) => word.startsWith('--color='))?.slice(8) : words[at + 1];
}
