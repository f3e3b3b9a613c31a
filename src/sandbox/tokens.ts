import { refuse } from './refusal.ts';
import type { State } from './state.ts';

/** Every token of a sandbox begins like this, so that a real one can never be mistaken for it. */
export const tokenPrefix = 'sandbox_';
/** The token that may do everything. */
export const fullToken = 'sandbox_all';
export const scopeNames: readonly string[] = ['public', 'users', 'admin', 'redeploy'];

const fixedTokens: ReadonlyMap<string, readonly string[]> = new Map([
  [fullToken, scopeNames],
  ...scopeNames.map((scope): [string, readonly string[]] => [`${tokenPrefix}${scope}`, [scope]]),
]);

/** The scopes of a token; throws 401 for a missing or unknown one. */
export function scopesOf({ oauth }: State, token: string | undefined): readonly string[] {
  if (token === undefined) return refuse(401, 'the access token is missing');
  if (!token.startsWith(tokenPrefix))
    refuse(401, `this is a sandbox: it takes only tokens that begin with ${tokenPrefix}`);
  const issued = oauth.tokens.find((other) => other.token === token)?.scopes;
  return fixedTokens.get(token) ?? issued ?? refuse(401, 'the access token is unknown');
}
