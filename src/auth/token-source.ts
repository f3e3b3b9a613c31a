import type { Folders } from '../files/folders.ts';
import { Problem } from '../problems/problem.ts';
import { maskToken } from './redact.ts';
import { usableToken } from './token.ts';
import { openTokenStore } from './token-store.ts';

export interface FoundToken {
  readonly token: string;
  /** The source as text: `environment STACKOPS_TOKEN`, `profile work`. */
  readonly origin: string;
  /** Scopes granted at sign-in, else those requested; absent when unknown. */
  readonly scopes?: readonly string[];
}
export interface TokenSources {
  readonly env: Readonly<Record<string, string | undefined>>;
  readonly folders: () => Folders;
  readonly profile: string;
  readonly baseUrl: URL;
  readonly warn?: (line: string) => void;
}
/** One source of a token, for `auth status`. */
export interface TokenPlace {
  readonly place: string;
  readonly state: string;
  /** Masked. */
  readonly token?: string;
}
export const tokenVariable = 'STACKOPS_TOKEN';
const fromEnvironment = `environment ${tokenVariable}`;

/**
 * The token to use: STACKOPS_TOKEN, else the profile's stored one; undefined when there is none. Throws usage for
 * one that cannot be used, unauthenticated when the stored one belongs to another origin than `baseUrl`.
 */
export function findToken(sources: TokenSources): FoundToken | undefined {
  const { env, profile, baseUrl } = sources;
  const given = env[tokenVariable];
  if (given) return { token: usableToken(given, fromEnvironment, baseUrl), origin: fromEnvironment };
  const stored = readStored(sources);
  if (!stored) return undefined;
  if (stored.origin !== baseUrl.origin) throw elsewhere(profile, stored.origin, baseUrl);
  const origin = `profile ${profile}`;
  const token = usableToken(stored.token, origin, baseUrl);
  return stored.scopes.length > 0 ? { token, origin, scopes: stored.scopes } : { token, origin };
}

/** The error of a command that needs a token when there is none. */
export function notSignedIn(profile: string): Problem {
  return new Problem(
    'unauthenticated',
    `not signed in: ${tokenVariable} is not set and profile ${profile} has no token`,
    {
      hint: { path: 'auth login' },
    },
  );
}

/**
 * For a refusal (401, 403): without the hint to sign in when the token did not come from a profile, because a new
 * sign-in would not be used.
 */
export function aboutRefusal(problem: Problem, origin: string): Problem {
  if (origin.startsWith('profile ')) return problem;
  const { hint: _signIn, ...details } = problem.details;
  if (origin !== fromEnvironment) return new Problem(problem.kind, problem.message, details);
  const hint = `${tokenVariable} overrides the saved token: set another token, or unset it`;
  return new Problem(problem.kind, problem.message, { ...details, hint });
}

/** Every source of a token and its state; the first one that is set wins. */
export function tokenPlaces(sources: Omit<TokenSources, 'baseUrl'>): readonly TokenPlace[] {
  const given = sources.env[tokenVariable];
  return [
    { place: fromEnvironment, ...(given ? { state: 'used', token: maskToken(given) } : { state: 'not set' }) },
    { place: `profile ${sources.profile}`, ...storedState(sources, Boolean(given)) },
  ];
}

/** With a token from the environment the file is not needed, so an unusable file is only mentioned. */
function storedState(sources: Omit<TokenSources, 'baseUrl'>, isHidden: boolean): Omit<TokenPlace, 'place'> {
  try {
    const stored = readStored(sources);
    if (!stored) return { state: 'none' };
    return { state: isHidden ? 'overridden' : 'used', token: maskToken(stored.token) };
  } catch (error) {
    if (isHidden) return { state: 'unreadable' };
    throw error;
  }
}

function readStored({ folders, warn, profile }: Omit<TokenSources, 'baseUrl'>) {
  return openTokenStore(folders, warn ?? (() => undefined)).read(profile);
}

function elsewhere(profile: string, origin: string, baseUrl: URL): Problem {
  return new Problem(
    'unauthenticated',
    `the token of profile ${profile} is for ${origin}; it is not sent to ${baseUrl.origin}`,
    {
      hint: { path: 'auth login' },
    },
  );
}
