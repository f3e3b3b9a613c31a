import { CliError } from '../errors/cli-error.ts';
import { originText, type ValueOrigin } from '../settings/origin.ts';
import type { Sources } from '../settings/settings.ts';
import { maskToken, usableToken } from './token.ts';
import { noToken, type TokenCommand } from './token-command.ts';
import { openTokenStore } from './token-store.ts';

export interface FoundToken {
  readonly token: string;
  readonly origin: ValueOrigin;
  readonly scopes?: readonly string[];
  /** Scopes that sign-in requested; it may have been granted fewer. */
  readonly requested?: readonly string[];
}
export interface TokenSources extends Pick<Sources, 'env' | 'folders' | 'warn' | 'keepsRights'> {
  readonly profile: string;
  readonly command: () => TokenCommand | undefined;
  readonly baseUrl: URL;
  /** The token that the service has refused: a command is asked for another one. */
  readonly refused?: string | undefined;
}
/** The places alone, whatever service the token is for. */
export type TokenSourceOptions = Omit<TokenSources, 'baseUrl'>;
export interface TokenSourceState {
  readonly origin: ValueOrigin;
  readonly state: 'not set' | 'none' | 'used' | 'overridden' | 'unreadable';
  /** Masked; absent for a command, which is not run to list the places. */
  readonly token?: string;
}
export const tokenVariable = 'STACKOPS_TOKEN';
export const fromEnvironment: ValueOrigin = { kind: 'environment', name: tokenVariable };

/**
 * The token to use: STACKOPS_TOKEN, else what the profile's token_command prints, else the profile's stored one;
 * undefined when there is none. Throws usage for one that cannot be used, unauthenticated when the profile's is for
 * another origin than `baseUrl`.
 */
export async function findToken(sources: TokenSources): Promise<FoundToken | undefined> {
  const { env, profile, baseUrl } = sources;
  const given = env[tokenVariable];
  if (given) return usable(given, fromEnvironment, baseUrl);
  const command = sources.command();
  if (command) return printedToken(command, sources);
  const stored = readStored(sources);
  if (!stored) return undefined;
  if (stored.origin !== baseUrl.origin) {
    const message = `the token of profile ${profile} is for ${stored.origin}; it is not sent to ${baseUrl.origin}`;
    throw new CliError('unauthenticated', message, { hint: { path: 'auth login' } });
  }
  const { scopes, requested = scopes } = stored;
  const found = usable(stored.token, { kind: 'profile', name: profile }, baseUrl);
  return scopes.length > 0 ? { ...found, scopes, requested } : found;
}

function usable(token: string, origin: ValueOrigin, baseUrl: URL): FoundToken {
  return { token: usableToken(token, originText(origin), baseUrl), origin };
}

async function printedToken(command: TokenCommand, { baseUrl, refused }: TokenSources): Promise<FoundToken> {
  const { origin, address, line } = command;
  const place = originText(origin);
  // Somebody else may have written it: it is shown, and not offered to be pasted.
  if (address === undefined) throw noToken(`${place} is bound to no address; it is not run for ${baseUrl.origin}`);
  if (address !== baseUrl.origin) {
    throw new CliError('unauthenticated', `${place} is for ${address}; it is not run for ${baseUrl.origin}`, {
      hint: { path: 'profile set', operands: [`token_command=${line}`] },
    });
  }
  return usable(await command.token(refused), origin, baseUrl);
}

export function notSignedIn(profile: string): CliError {
  const message = `not signed in: ${tokenVariable} is not set and profile ${profile} has no token`;
  return new CliError('unauthenticated', message, { hint: { path: 'auth login' } });
}

/** For a refusal (401, 403): with the hint to sign in only where a new sign-in would be used. */
export function aboutRefusal(error: CliError, origin: ValueOrigin): CliError {
  return origin.kind === 'profile' ? error : error.with({ hint: renewal(origin) });
}

/** How to replace a refused token that no sign-in replaces; undefined for any other. */
export function renewal(origin: ValueOrigin): string | undefined {
  if (origin.kind === 'environment')
    return `${tokenVariable} overrides the saved token: set another token, or unset it`;
  return origin.kind === 'token_command' ? `the token comes from ${originText(origin)}: renew it there` : undefined;
}

/** Every source of a token and its state; the first one that is set wins. */
export function tokenSourceStates(sources: TokenSourceOptions): readonly TokenSourceState[] {
  const given = sources.env[tokenVariable];
  const command = sources.command();
  const commandState = given ? 'overridden' : 'used';
  return [
    { origin: fromEnvironment, ...(given ? { state: 'used', token: maskToken(given) } : { state: 'not set' }) },
    { origin: command?.origin ?? { kind: 'token_command' }, state: command ? commandState : 'not set' },
    { origin: { kind: 'profile', name: sources.profile }, ...storedState(sources, Boolean(given || command)) },
  ];
}

/** `profile work: used, ****7f3a` */
export function usedText({ token, origin }: FoundToken): string {
  return `${originText(origin)}: used, ${maskToken(token)}`;
}

/** A line for each place; `found` has the token that a command printed. */
export function placeLines(places: readonly TokenSourceState[], found: FoundToken): readonly string[] {
  return places.map(
    ({ origin, state, token = origin.kind === found.origin.kind ? maskToken(found.token) : undefined }) =>
      [`${originText(origin)}: ${state}`, ...(token === undefined ? [] : [token])].join(', '),
  );
}

function storedState(sources: TokenSourceOptions, isHidden: boolean): Omit<TokenSourceState, 'origin'> {
  try {
    const stored = readStored(sources);
    if (!stored) return { state: 'none' };
    return { state: isHidden ? 'overridden' : 'used', token: maskToken(stored.token) };
  } catch (error) {
    // Where a token comes first from elsewhere the file is not needed.
    if (isHidden) return { state: 'unreadable' };
    throw error;
  }
}

function readStored({ folders, warn = () => undefined, keepsRights, profile }: TokenSourceOptions) {
  return openTokenStore(folders, warn, { keepsRights }).read(profile);
}
