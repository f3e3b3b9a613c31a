import { CliError } from '../errors/cli-error.ts';
import { splitCommand } from '../fields/read-value.ts';
import type { SettingSources, Settings } from '../settings/settings.ts';
import { originText, type ValueOrigin } from '../settings/table.ts';
import { isToken, signInError, usableToken } from './token.ts';
import { openTokenStore, type StoredToken } from './token-store.ts';

export interface FoundToken extends Pick<StoredToken, 'token' | 'requested'>, Partial<Pick<StoredToken, 'scopes'>> {
  readonly origin: ValueOrigin;
}
interface TokenSources extends Pick<SettingSources, 'env' | 'folders' | 'warn' | 'keepsRights'> {
  readonly profile: string;
  readonly command: () => TokenCommand | undefined;
  readonly baseUrl: URL;
  /** A token that the service has refused. If the `token_command` printed this token, the program runs again. */
  readonly refused?: string | undefined;
}
export type TokenSourceOptions = Omit<TokenSources, 'baseUrl'>;
export const tokenVariable = 'STACKOPS_TOKEN';
export const environmentOrigin: ValueOrigin = { kind: 'environment', name: tokenVariable };

/**
 * Returns the token of STACKOPS_TOKEN, else of token_command, else the stored one; undefined if none is set. Throws
 * `usage` for an unusable token, `unauthenticated` if the token or token_command is bound to another origin.
 */
export async function findToken(sources: TokenSources): Promise<FoundToken | undefined> {
  const { env, profile, baseUrl } = sources;
  const token = env[tokenVariable];
  if (token) return toFoundToken(token, environmentOrigin, baseUrl);
  const command = sources.command();
  if (command) return runTokenCommand(command, sources);
  const storedToken = readStoredToken(sources);
  if (!storedToken) return undefined;
  if (storedToken.origin !== baseUrl.origin) {
    const message = `the token of profile ${profile} is for ${storedToken.origin}; it is not sent to ${baseUrl.origin}`;
    throw signInError(message);
  }
  const { scopes, requested = scopes } = storedToken;
  const foundToken = toFoundToken(storedToken.token, { kind: 'profile', name: profile }, baseUrl);
  return scopes.length > 0 ? { ...foundToken, scopes, requested } : foundToken;
}

function toFoundToken(token: string, origin: ValueOrigin, baseUrl: URL): FoundToken {
  return { token: usableToken(token, originText(origin), baseUrl), origin };
}

async function runTokenCommand(command: TokenCommand, { baseUrl, refused }: TokenSources): Promise<FoundToken> {
  const { origin, address, line } = command;
  const name = originText(origin);
  // The hint does not offer to bind the `token_command` to the address: another person may have written the command.
  if (address === undefined) throw noTokenError(`${name} is bound to no address; it is not run for ${baseUrl.origin}`);
  if (address !== baseUrl.origin) {
    throw new CliError('unauthenticated', `${name} is for ${address}; it is not run for ${baseUrl.origin}`, {
      hint: { path: 'profile set', operands: [`token_command=${line}`] },
    });
  }
  return toFoundToken(await command.token(refused), origin, baseUrl);
}

export function notSignedInError(profile: string): CliError {
  return signInError(`not signed in: ${tokenVariable} is not set and profile ${profile} has no token`);
}

/** Replaces the hint of a refusal (401, 403), unless the refused token is a stored one, which a sign-in replaces. */
export function withRenewalHint(error: CliError, origin: ValueOrigin): CliError {
  return origin.kind === 'profile' ? error : error.with({ hint: renewalHint(origin) });
}

/** Returns the hint to renew a refused token where it comes from; undefined for a stored token. */
export function renewalHint(origin: ValueOrigin): string | undefined {
  if (origin.kind === 'environment')
    return `${tokenVariable} overrides the saved token: set another token, or unset it`;
  return origin.kind === 'token_command' ? `the token comes from ${originText(origin)}: renew it there` : undefined;
}

export function readStoredToken({ folders, warn = () => undefined, keepsRights, profile }: TokenSourceOptions) {
  return openTokenStore(folders, warn, { keepsRights }).read(profile);
}

export type TokenCommand = NonNullable<ReturnType<typeof tokenCommandOf>>;

/** Runs a program and returns its stdout. Throws `unauthenticated` with `name` in the message if the program fails. */
export type RunForOutput = (commandLine: readonly string[], name: string) => Promise<string>;

/** Returns the token command of the profile, if it is set, without running it. `hide` receives what each run prints. */
export function tokenCommandOf(settings: Settings, run: RunForOutput, hide: (secret: string) => void) {
  const { value: line } = settings.get('token_command');
  if (line === undefined) return undefined;
  const commandLine = splitCommand(line) ?? [];
  const origin: ValueOrigin = { kind: 'token_command', name: commandLine[0] };
  const name = originText(origin);
  let pendingToken: Promise<string> | undefined;
  let lastToken: string | undefined;
  const runForToken = async () => {
    const text = await run(commandLine, name);
    hide(text);
    lastToken = readToken(text, name);
    return lastToken;
  };
  return {
    /** Names the program without its arguments, because the arguments tell where the secret is stored. */
    origin,
    line,
    /** The only web origin that may receive the token; undefined when none was recorded. */
    address: settings.get('token_command_origin').value,
    /** Returns the printed token; runs again only if `refused` is the last. Throws `unauthenticated` if unusable. */
    token: (refused?: string): Promise<string> => {
      // Several requests may have the same refused token: the first runs the command again, and all others wait for it.
      if (refused !== undefined && refused === lastToken) pendingToken = lastToken = undefined;
      pendingToken ??= runForToken();
      return pendingToken;
    },
  };
}

function readToken(output: string, name: string): string {
  const token = output.replace(/\r?\n$/, '');
  if (token === '') throw noTokenError(`${name} printed nothing`);
  if (token.includes('\n')) throw noTokenError(`${name} printed more than one line`);
  if (!isToken(token)) throw noTokenError(`${name} must print 1 to 4096 visible ASCII characters without spaces`);
  return token;
}

/** Returns the error for a `token_command` without a usable token. The hint `config get` shows its command line. */
export function noTokenError(message: string): CliError {
  return new CliError('unauthenticated', message, { hint: { path: 'config get', operands: ['token_command'] } });
}
