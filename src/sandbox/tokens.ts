import { refuse } from './context.ts';
import type { State } from './state.ts';

/** Prefix of every sandbox token, so that a real token is never mistaken for a sandbox token. */
export const tokenPrefix = 'sandbox_';
export const scopeNames: readonly string[] = ['public', 'users', 'admin', 'redeploy'];

export type ScopesByToken = ReadonlyMap<string, readonly string[]>;

/** Scopes by token for a sandbox in this process: `sandbox_all` has all scopes, and each scope has its own token. */
export const wellKnownTokens: ScopesByToken = new Map([
  [`${tokenPrefix}all`, scopeNames],
  ...scopeNames.map((scope): [string, readonly string[]] => [`${tokenPrefix}${scope}`, [scope]]),
]);

/** Returns the scopes of a token. Refuses a missing or unknown token with 401. */
export function scopesOf(token: string | undefined, tokens: ScopesByToken, { oauth }: State): readonly string[] {
  if (token === undefined) return refuse(401, 'the access token is missing');
  if (!token.startsWith(tokenPrefix))
    refuse(401, `this is a sandbox: it accepts only tokens that begin with ${tokenPrefix}`);
  const issuedScopes = oauth.tokens.find((other) => other.token === token)?.scopes;
  return tokens.get(token) ?? issuedScopes ?? refuse(401, 'the access token is unknown');
}
