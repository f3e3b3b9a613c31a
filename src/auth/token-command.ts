import { CliError } from '../errors/cli-error.ts';
import { originText, type ValueOrigin } from '../settings/origin.ts';
import type { Settings } from '../settings/settings.ts';
import { splitCommand } from '../settings/split-command.ts';
import { isToken } from './token.ts';

export type TokenCommand = NonNullable<ReturnType<typeof tokenCommandOf>>;

/** Runs a program and returns its stdout; throws unauthenticated, with `place` as its name, when that fails. */
export type RunForOutput = (commandLine: readonly string[], place: string) => Promise<string>;

/** The token command of the profile in use; undefined when none is set. Nothing is run yet; `hide` learns what it prints. */
export function tokenCommandOf(settings: Settings, run: RunForOutput, hide: (secret: string) => void) {
  const { value: line } = settings.get('token_command');
  if (line === undefined) return undefined;
  const words = splitCommand(line) ?? [];
  const origin: ValueOrigin = { kind: 'token_command', name: words[0] };
  const place = originText(origin);
  let printed: Promise<string> | undefined;
  let known: string | undefined;
  const print = async () => {
    const text = await run(words, place);
    hide(text);
    known = tokenIn(text, place);
    return known;
  };
  return {
    /** `token_command (op)`: the program alone; its arguments say where the secret is. */
    origin,
    /** The whole command, as it was set. */
    line,
    /** The one origin (scheme, host, port) it may be run for; undefined when none was recorded. */
    address: settings.get('token_command_origin').value,
    /** The token it prints; run again only where that one was refused. Throws unauthenticated, without its output. */
    token: (refused?: string): Promise<string> => {
      // Of several requests that were refused the first one runs it, and the others wait for what it prints.
      if (refused !== undefined && refused === known) printed = known = undefined;
      printed ??= print();
      return printed;
    },
  };
}

function tokenIn(output: string, place: string): string {
  const token = output.replace(/\r?\n$/, '');
  if (token === '') throw noToken(`${place} printed nothing`);
  if (token.includes('\n')) throw noToken(`${place} printed more than one line`);
  if (!isToken(token)) throw noToken(`${place} must print 1 to 4096 visible ASCII characters without spaces`);
  return token;
}

/** The error of a token command that gives no token, with the command that shows it whole. */
export function noToken(message: string): CliError {
  return new CliError('unauthenticated', message, { hint: { path: 'config get', operands: ['token_command'] } });
}
