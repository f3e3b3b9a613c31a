import { createHash } from 'node:crypto';
import type { ScopeSeparator } from './scopes.ts';

export interface AuthorizeRequest {
  readonly authUrl: URL;
  readonly clientId: string;
  readonly redirectUrl: URL;
  readonly scopes: readonly string[];
  readonly scopeSeparator: ScopeSeparator;
  readonly state: string;
  readonly verifier: string;
}

/** The address to open. It has both spellings of the redirect: the document says one, known clients use the other. */
export function authorizeUrl(request: AuthorizeRequest): URL {
  const url = oauthUrl(request.authUrl, 'authorize');
  url.search = new URLSearchParams({
    response_type: 'code',
    client_id: request.clientId,
    redirect_url: request.redirectUrl.href,
    redirect_uri: request.redirectUrl.href,
    scope: request.scopes.join(request.scopeSeparator === 'space' ? ' ' : ','),
    state: request.state,
    code_challenge: createHash('sha256').update(request.verifier).digest('base64url'),
    code_challenge_method: 'S256',
  }).toString();
  return url;
}

/** `{auth_url}/oauth/<step>`. */
export function oauthUrl(authUrl: URL, step: 'authorize' | 'token'): URL {
  return new URL(`${authUrl.origin}${authUrl.pathname.replace(/\/+$/, '')}/oauth/${step}`);
}
