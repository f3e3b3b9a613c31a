import { CliError } from '../errors/cli-error.ts';
import { splitCommand } from '../fields/split-command.ts';
import { originText, type ValueOrigin } from '../settings/origin.ts';
import type { Settings } from '../settings/settings.ts';
import { isToken } from './token.ts';

export type TokenCommand = NonNullable<ReturnType<typeof tokenCommandOf>>;

/** Runs a program and returns its stdout. On failure throws unauthenticated with `name`. */
export type RunForOutput = (commandLine: readonly string[], name: string) => Promise<string>;

/**
 * The token command of the profile; undefined when none is set. Runs nothing yet. `hide` receives each printed token.
 */
export function tokenCommandOf(settings: Settings, run: RunForOutput, hide: (secret: string) => void) {
  const { value: line } = settings.get('token_command');
  if (line === undefined) return undefined;
  const words = splitCommand(line) ?? [];
  const origin: ValueOrigin = { kind: 'token_command', name: words[0] };
  const name = originText(origin);
  let printed: Promise<string> | undefined;
  let known: string | undefined;
  const print = async () => {
    const text = await run(words, name);
    hide(text);
    known = tokenIn(text, name);
    return known;
  };
  return {
    /** The program alone: its arguments tell where the secret is stored. */
    origin,
    line,
    /** The only web origin that may receive its token; undefined when none was recorded. */
    address: settings.get('token_command_origin').value,
    /**
     * Returns the printed token; runs the command again only after `refused`. Throws unauthenticated, without its
     * output.
     */
    token: (refused?: string): Promise<string> => {
      // The first refused request runs it again; the others wait for that run.
      if (refused !== undefined && refused === known) printed = known = undefined;
      printed ??= print();
      return printed;
    },
  };
}

function tokenIn(output: string, name: string): string {
  const token = output.replace(/\r?\n$/, '');
  if (token === '') throw noToken(`${name} printed nothing`);
  if (token.includes('\n')) throw noToken(`${name} printed more than one line`);
  if (!isToken(token)) throw noToken(`${name} must print 1 to 4096 visible ASCII characters without spaces`);
  return token;
}

/** The hint shows the whole command. */
export function noToken(message: string): CliError {
  return new CliError('unauthenticated', message, { hint: { path: 'config get', operands: ['token_command'] } });
}
